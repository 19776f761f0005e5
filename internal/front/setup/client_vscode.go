package setup

import "encoding/json"

// From its documentation; not tested with the program. "code --add-mcp" can only add.
var vscode = &Client{
	Name: "vscode", Title: "VS Code", program: "code",
	workspaceArg: "${workspaceFolder}",
	format:       jsonC, servers: "servers",
	userFile: func(h Host) string {
		switch h.OS {
		case "darwin":
			return h.home("Library", "Application Support", "Code", "User", "mcp.json")
		case "windows":
			return h.fromEnv("APPDATA", "AppData/Roaming", "Code", "User", "mcp.json")
		}
		return h.fromEnv("XDG_CONFIG_HOME", ".config", "Code", "User", "mcp.json")
	},
	projectFile: func(h Host) string { return h.project(".vscode", "mcp.json") },
	entry:       entries(stdioEntry{Type: "stdio"}, httpEntry{Type: "http", Headers: bearer("${env:" + tokenVar + "}")}),
	commands: func(o commandInput) [][]string {
		if o.scope != User || o.remove || o.configured {
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
	nextStep: "run \"MCP: List Servers\" in VS Code, start emend there, and switch the editing tools off in Configure Tools",
}
