package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
)

type editFlags struct {
	changeFlags
	old, new  []string
	count     int
	tolerance string
}

func (a *app) edit() *cobra.Command {
	var f editFlags
	cmd := &cobra.Command{
		Use:   "edit PATH",
		Short: "Replace parts of a file's text",
		Long: `edit replaces each --old text in PATH by the --new text that belongs to it: the
first by the first, and so on. Every old text is looked for in the file as it is,
not in what the other edits make of it, and must be there once, or --count times;
else nothing is changed, and every edit that failed is named with the place that
nearly fits. Without --old the edits are read from standard input, as JSON:

  [{"oldText": "...", "newText": "...", "expectedOccurrences": 1}]

--expect names the sha256 of the file that you mean. For a person at a terminal it
is read, and shown; elsewhere 'emend read --json PATH' has it.`,
		Example: `  emend edit config.go --old 'PORT = 3000' --new 'PORT = 8080'
  emend edit a.go --old foo --new bar --count 3 --expect <sha256>
  emend edit a.go --expect <sha256> < edits.json`,
		SuggestFor: []string{"replace", "sed", "sub"},
		Args:       exactly("one PATH"),
		RunE:       func(cmd *cobra.Command, args []string) error { return a.runEdit(cmd, args[0], f) },
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.old, "old", nil, "the exact `TEXT` to replace (repeatable)")
	fl.StringArrayVar(&f.new, "new", nil, "the `TEXT` that takes its place (one for each --old)")
	fl.IntVar(&f.count, "count", 1, "replace each old text in all its `N` places, and refuse any other number")
	fl.StringVar(&f.tolerance, "tolerance", "", "the last `RUNG` on which lines may match: "+strings.Join(rungNames(), ", "))
	complete(cmd, "tolerance", rungNames())
	for _, name := range []string{"old", "new", "count"} {
		noFiles(cmd, name)
	}
	f.defineExpect(cmd, "refuse unless the file still has this `SHA256`")
	f.define(cmd)
	return cmd
}

func (a *app) runEdit(cmd *cobra.Command, path string, f editFlags) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if err := a.needsHash(cmd, f.changeFlags, path); err != nil {
		return err
	}
	return a.work(cmd, "edit_file", f.allow, func(ctx context.Context, ws *emend.Workspace) error {
		sum, err := a.hash(ctx, ws, f.changeFlags, path)
		if err != nil {
			return err
		}
		edits, err := a.edits(cmd, f)
		if err != nil {
			return err
		}
		did, err := ws.Edit(ctx, emend.EditRequest{Path: path, ExpectedSha256: sum, Edits: edits, Tolerance: f.tolerance, IdempotencyKey: f.key})
		if err != nil {
			return err
		}
		return a.changed(did.Result(), change{diff: did.Data.Diff, tx: did.Tx})
	})
}

func (f editFlags) check(cmd *cobra.Command) error {
	switch {
	case len(f.old) != len(f.new):
		return badUse("edit", "every --old needs its --new: got %d and %d", len(f.old), len(f.new))
	case cmd.Flags().Changed("count") && len(f.old) == 0:
		return badUse("edit", "--count goes with --old; in JSON it is expectedOccurrences")
	case f.count < 1:
		return badUse("edit", "--count: it is at least 1, got %d", f.count)
	case f.tolerance != "" && !slices.Contains(rungNames(), f.tolerance):
		return badUse("edit", "--tolerance: %q is none of %s", f.tolerance, strings.Join(rungNames(), ", "))
	}
	return nil
}

// edits are the pairs of the flags, or without any what standard input has.
func (a *app) edits(cmd *cobra.Command, f editFlags) ([]emend.TextEdit, error) {
	out := make([]emend.TextEdit, len(f.old))
	for i := range f.old {
		out[i] = emend.TextEdit{OldText: f.old[i], NewText: f.new[i], ExpectedOccurrences: f.count}
	}
	if len(out) > 0 {
		return out, nil
	}
	text, err := a.content(cmd, "edits as JSON")
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	err = dec.Decode(&out)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = fmt.Errorf("there is more after the array")
		}
	}
	if err != nil || len(out) == 0 {
		return nil, badUse("edit", "standard input is no array of edits%s; it looks like\n"+
			`[{"oldText": "...", "newText": "...", "expectedOccurrences": 1}]`, because(err))
	}
	return out, nil
}

func because(err error) string {
	if err == nil {
		return ": it is empty"
	}
	return ": " + strings.TrimPrefix(err.Error(), "json: ")
}
