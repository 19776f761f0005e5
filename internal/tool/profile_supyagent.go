package tool

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// Supyagent is the patch tool of Supyagent. Its result lists the files and counts them.
var Supyagent = &Profile{Name: "supyagent", System: "Supyagent", Doc: "the apply_patch of Supyagent", Dialect: "supyagent",
	Instructions: "apply_patch changes files, all or nothing; send dry_run first when you are not sure of the lines.",
	Tools:        []*Tool{supyagentPatch}}

var supyagentPatch = build(Tool{
	Name:  "apply_patch",
	Title: "Apply a patch",
	Doc: "Change several files, all or nothing. Sections: *** Add File: p (lines with +), *** Update File: p, *** Delete File: p. " +
		"Each hunk of an update begins with @@ and a line of the file; the lines with - follow that line, or begin with it, and the lines with + take their place. " +
		"Refuses a line that is not there or there twice. Unsure? Send dry_run.",
	Example: `{"patch":"*** Update File: config.py\n@@ PORT = 8080\n-PORT = 8080\n+PORT = 3000\n","dry_run":true}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true,
	fields: map[string]field{"dry_run": {byDefault: false}, "working_dir": {byDefault: "."}},
	result: report.ListResult{}, Form: ObjectOnly,
}, func(ctx context.Context, ws *emend.Workspace, o Options, r supyagentRequest) (api.Result, error) {
	return applyOrPlan(ctx, ws, r.Patch, api.PatchOptions{Dialect: "supyagent", Base: r.WorkingDir, Progress: o.Progress}, r.DryRun)
})

type supyagentRequest struct {
	Patch      string `json:"patch" jsonschema:"the sections"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"say what would be done and write nothing"`
	WorkingDir string `json:"working_dir,omitempty" jsonschema:"the directory, in the workspace, that the paths are relative to"`
}
