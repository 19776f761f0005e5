package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) undo() *cobra.Command {
	var r api.UndoRequest
	var allow, paths []string
	var hunks string
	var ask bool
	cmd := &cobra.Command{
		Use:   "undo [ENTRY]",
		Short: "Undo the last change, an entry, a turn, a session, or everything since a mark",
		Long: `undo reverts changes:

  ENTRY      one entry of the log
  --session  everything that a session did
  --turn     everything that came of one prompt, by default the last
  --to       everything since a mark or a time, of one --session or of all

Without any of these it reverts the last change that is not undone yet. At a terminal
it asks first if that change is an agent's or another session's. Changes that were made
outside emend, such as your own edits, stay unless you name their ENTRY.

An undo is a change like any other: it happens entirely or not at all, is in the log,
and can be undone. Later edits of the same file stay. If they conflict, the undo is
refused; it names the later change and shows the lines as they are now, as the entry
left them, and as they were before it. --skip-conflicts leaves what conflicts, shows it,
and undoes the rest.

--path limits the undo to a file or a directory, and --hunk to hunks of one file, by the
numbers that emend show prints. -p asks about each hunk, as git add -p does; the hunks
are those of the entry in the log, so git's s and e, which would make others, are not
offered. What is left can be undone later.`,
		Example: `  emend undo --dry-run
  emend undo
  emend undo 20261121-123107-abcdefghij
  emend undo 20261121-123107-abcdefghij --path main.go --hunk 2,3
  emend undo -p
  emend undo --session 7f3a
  emend undo --session 7f3a --skip-conflicts
  emend undo --turn
  emend undo --to before-refactoring
  emend undo --to 14:05 --session 7f3a`,
		SuggestFor:        []string{"revert", "back", "rollback"},
		Args:              atMost(0, "one ENTRY"),
		ValidArgsFunction: a.completeEntries,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Entry = argument(args, 0, "")
			if r.Entry != "" && r.SessionID != "" {
				return usageErrorf("undo", "name an ENTRY or a --session, not both")
			}
			if r.Turn != "" && r.To != "" || r.Entry != "" && (r.Turn != "" || r.To != "") {
				return usageErrorf("undo", "name one of ENTRY, --turn and --to")
			}
			var err error
			if r.Pieces, err = undoPieces(paths, hunks); err != nil {
				return err
			}
			several := r.SessionID != "" || r.Turn != "" || r.To != ""
			switch {
			case hunks != "" && several:
				return usageErrorf("undo", "--hunk numbers the hunks of one ENTRY: name that")
			case ask && several:
				return usageErrorf("undo", "-p asks about one ENTRY, or the last change")
			case ask && (a.json || a.quiet):
				return usageErrorf("undo", "-p shows hunks and asks: without --json and --quiet")
			case ask && hunks != "":
				return usageErrorf("undo", "either -p asks about the hunks, or --hunk names them")
			}
			if r.To, err = localTime(r.To, time.Now()); err != nil {
				return err
			}
			return a.withWorkspace(cmd, "undo", allow, func(ctx context.Context, ws *emend.Workspace) error {
				if ask {
					asked, chosen, err := a.askForPieces(ctx, ws, r)
					if err != nil || !chosen {
						return err
					}
					r = asked
				}
				return a.runUndo(ctx, ws, r)
			})
		},
	}
	cmd.Flags().BoolVarP(&r.DryRun, "dry-run", "n", false, "print what would be undone, and write nothing")
	cmd.Flags().StringVar(&r.SessionID, "session", "", "undo all that the session `ID` did")
	cmd.Flags().StringVar(&r.Turn, "turn", "", "undo what came of a prompt: the turn `ID`, or without one the last turn")
	cmd.Flags().Lookup("turn").NoOptDefVal = api.LastTurn
	cmd.Flags().StringVar(&r.To, "to", "", "undo what was done since `MARK`, or since a time (14:05, 2026-01-31T12:00:00Z)")
	registerCompletion(cmd, "to", a.completeMarks)
	cmd.Flags().StringArrayVar(&paths, "path", nil, "undo only what was done to `PATH`, a file or a directory (repeatable)")
	cmd.Flags().StringVar(&hunks, "hunk", "", "undo only these hunks of --path: `NUMBERS` as in 2,3 or 2-5")
	completeNothing(cmd, "hunk")
	cmd.Flags().BoolVarP(&ask, "patch", "p", false, "show each hunk and ask whether to undo it")
	cmd.Flags().BoolVar(&r.SkipConflicts, "skip-conflicts", false, "leave what conflicts with later changes, show it, and undo the rest")
	keyFlag(cmd.Flags(), &r.IdempotencyKey)
	allowFlag(cmd.Flags(), &allow)
	return cmd
}

