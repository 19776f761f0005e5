package setup

import "encoding/json"

// Observed with 2.1.197: the model is not shown a tool in permissions.deny at all. Denying Edit leaves Write. A settings
// file with a comment is silently ignored, and a .mcp.json with one is reported and ignored.
var claudeCode = &Client{
	Name: "claude-code", Title: "Claude Code", program: "claude",
	format: plainJSON, servers: "mcpServers",
	userFile:     func(h Host) string { return h.fromEnv("CLAUDE_CONFIG_DIR", "", ".claude.json") },
	projectFile:  func(h Host) string { return h.project(".mcp.json") },
	entry:        entries(stdioEntry{Type: "stdio"}, httpEntry{Type: "http", Headers: bearer("${" + tokenVar + "}")}),
	ownTools:     []toolSetting{{path: []string{"permissions", "deny"}, items: []string{"Edit", "Write", "NotebookEdit"}}},
	ownToolsFile: claudeSettings,
	// The user's servers stand in the program's own state, which running programs write as well. The program knows how.
	ownState: true,
	commands: func(o commandInput) [][]string {
		if o.scope != User {
			return nil
		}
		var out [][]string
		if o.configured {
			out = append(out, []string{"claude", "mcp", "remove", "--scope", "user", "emend"})
		}
		if !o.remove {
			entry, _ := json.Marshal(o.entry)
			out = append(out, []string{"claude", "mcp", "add-json", "--scope", "user", "emend", string(entry)})
		}
		return out
	},
	hooks: &hooks{
		file: claudeSettings, format: plainJSON, shell: "Bash", edit: "Edit|MultiEdit|Write|NotebookEdit",
		settings: hookForm{client: "claude-code", unit: 1, endLimit: hookSeconds,
			onTool:  []string{"PreToolUse", "PostToolUse", "PostToolUseFailure"},
			on:      []string{"UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"},
			matcher: func(tools string) string { return tools }}.settings,
		runs: claudeRuns,
	},
	trustNote: "Claude Code asks once whether the server of a project's .mcp.json may start; until then it waits for approval.",
	nextStep:  "restart Claude Code; /mcp then shows emend as connected",
}

func claudeSettings(h Host, s Scope) string {
	if s == Project {
		return h.project(".claude", "settings.json")
	}
	return h.fromEnv("CLAUDE_CONFIG_DIR", ".claude", "settings.json")
}
