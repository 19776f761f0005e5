package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/spf13/cobra"
)

type editFlags struct {
	old, new             []string
	count                int
	line, endLine, after string
}

func (a *app) edit() *cobra.Command {
	var f editFlags
	var r api.EditRequest
	return changeVerb[api.EditRequest, api.EditData]{
		tool:  "edit_file",
		use:   "edit PATH",
		short: "Replace parts of a file's text",
		long: `edit replaces each --old text in PATH by its --new text: the first by the first, and
so on. Each old text is looked up in the file as it was before the call, and must occur
once, or --count times. Otherwise nothing is changed, and every edit that failed is
reported with the nearest place. Without --old the edits are read from standard input,
as JSON:

  [{"oldText": "...", "newText": "...", "expectedOccurrences": 1}]

Instead of --old, --line names a line by its anchor, which 'emend read --anchors'
prints. --end-line names the last of several lines. --after inserts below a line. An
anchor of another version of the file is refused. An empty --new deletes.

With --expect nothing is changed unless the file still has that sha256, which
'emend read --json PATH' prints.`,
		example: `  emend edit config.go --old 'PORT = 3000' --new 'PORT = 8080'
  emend edit a.go --old foo --new bar --count 3 --expect <sha256>
  emend edit a.go --expect <sha256> --line 12:k3f2 --end-line 15:77aa --new '}'
  emend edit a.go --expect <sha256> < edits.json`,
		suggest:    []string{"replace", "sed", "sub"},
		takes:      exactly("one PATH"),
		args:       []*string{&r.Path},
		expect:     &r.ExpectedSha256,
		expectHelp: "refuse unless the file still has this `SHA256`",
		key:        &r.IdempotencyKey,
		flags: func(cmd *cobra.Command) {
			fl := cmd.Flags()
			fl.StringArrayVar(&f.old, "old", nil, "the exact `TEXT` to replace (repeatable)")
			fl.StringArrayVar(&f.new, "new", nil, "the `TEXT` that takes its place (one for each --old)")
			fl.StringVar(&f.line, "line", "", "the `ANCHOR` of the line to replace, instead of --old")
			fl.StringVar(&f.endLine, "end-line", "", "the `ANCHOR` of the last line to replace")
			fl.StringVar(&f.after, "after", "", "the `ANCHOR` of the line to insert below; 0 for the top")
			fl.IntVar(&f.count, "count", 1, "replace each old text in all its `N` places, and refuse any other number")
			fl.StringVar(&r.Tolerance, "tolerance", "", "the loosest match that is allowed, `RUNG`: "+strings.Join(rungNames(), ", "))
			completeWords(cmd, "tolerance", rungNames())
			for _, name := range []string{"old", "new", "count", "line", "end-line", "after"} {
				completeNothing(cmd, name)
			}
		},
		check:       func(cmd *cobra.Command) error { return f.check(cmd, r.Tolerance) },
		currentHash: a.currentHash,
		input: func(cmd *cobra.Command) (err error) {
			r.Edits, err = a.edits(cmd, f)
			return err
		},
		request: &r, call: (*emend.Workspace).Edit,
		text: func(did *api.Answer[api.EditData]) changeText {
			return changeText{path: did.Data.Path, diff: did.Data.Diff, tx: did.Tx}
		},
	}.command(a)
}

func (f editFlags) check(cmd *cobra.Command, tolerance string) error {
	anchored := f.line != "" || f.endLine != "" || f.after != ""
	switch {
	case anchored && (len(f.old) > 0 || len(f.new) != 1):
		return usageErrorf("edit", "--line and --after stand in the place of --old, and take one --new")
	case !anchored && len(f.old) != len(f.new):
		return usageErrorf("edit", "every --old needs its --new: got %d and %d", len(f.old), len(f.new))
	case cmd.Flags().Changed("count") && len(f.old) == 0:
		return usageErrorf("edit", "--count goes with --old; in JSON it is expectedOccurrences")
	case f.count < 1:
		return usageErrorf("edit", "--count: it is at least 1, got %d", f.count)
	case tolerance != "" && !slices.Contains(rungNames(), tolerance):
		return usageErrorf("edit", "--tolerance: %q is none of %s", tolerance, strings.Join(rungNames(), ", "))
	}
	return nil
}

// edits returns the pairs of --old and --new. Without any it reads edits as JSON from standard input.
func (a *app) edits(cmd *cobra.Command, f editFlags) ([]api.TextEdit, error) {
	if f.line != "" || f.endLine != "" || f.after != "" {
		return []api.TextEdit{{NewText: f.new[0], Line: f.line, EndLine: f.endLine, After: f.after}}, nil
	}
	out := make([]api.TextEdit, len(f.old))
	for i := range f.old {
		out[i] = api.TextEdit{OldText: f.old[i], NewText: f.new[i], ExpectedOccurrences: f.count}
	}
	if len(out) > 0 {
		return out, nil
	}
	var text string
	if err := a.readContent(cmd, "edits as JSON", &text); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(&out)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = fmt.Errorf("there is more after the array")
		}
	}
	if err != nil || len(out) == 0 {
		return nil, usageErrorf("edit", "standard input is no array of edits%s; it looks like\n"+
			`[{"oldText": "...", "newText": "...", "expectedOccurrences": 1}]`, describeParseError(err))
	}
	return out, nil
}

func describeParseError(err error) string {
	if err == nil {
		return ": it is empty"
	}
	return ": " + strings.TrimPrefix(err.Error(), "json: ")
}
