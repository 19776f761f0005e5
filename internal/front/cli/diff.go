package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/spf13/cobra"
)

func (a *app) diff() *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "diff [ENTRY|SESSION|PATH]...",
		Short: "Print what an entry, a session, or everything since the last commit changed, as a diff",
		Long: `diff prints a unified diff in git's form: of an ENTRY of the log, of a SESSION, or of
what was changed through emend below a PATH since the last commit of git, or since
--since. Without arguments it is everything since then.

An argument is read as a PATH if it exists or was changed since then, else as an
ENTRY, else as a SESSION; the beginning of a name is enough for the last two. Piped
into "git apply -R" the diff undoes the change in files that did not change since. As
in git, its paths are relative to the root.`,
		Example: `  emend diff
  emend diff 20260131-120102-abcdefghij
  emend diff s-42
  emend diff src --since 2h
  emend diff abcd | git apply -R`,
		ValidArgsFunction: a.completeEntries,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runDiff(cmd.Context(), args, since) },
	}
	a.sinceFlag(cmd, &since)
	return cmd
}

// diffPart is the diff of one file, or why there is none.
type diffPart struct {
	Path     string `json:"path"`
	Diff     string `json:"diff,omitempty"`
	NotShown string `json:"notShown,omitempty"`
}

func (a *app) runDiff(ctx context.Context, args []string, since string) error {
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return err
	}
	defer ws.Close()
	var parts []diffPart
	var notes []string
	if len(args) == 0 {
		args = []string{""}
	}
	for _, arg := range args {
		p, n, err := a.diffOf(ctx, ws, arg, since)
		if err != nil {
			return a.printError(err)
		}
		parts, notes = append(parts, p...), append(notes, n...)
	}
	if a.json {
		return a.printAnswer(joinDiffs(parts), map[string]any{"files": append([]diffPart{}, parts...), "notes": append([]string{}, notes...)})
	}
	a.printWarnings(notes)
	for _, p := range parts {
		if p.NotShown != "" {
			a.printWarnings([]string{a.shown(p.Path) + ": " + p.NotShown})
		}
	}
	switch {
	case a.quiet:
		return nil
	case a.ttyOut:
		return a.withPager(func() { a.printDiff(a.out, joinDiffs(parts)) })
	}
	_, err = io.WriteString(a.out, joinDiffs(parts))
	return err
}

func joinDiffs(parts []diffPart) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Diff)
	}
	return b.String()
}

// diffOf returns the diff of what an argument names.
func (a *app) diffOf(ctx context.Context, ws *emend.Workspace, arg, since string) ([]diffPart, []string, error) {
	if _, err := os.Lstat(a.diskPath(arg)); arg == "" || err == nil && !abbrev.IsTime(arg) {
		return diffBelow(ctx, ws, arg, since)
	}
	if !abbrev.IsTime(arg) { // a file that is gone, before an abbreviation
		if parts, notes, err := diffBelow(ctx, ws, arg, since); err == nil && len(parts) > 0 {
			return parts, notes, nil
		}
	}
	e, err := ws.Show(ctx, arg)
	switch {
	case err == nil:
		return diffOfEntry(&e.Data)
	case !errors.Is(err, fail.NotFound):
		return nil, nil, err
	}
	name, sessionErr := ws.Host().SessionName(ctx, arg)
	if sessionErr != nil {
		return nil, nil, sessionErr
	}
	s, sessionErr := ws.SessionChanges(ctx, name)
	if sessionErr == nil {
		parts := make([]diffPart, len(s.Files))
		for i, f := range s.Files {
			parts[i] = diffPart{f.Path, f.Diff, f.NotShown}
		}
		return parts, s.Notes, nil
	}
	return nil, nil, err
}

// diffOfEntry returns the diff of one entry.
func diffOfEntry(e *api.EntryData) (parts []diffPart, notes []string, err error) {
	if !e.OK {
		return nil, nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("entry %s changed nothing: it was refused or rolled back", e.Entry),
			Hint: "‹history› lists the changes."}
	}
	for i := range e.Files {
		f := &e.Files[i]
		p := diffPart{Path: f.Path, Diff: f.Diff}
		if f.Diff == "" {
			if p.NotShown = f.Message; p.NotShown == "" {
				p.NotShown = "the diff is not kept"
			}
		}
		parts = append(parts, p)
	}
	return parts, nil, nil
}

// diffBelow returns the diff of what was changed below a path since a point; of everything for "".
func diffBelow(ctx context.Context, ws *emend.Workspace, path, since string) (parts []diffPart, notes []string, err error) {
	r, _, err := point(ctx, ws, since)
	if err != nil {
		return nil, nil, err
	}
	r.Path, r.Whole = path, true
	changes, err := ws.Host().ChangesSince(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range changes.Sessions {
		for _, f := range s.Files {
			parts = append(parts, diffPart{f.Path, f.Diff, f.NotShown})
		}
	}
	return parts, changes.Notes, nil
}
