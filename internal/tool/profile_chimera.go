package tool

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

// Chimera is the apply_patch of Chimera. Its results are text.
var Chimera = &Profile{Name: "chimera", System: "Chimera", Doc: "the apply_patch of Chimera", Dialect: "chimera",
	Instructions: "apply_patch changes files, all or nothing.",
	Tools:        []*Tool{chimeraPatch}}

var chimeraPatch = build(Tool{
	Name:  "apply_patch",
	Title: "Apply a patch",
	Doc: "Change several files, all or nothing. Sections: *** Add File: p (lines with +; no newline is written after the last), *** Update File: p, *** Delete File: p. " +
		"The hunks of an update have no header: context lines begin with a space, removed ones with -, added ones with +. " +
		"Refuses context that is not there or there twice.",
	Example: `{"patch":"*** Begin Patch\n*** Update File: a.py\n def hello():\n-    return \"old\"\n+    return \"new\"\n*** Delete File: legacy/dead.py\n*** End Patch"}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true, Form: TextOnly, adapt: requirePatch,
}, func(ctx context.Context, ws *emend.Workspace, o Options, r chimeraRequest) (api.Result, error) {
	return applyOrPlan(ctx, ws, r.Patch, api.PatchOptions{Dialect: "chimera", Progress: o.Progress}, false)
})

type chimeraRequest struct {
	Patch string `json:"patch" jsonschema:"from *** Begin Patch to *** End Patch"`
}

// requirePatch refuses a missing or empty patch, and one that is no string, with Chimera's message for all of these.
func requirePatch(v *value) error {
	if p, ok := v.get("patch"); ok && p.kind == "string" && p.text != "" {
		return nil
	}
	return badArguments("'patch' must be a non-empty string", "")
}
