//go:build npm && linux

package agents

import (
	"fmt"
	"os"
	"path/filepath"
)

// Codex with an unknown model, which is shown all tools; with one that searches for tools first; and with its default model,
// which calls them from programs.
var (
	codex       = codexWith("Codex", "scripted", "structuredContent", "call_N")
	codexSearch = codexWith("Codex, tool search", "gpt-5.5", "structuredContent", "call_N", "apply_patch")
	codexCode   = codexWith("Codex, code mode", "gpt-6.1-sol", "both", "exec-[0-9a-f-]{36}")
)

func codexWith(name, model, told, id string, own ...string) *agent {
	return &agent{
		name: name, lock: "../oracle/testdata/codex", pkg: "@openai/codex",
		program: []string{"@openai/codex-linux-x64/vendor/*/bin/codex"},
		setup:   "codex", own: own, keeps: true,
		client: "codex-mcp-client", callID: id, session: ".codex/sessions/*/*/*/rollout-*-ID.jsonl", told: told, refused: told,
		base: func(w *account, url string) []string {
			w.write(w.codexConfig(), fmt.Sprintf(`model = %q
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`, model, url+"/v1"))
			return []string{"SCRIPTED_KEY=dummy"}
		},
		plug: func(w *account, s server) []string {
			emend := fmt.Sprintf("url = %q\nbearer_token_env_var = \"EMEND_TOKEN\"\n", s.url)
			if s.url == "" {
				emend = fmt.Sprintf("command = %q\nargs = %s\n", s.command[0], encode(s.command[1:]))
			}
			w.env = append(w.env, "EMEND_TOKEN="+s.token)
			old, err := os.ReadFile(w.codexConfig())
			if err != nil {
				w.Fatal(err)
			}
			w.write(w.codexConfig(), string(old)+"\n[mcp_servers.emend]\n"+emend)
			return nil
		},
		ask: func(prompt string) []string {
			return []string{"exec", "--skip-git-repo-check", "-c", approved, prompt}
		},
	}
}

// approved approves emend's tools. Without it Codex asks before each call that is not marked as read-only.
const approved = `mcp_servers.emend.default_tools_approval_mode="approve"`

func (w *account) codexConfig() string { return filepath.Join(w.home, ".codex", "config.toml") }
