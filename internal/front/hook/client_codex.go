package hook

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/dialect"
)

// Observed with 0.169.0. There is no PostToolUse after a patch that fails, after a patch inside of a shell command, and after a
// command that is not polled to its end. None has the exit code.
var codex = &client{
	name: "codex",
	moments: map[string]api.Moment{
		"PreToolUse": api.BeforeCall, "PostToolUse": api.AfterCall, "UserPromptSubmit": api.AtPrompt, "Stop": api.AtTurnEnd,
		"SessionStart": api.AtStart, "SessionEnd": api.AtSessionEnd,
	},
	tools: map[string]toolKind{"Bash": shellTool, "apply_patch": patchTool},
	mcp:   "mcp__",
	fill:  func(m *message, e *Event) { e.Actor.Turn = clean(m.Turn) },
}

// patchPaths returns the paths that a patch in Codex's format names. A patch that does not parse names none.
func patchPaths(text string) (out []string) {
	parsed, err := dialect.Codex.Parse(text, dialect.Options{})
	if err != nil {
		return nil
	}
	for _, s := range parsed.Patch.Sections {
		out = append(out, s.Path)
		if s.To != "" {
			out = append(out, s.To)
		}
	}
	return out
}
