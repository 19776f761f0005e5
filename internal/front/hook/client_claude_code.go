package hook

import (
	"encoding/json"
	"strings"

	"github.com/emend-dev/emend/api"
)

// Observed with 2.1.330. After a shell command that fails comes PostToolUseFailure, not PostToolUse. An edit that does not
// apply has no event at all, and changes nothing. A command in the background has its PostToolUse at once; when it ends comes
// a UserPromptSubmit that no person wrote, which may have a prompt_id of its own.
var claudeCode = &client{
	name: "claude-code",
	moments: map[string]api.Moment{
		"PreToolUse": api.BeforeCall, "PostToolUse": api.AfterCall, "PostToolUseFailure": api.AfterCall,
		"UserPromptSubmit": api.AtPrompt, "Stop": api.AtTurnEnd, "SessionStart": api.AtStart, "SessionEnd": api.AtSessionEnd,
	},
	tools: map[string]toolKind{"Bash": shellTool, "Edit": fileTool, "MultiEdit": fileTool, "Write": fileTool, "NotebookEdit": fileTool},
	mcp:   "mcp__",
	fill: func(m *message, e *Event) {
		e.Actor.Turn = clean(m.Prompt)
		if m.Agent != "" && m.AgentType != "" {
			e.Actor.Agent = clean(m.AgentType + "/" + m.Agent)
		}
		switch {
		case e.Look.Moment == api.AtPrompt && strings.HasPrefix(m.Words, "<task-notification>"):
			e.Look.Moment = api.AtTaskEnd // no field of the event but its text tells
		case m.Interrupt:
			e.Look.Result = "interrupted"
		case m.Event == "PostToolUseFailure":
			e.Look.Result = firstLine(m.Error)
		case e.Look.Moment == api.AfterCall:
			e.Look.Result = claudeResult(m.Response)
		}
	},
}

// claudeResult returns how a call ended that did not fail.
func claudeResult(text json.RawMessage) string {
	var in struct {
		Interrupted bool   `json:"interrupted"`
		Background  string `json:"backgroundTaskId"`
	}
	if json.Unmarshal(text, &in) != nil {
		return ""
	}
	switch {
	case in.Background != "":
		return Running
	case in.Interrupted:
		return "interrupted"
	}
	return ""
}

// Running is the result of a call that goes on in the background: what it changes from then on is found by later looks.
const Running = "still running"
