package hook

import (
	"encoding/json"
	"strconv"

	"github.com/emend-dev/emend/api"
)

// opencode has no hooks that are commands. The plugin that emend setup writes sends these events, in the words of the others.
// Observed with 1.18.33: nothing comes after an edit that fails, or a call that is denied.
var opencode = &client{
	name: "opencode",
	moments: map[string]api.Moment{
		"tool.execute.before": api.BeforeCall, "tool.execute.after": api.AfterCall, "chat.message": api.AtPrompt,
		"session.idle": api.AtTurnEnd, "session.created": api.AtStart, "dispose": api.AtSessionEnd,
	},
	tools: map[string]toolKind{"bash": shellTool, "edit": fileTool, "multiedit": fileTool, "write": fileTool,
		"apply_patch": patchTool, "patch": patchTool},
	fill: func(m *message, e *Event) {
		e.Actor.Turn = clean(m.Turn)
		var in struct {
			Exit *int `json:"exit"`
		}
		if e.Look.Moment == api.AfterCall && json.Unmarshal(m.Response, &in) == nil && in.Exit != nil && *in.Exit != 0 {
			e.Look.Result = "exit code " + strconv.Itoa(*in.Exit)
		}
	},
}
