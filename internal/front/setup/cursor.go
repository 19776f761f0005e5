package setup

// From its documentation; not run here.
var cursor = &Client{
	Name: "cursor", Title: "Cursor",
	scopes: []Scope{User, Project}, where: "${workspaceFolder}",
	server: func(h Host, s Scope) place {
		if s == Project {
			return place{h.project(".cursor", "mcp.json"), jsonC, []string{"mcpServers"}}
		}
		return place{h.home(".cursor", "mcp.json"), jsonC, []string{"mcpServers"}}
	},
	entry: func(s Server) any {
		if s.URL != "" {
			return remote{URL: s.URL, Headers: bearer("${env:" + tokenVar + "}")}
		}
		return local{Type: "stdio", Command: s.Command, Args: s.Args}
	},
	notes: []string{"Cursor has no setting in a file that turns its own edit tools off: choose a custom mode without Edit, or " +
		"the agent edits with them and emend does not see it."},
	next: "open Cursor Settings, MCP: emend is listed there and can be switched on",
}
