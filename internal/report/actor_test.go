package report

import "testing"

func TestActorName(t *testing.T) {
	for _, c := range []struct{ agent, client, want string }{
		{"", "claude-code/2.1.329", "Claude Code 2.1"},
		{"claude", "claude-code/2.1.329", "Claude Code 2.1"},
		{"claude-code", "claude-code", "Claude Code"},
		{"Explore", "claude-code/2.1.329", "Explore (Claude Code 2.1)"},
		{"codex", "codex-mcp-client/0.159.0", "Codex 0.159"},
		{"", "gemini-cli-mcp-client/v0.9", "Gemini CLI v0.9"},
		{"", "some-client/1.0", "some-client 1.0"},
		{"", "robot 1.2", "robot 1.2"},
		{"robot", "robot 1.2", "robot 1.2"},
		{"", "a/b", "a/b"},
		{"person", "emend ui", "you"},
		{"person", "cli", "you"},
		{"", "cli", "Command line"},
		{"coder", "cli", "coder"},
		{"coder", "", "coder"},
		{"", "", ""},
		{"7", "x/", "7 (x/)"},
	} {
		if got := ActorName(c.agent, c.client); got != c.want {
			t.Errorf("%q by %q is %q, not %q", c.agent, c.client, got, c.want)
		}
	}
}
