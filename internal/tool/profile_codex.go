package tool

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

// Codex is the apply_patch of Codex. Its results are text.
var Codex = &Profile{Name: "codex", System: "Codex", Doc: "the apply_patch of OpenAI Codex", Dialect: "codex",
	Instructions: "apply_patch changes files, all or nothing.",
	Tools:        []*Tool{codexPatch}}

var codexPatch = build(Tool{
	Name:  "apply_patch",
	Title: "Apply a patch",
	Doc: "Change several files, all or nothing. Sections: *** Add File: p (lines with +), *** Update File: p (then *** Move to: q to rename), *** Delete File: p. " +
		"Hunks begin with @@, or @@ and a line to look for first; without one the first place counts. Refuses lines that are not there.",
	Example: `{"input":"*** Begin Patch\n*** Update File: src/app.py\n@@ def greet():\n-print(\"Hi\")\n+print(\"Hello, world!\")\n*** Delete File: obsolete.txt\n*** End Patch\n"}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true, Form: TextOnly, adapt: acceptPatchField,
}, func(ctx context.Context, ws *emend.Workspace, o Options, r codexRequest) (api.Result, error) {
	return applyOrPlan(ctx, ws, r.Input, api.PatchOptions{Dialect: "codex", Progress: o.Progress}, false)
})

type codexRequest struct {
	Input string `json:"input" jsonschema:"from *** Begin Patch to *** End Patch"`
}

// acceptPatchField accepts the argument "patch" as "input".
func acceptPatchField(v *value) error {
	if _, ok := v.get("input"); ok {
		return nil
	}
	for i := range v.members {
		if v.members[i].name == "patch" {
			v.members[i].name = "input"
		}
	}
	return nil
}
