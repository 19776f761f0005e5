package setup

// From its documentation; not tested with the program.
var cursor = &Client{
	Name: "cursor", Title: "Cursor",
	workspaceArg: "${workspaceFolder}",
	format:       jsonC, servers: "mcpServers",
	userFile:    func(h Host) string { return h.home(".cursor", "mcp.json") },
	projectFile: func(h Host) string { return h.project(".cursor", "mcp.json") },
	entry:       entries(stdioEntry{Type: "stdio"}, httpEntry{Headers: bearer("${env:" + tokenVar + "}")}),
	notes: []string{"Cursor has no setting in a file that turns its own edit tools off: choose a custom mode without Edit, or " +
		"the agent edits with them and emend does not see it."},
	nextStep: "open Cursor Settings, MCP: emend is listed there and can be switched on",
}
