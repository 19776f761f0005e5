//go:build npm && linux

package agents

// Claude Code, and Claude Code with many tools: its model then sees none of emend's tools until it has searched for them.
var (
	claudeCode   = claude("Claude Code", "false", "Edit", "Write", "NotebookEdit")
	claudeSearch = claude("Claude Code, tool search", "true", "Edit", "Write")
)

func claude(name, search string, own ...string) *agent {
	return &agent{
		name: name, lock: "testdata/claude-code", pkg: "@anthropic-ai/claude-code",
		program: []string{"@anthropic-ai/claude-code-linux-x64/claude"},
		setup:   "claude-code", own: own,
		client: "claude-code", callID: "toolu_call_N", told: "structuredContent", refused: "content",
		base: func(w *account, url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=dummy", "ENABLE_TOOL_SEARCH=" + search, "DISABLE_AUTOUPDATER=1",
				"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
		},
		plug: func(w *account, s server) []string {
			emend := object{"type": "http", "url": s.url, "headers": object{"Authorization": "Bearer " + s.token}}
			if s.url == "" {
				emend = object{"type": "stdio", "command": s.command[0], "args": s.command[1:]}
			}
			return []string{"--strict-mcp-config", "--mcp-config", w.writeJSON("mcp.json", object{"mcpServers": object{"emend": emend}})}
		},
		ask: func(prompt string) []string { return []string{"-p", prompt, "--allowedTools", "mcp__emend"} },
	}
}
