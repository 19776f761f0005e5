package setup

import "strings"

// Observed with 0.169.0: apply_patch is offered with every model of its catalogue, whatever include_apply_patch_tool,
// tools.apply_patch or features.apply_patch_freeform say (openai/codex#8161). In the read-only sandbox, that tool and
// the shell are refused, while emend, which Codex starts outside of it, writes. "codex mcp add" drops the comments
// inside other servers' entries, so setup runs it only if the file has no servers.
var codex = &Client{
	Name: "codex", Title: "Codex", program: "codex",
	format: tomlForm, servers: "mcp_servers",
	userFile:    func(h Host) string { return h.fromEnv("CODEX_HOME", ".codex", "config.toml") },
	projectFile: func(h Host) string { return h.project(".codex", "config.toml") },
	entry: func(s Server) any {
		if s.URL != "" {
			return map[string]any{"url": s.URL, "bearer_token_env_var": tokenVar}
		}
		return map[string]any{"command": s.Command, "args": s.Args}
	},
	commands: func(o commandInput) [][]string {
		switch {
		case o.scope != User, o.remove, strings.Contains(string(o.text), "mcp_servers"):
			return nil
		case o.server.URL != "":
			return [][]string{{"codex", "mcp", "add", "emend", "--url", o.server.URL, "--bearer-token-env-var", tokenVar}}
		}
		return [][]string{append([]string{"codex", "mcp", "add", "emend", "--", o.server.Command}, o.server.Args...)}
	},
	hooks: &hooks{
		file: func(h Host, s Scope) string {
			if s == Project {
				return h.project(".codex", "hooks.json")
			}
			return h.fromEnv("CODEX_HOME", ".codex", "hooks.json")
		},
		format: plainJSON, shell: "Bash", edit: "apply_patch",
		settings: hookForm{client: "codex", unit: 1, endLimit: hookEndSeconds,
			onTool:  []string{"PreToolUse", "PostToolUse"},
			on:      []string{"UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"},
			matcher: func(tools string) string { return tools }}.settings,
		note: "CODEX SKIPS A HOOK UNTIL A PERSON TRUSTS IT, and codex exec skips it without a word: start codex, open /hooks, look at " +
			"those of emend and trust them. setup does not do that for you. A hook whose command changes must be trusted again.",
		next: "start codex, open /hooks and trust those of emend; until then emend sees nothing of what its own tools change",
	},
	notes: []string{
		"No setting of Codex takes its own apply_patch away: it stays beside emend's tools, and without trusted hooks what the model " +
			"does with it is not in emend's log. Say in AGENTS.md that files are edited with the emend tools only.",
		"sandbox_mode = \"read-only\" in config.toml makes Codex refuse its apply_patch and what its shell writes, unless a person " +
			"allows it, while emend goes on working. setup leaves that to you: builds may need to write.",
		"Codex asks before each of emend's tools that changes files; codex exec, where nobody can be asked, refuses those until " +
			"default_tools_approval_mode = \"approve\" stands under [mcp_servers.emend]. setup leaves that to you as well.",
	},
	trustNote: "Codex reads a project's .codex/config.toml only where the project is trusted: it asks when it starts there.",
	nextStep:  "start Codex again; codex mcp list then shows emend",
}
