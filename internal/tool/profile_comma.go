package tool

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// Comma is the file tools of Comma Agents. Agents written for them read fields of the result (read.data.sha256), so
// every result is the whole object.
var Comma = &Profile{Name: "comma", System: "Comma Agents", Doc: "the eleven file tools of Comma Agents", Dialect: "comma",
	LeaveOut:     []string{"node_modules", ".git", "dist", "build", ".next", ".turbo", "coverage"},
	Instructions: "Read a file before you change it and send data.sha256 back as expectedSha256; on stale_file read it again.",
	Tools: []*Tool{
		readFile.variant("Read a text file, or some of its lines. data.sha256 is of the whole file: send it as expectedSha256 when you change the file. "+
			"Refuses directories, protected and binary files.", nil, "anchors"),
		listDirectory.variant("List a directory, with recursive also what is below. Hidden and protected names and build directories are left out. Refuses a file (use read_file).", includeIgnored, "namesOnly"),
		searchFiles.variant("Find lines that have a text or match a regex, or files by path. Binary and protected files and build directories are left out. Refuses a bad pattern.", includeIgnored),
		glob.variant("Find files and directories whose path matches a pattern with *, **, ?, {a,b} and [a-z], sorted. Protected ones and build directories are left out. Refuses a bad pattern.", includeIgnored),
		createFile.variant("", nil, "idempotencyKey"),
		writeFile.variant("", nil, "idempotencyKey"),
		editFile.variant(commaEdit, map[string]field{"edits.oldText": {description: "the exact text to replace", required: true}, "edits.newText": {description: "what takes its place"}},
			"idempotencyKey", "tolerance", "edits.line", "edits.endLine", "edits.after"),
		deleteFile.variant("", nil, "idempotencyKey"),
		commaRestore,
		commaMove,
		commaPatch,
	},
}

const commaEdit = "Replace exact texts in one file, all or none; for several files use apply_patch. " +
	"Refuses an oldText that is not there (the nearest is shown) or there more often than expected, overlapping edits, and a file that changed since it was read."

// includeIgnored describes the argument that also searches build directories.
var includeIgnored = map[string]field{"includeIgnored": {description: "also node_modules, .git, dist, build, .next, .turbo and coverage"}}

var commaRestore = define(Tool{
	Name:  "restore_file",
	Title: "Restore a file",
	Doc: "Bring a file back from the trash, or from an archive of it in the workspace, to where it was or to targetPath. " +
		"Refuses a path that exists.",
	Example: restoreFile.Example,
	Op:      patch.Add,
	Mutates: true, Idempotent: true,
	data: api.RestoreData{}, Form: ObjectOnly,
}, func(ws *emend.Workspace, ctx context.Context, r commaRestoreRequest) (*api.Answer[api.RestoreData], error) {
	return ws.Restore(ctx, api.RestoreRequest{TrashedPath: r.TrashedPath, TargetPath: r.TargetPath, Archives: true})
})

type commaRestoreRequest struct {
	TrashedPath string `json:"trashedPath" jsonschema:"trashedTo of the call that deleted it, or the path of an archive (.tar.gz)"`
	TargetPath  string `json:"targetPath,omitempty" jsonschema:"where to; default: where it was"`
}

var commaMove = define(Tool{
	Name:  "move_file",
	Title: "Move a file",
	Doc: "Move or rename a file; nothing is overwritten. Refuses a toPath that exists, a missing directory, " +
		"and a file that is not what expectedSha256 says.",
	Example: moveFile.Example,
	Op:      patch.Move,
	Mutates: true, Destructive: true, Idempotent: true,
	data: api.MoveData{}, Form: ObjectOnly,
}, func(ws *emend.Workspace, ctx context.Context, r commaMoveRequest) (*api.Answer[api.MoveData], error) {
	return ws.Move(ctx, api.MoveRequest{FromPath: r.FromPath, ToPath: r.ToPath, ExpectedSha256: r.ExpectedSha256,
		CreateParentDirectories: r.CreateParentDirectories, Plain: true})
})

type commaMoveRequest struct {
	FromPath                string `json:"fromPath" jsonschema:"relative to the workspace"`
	ToPath                  string `json:"toPath" jsonschema:"its new path"`
	ExpectedSha256          string `json:"expectedSha256" jsonschema:"its data.sha256, from read_file"`
	CreateParentDirectories bool   `json:"createParentDirectories,omitempty" jsonschema:"make missing directories"`
}

var commaPatch = build(Tool{
	Name:  "apply_patch",
	Title: "Apply a patch",
	Doc: "Change several files, all or nothing; for one use edit_file, for one new file create_file. " +
		"Sections: *** Add File: p (lines with +), *** Update File: p, *** Delete File: p, *** Move File: a -> b. Every hunk begins with @@; " +
		"its context and removed lines must be in the file exactly once. Refuses whole, showing the nearest place of each failed hunk.",
	Example: applyPatch.Example,
	Op:      patch.Update,
	Mutates: true, Destructive: true,
	fields: map[string]field{"atomic": {byDefault: true}},
	data:   report.Data{}, Form: ObjectOnly,
}, func(ctx context.Context, ws *emend.Workspace, o Options, r commaPatchRequest) (api.Result, error) {
	opts := api.PatchOptions{Dialect: "comma", Expect: r.ExpectedSha256ByPath, Sequential: r.Atomic != nil && !*r.Atomic, Progress: o.Progress}
	if o.RequireHash {
		if err := requireHashes(r.Patch, &opts); err != nil {
			return nil, err
		}
	}
	return applyOrPlan(ctx, ws, r.Patch, opts, false)
})

type commaPatchRequest struct {
	Patch                string            `json:"patch" jsonschema:"from *** Begin Patch to *** End Patch"`
	ExpectedSha256ByPath map[string]string `json:"expectedSha256ByPath,omitempty" jsonschema:"data.sha256 of files, by their path in the patch; empty for a file that must not exist"`
	Atomic               *bool             `json:"atomic,omitempty" jsonschema:"false: section by section"`
}