func (a *app) runUndo(ctx context.Context, ws *emend.Workspace, r api.UndoRequest) (err error) {
	if r.SessionID, err = sessionName(ctx, ws, r.SessionID); err != nil {
		return err
	}
	others := ""
	if r.Entry == "" && r.SessionID == "" && r.Turn == "" && r.To == "" && r.IdempotencyKey == "" && !r.DryRun {
		var no bool
		if r.Entry, others, no, err = a.lastChange(ctx, ws); err != nil {
			return err
		}
		if no {
			return a.printAnswer("Nothing was changed.", nil)
		}
	}
	rep, err := ws.Undo(ctx, r)
	if err != nil {
		return err
	}
	if r.DryRun {
		var err error
		paged := a.withPager(func() {
			err = a.printFound(rep.Result(), nil, func(w *bufio.Writer) { a.printUndo(w, rep, "") })
		})
		return errors.Join(err, paged)
	}
	a.done = true
	a.noteIf(others != "", "it was a change of %s", others)
	return a.buffered(func(w *bufio.Writer) {
		if a.json {
			newEncoder(w).Encode(rep.Result()) //nolint:errcheck // buffered returns it
		} else if !a.quiet {
			a.printUndo(w, rep, rep.Tx)
		}
	})
}

// lastChange returns the entry that an undo without a name takes back, and whose it is if it is not of the command line. At a terminal
// it asks first about such a change; no says that the person does not want it. What would be refused has no entry: the undo itself
// says why.
func (a *app) lastChange(ctx context.Context, ws *emend.Workspace) (entry, others string, no bool, err error) {
	rep, err := ws.Undo(ctx, api.UndoRequest{DryRun: true})
	if err != nil || len(rep.Undoes()) != 1 {
		return "", "", false, nil
	}
	e, err := ws.Show(ctx, rep.Undoes()[0])
	if err != nil {
		return "", "", false, err
	}
	if entry = e.Data.Entry; e.Data.Client == api.CommandLine && e.Data.SessionID == "" {
		return entry, "", false, nil
	}
	others = report.OneLine(whose(e.Data.Client, e.Data.AgentName, e.Data.SessionID))
	if !a.ttyIn || !a.ttyErr {
		return entry, others, false, nil
	}
	var text strings.Builder
	w := bufio.NewWriter(&text)
	a.printUndo(w, rep, "")
	w.Flush() //nolint:errcheck // text keeps it
	fmt.Fprintf(a.err, "%sThe last change is of %s, %s.\n", text.String(), others, formatAge(e.Data.Timestamp, time.Now()))
	yes, err := a.confirmed("Undo it?")
	return entry, "", !yes, err
}

// printUndo prints what was undone, and the command that undoes the undo. For a dry run tx is "", and the diff is
// printed.
func (a *app) printUndo(w *bufio.Writer, rep *emend.Report, tx string) {
	fmt.Fprintln(w, report.Escape(strings.TrimSuffix(rep.Shown(a.shown).Result().Text(), "\n")))
	if tx == "" || a.ttyOut {
		for _, f := range rep.Files() {
			a.printDiff(w, f.Diff())
		}
	}
	if tx != "" {
		fmt.Fprintf(w, "To undo: emend undo %s\n", report.OneLine(tx))
	}
}
