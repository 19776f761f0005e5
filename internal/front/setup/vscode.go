package setup

import "encoding/json"

// From its documentation; not run here. "code --add-mcp" can only add.
var vscode = &Client{
	Name: "vscode", Title: "VS Code", program: "code",
	scopes: []Scope{User, Project}, where: "${workspaceFolder}",
	server: func(h Host, s Scope) place {
		if s == Project {
			return place{h.project(".vscode", "mcp.json"), jsonC, []string{"servers"}}
		}
		return place{h.codeUser("mcp.json"), jsonC, []string{"servers"}}
	},
	entry: func(s Server) any {
		if s.URL != "" {
			return remote{Type: "http", URL: s.URL, Headers: bearer("${env:" + tokenVar + "}")}
		}
		return local{Type: "stdio", Command: s.Command, Args: s.Args}
	},
	own: func(o own) [][]string {
		if o.scope != User || o.remove || o.there {
			return nil
		}
		var entry map[string]any
		text, _ := json.Marshal(o.entry)
		_ = json.Unmarshal(text, &entry)
		entry["name"] = "emend"
		text, _ = json.Marshal(entry)
		return [][]string{{"code", "--add-mcp", string(text)}}
	},
	notes: []string{"VS Code has no setting in a file that turns its own edit tools off: switch them off in the chat's " +
		"Configure Tools, or the agent edits with them and emend does not see it."},
	next: "run \"MCP: List Servers\" in VS Code, start emend there, and switch the editing tools off in Configure Tools",
}

// codeUser is a file of VS Code's user profile.
func (h Host) codeUser(name string) string {
	switch h.OS {
	case "darwin":
		return h.home("Library", "Application Support", "Code", "User", name)
	case "windows":
		return h.in("APPDATA", "AppData/Roaming", "Code", "User", name)
	}
	return h.in("XDG_CONFIG_HOME", ".config", "Code", "User", name)
}
