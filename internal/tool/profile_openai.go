package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// OpenAI is the apply_patch tool of OpenAI's Responses API: its arguments are the operation of an apply_patch_call, and its result
// has the status and the output of an apply_patch_call_output. A hunk lands at exactly one place, as in the dialect emend.
var OpenAI = &Profile{Name: "openai", System: "OpenAI's Responses API", Doc: "the apply_patch tool of OpenAI's Responses API", Dialect: "emend",
	Instructions: "apply_patch changes one file, entirely or not at all.",
	Tools:        []*Tool{openAIPatch}, words: operationWords, shape: operationOutput}

var openAIPatch = build(Tool{
	Name:  "apply_patch",
	Title: "Apply a patch operation",
	Doc: "Create, update or delete one file, entirely or not at all. The diff has no header. Of a new file every line begins with +. " +
		"Of an update hunks begin with @@, or @@ and a line above them; context lines begin with a space, removed ones with -, added ones with +. " +
		"Refuses lines that are not there, or there several times, and shows them.",
	Example: `{"type":"update_file","path":"lib/fib.py","diff":"@@ def fib(n):\n-    return n\n+    return fib(n-1) + fib(n-2)\n"}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true,
	fields: map[string]field{"type": {enum: operationNames}},
	result: operationResult{}, Form: ObjectOnly, adapt: dropNullDiff,
}, func(ctx context.Context, ws *emend.Workspace, o Options, r operation) (api.Result, error) {
	op := patch.Op(slices.Index(operationNames, r.Type) + 1)
	if r.Diff == nil && op != patch.Delete {
		return nil, badArguments("diff is missing", "Send the diff: its lines begin with \"+\", \"-\", \" \" or \"@@\".")
	}
	var text string
	if r.Diff != nil {
		text = *r.Diff
	}
	rep, err := ws.Apply(ctx, text, api.PatchOptions{Dialect: "emend", File: &api.FileDiff{Op: op, Path: r.Path}, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	return operationDone(op, r.Path, rep), nil
})

// operationNames are the types of operations, in the order of [patch.Op].
var operationNames = []string{patch.Add - 1: "create_file", patch.Update - 1: "update_file", patch.Delete - 1: "delete_file"}

// operation is the operation of an apply_patch_call.
type operation struct {
	Type string  `json:"type" jsonschema:"what to do"`
	Path string  `json:"path" jsonschema:"of the file"`
	Diff *string `json:"diff,omitempty" jsonschema:"the lines, without a header; none for delete_file"`
}

// dropNullDiff accepts a null for no diff.
func dropNullDiff(v *value) error {
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return m.name == "diff" && m.value.kind == "null" })
	return nil
}

// operationDone words a success: what became of the file, and where a hunk landed that did not match exactly.
func operationDone(op patch.Op, path string, rep *emend.Report) *report.TextResult {
	out := &report.TextResult{Ok: true, Meta: &report.Meta{Tx: rep.Tx, Log: &report.Head{Seq: rep.Head.Seq, H: rep.Head.H}, Notes: rep.Notes}}
	out.Output = [...]string{patch.Add: "Created", patch.Update: "Updated", patch.Delete: "Deleted"}[op] + " " + report.Escape(path)
	for _, f := range rep.Files() {
		for i, h := range f.Hunks {
			out.Meta.Hunks = append(out.Meta.Hunks, report.FileHunk{Path: f.Path, Hunk: report.Hunk{Line: h.Line, Rung: h.Rung.String(), Others: h.Others}})
			if h.Rung != patch.Exact || h.Others > 0 || h.Doubles {
				out.Output += fmt.Sprintf("\nNote: hunk %d is at line %d, %s.", i+1, h.Line, report.MatchText(h))
			}
		}
	}
	for _, n := range rep.Notes {
		out.Output += "\nNote: " + report.Escape(n)
	}
	return out
}

// operationWords words a refusal. OpenAI's guide shows how two of them may read; the report adds what the file has there.
func operationWords(_ *Tool, _ *value, failures fail.List) (fail.List, dialect.Words) {
	return failures, dialect.Words{Shape: dialect.Text, Refusal: func(e *fail.Error, _ patch.Op) string {
		says := "Error: " + e.Error() + ". " + e.Hint
		switch {
		case e.Kind == fail.NotFound && e.Reason != fail.SpecialFile:
			says = "Error: File not found at path '" + e.Path + "'"
		case e.Kind == fail.AlreadyExists:
			says = "Error: File already exists at path '" + e.Path + "'; update_file changes it"
		case e.Reason == fail.ContextNotFound && len(e.Old) > 0:
			says = "Error: Invalid Context:\n" + strings.Join(e.Old, "\n")
		case e.Reason == fail.ContextNotFound && e.Anchor != "":
			says = "Error: Invalid Context:\n@@ " + e.Anchor
		}
		return report.Escape(says)
	}}
}

// operationResult is the output of one operation, as an apply_patch_call_output has it.
type operationResult struct {
	Status string       `json:"status"` // completed or failed
	Output string       `json:"output"`
	Meta   *report.Meta `json:"_meta,omitempty"`
}

// OK implements [api.Result].
func (r *operationResult) OK() bool { return r.Status == "completed" }

// Text implements [api.Result].
func (r *operationResult) Text() string { return r.Output }

// Shown returns the result as a model is shown it, as JSON: what the output of a refusal says is not in _meta as well.
func (r *operationResult) Shown() api.Result {
	return &operationResult{Status: r.Status, Output: r.Output}
}

// operationOutput gives any result the shape of an apply_patch_call_output.
func operationOutput(r api.Result) api.Result {
	out := &operationResult{Status: "failed", Output: r.Text()}
	switch r := r.(type) {
	case *report.TextResult:
		out.Meta = r.Meta
		if r.Error != nil {
			out.Meta = &report.Meta{Error: r.Error}
		}
	case *report.Object: // of a call that reached no tool
		out.Meta = &report.Meta{Error: r.Error}
	}
	if r.OK() {
		out.Status = "completed"
	}
	return out
}
