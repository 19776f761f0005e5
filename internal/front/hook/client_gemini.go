package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/emend-dev/emend/api"
)

// Observed with 0.61.0. It names no calls and no turns. A command in the background has its AfterTool after 0.2 s.
var gemini = &client{
	name: "gemini",
	moments: map[string]api.Moment{
		"BeforeTool": api.BeforeCall, "AfterTool": api.AfterCall, "BeforeAgent": api.AtPrompt, "AfterAgent": api.AtTurnEnd,
		"SessionStart": api.AtStart, "SessionEnd": api.AtSessionEnd,
	},
	tools: map[string]toolKind{"run_shell_command": shellTool, "replace": fileTool, "write_file": fileTool},
	mcp:   "mcp_",
	fill: func(m *message, e *Event) {
		if e.Actor.Tool == "" {
			return
		}
		e.Actor.Call = geminiCall(m)
		if e.Look.Moment == api.AfterCall {
			e.Look.Result = geminiResult(m)
		}
	},
}

// geminiCall makes the name of a call from what it says. Two equal calls of one session have the same name, also if they
// overlap.
func geminiCall(m *message) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(m.Session), []byte(m.Tool), canonical(m.Input)} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return "input-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// geminiResult returns how a call ended. The exit code is a line of the text that the model is shown, behind what the command
// printed, so the last such line counts.
func geminiResult(m *message) string {
	var in struct {
		Background bool `json:"is_background"`
	}
	if json.Unmarshal(m.Input, &in) == nil && in.Background {
		return Running
	}
	var failed struct {
		Error any `json:"error"`
	}
	if json.Unmarshal(m.Response, &failed) == nil && failed.Error != nil {
		return "failed"
	}
	var shown struct {
		Text string `json:"llmContent"`
	}
	const line = "\nExit Code: "
	if json.Unmarshal(m.Response, &shown) != nil || !strings.Contains(shown.Text, line) {
		return ""
	}
	code := firstLine(shown.Text[strings.LastIndex(shown.Text, line)+len(line):])
	if code == "" {
		return ""
	}
	return clean("exit code " + code)
}
