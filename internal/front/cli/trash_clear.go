package cli

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/spf13/cobra"
)

type clearFlags struct {
	olderThan string
	yes       bool
}

func (a *app) trashClear() *cobra.Command {
	var f clearFlags
	cmd := &cobra.Command{
		Use:   "clear [ID...]",
		Short: "Permanently delete files from the trash",
		Long: `clear removes the files with these ids from the trash, or all files, permanently: they
can not be restored, and the transactions that put them there not be undone whole.
That it was done stays in the log, and what the files said stays in the diffs of
the history, which emend purge removes. On a terminal it asks first; in a script
it needs --yes.`,
		Example:           "  emend trash clear --older-than 30d\n  emend trash clear --yes 20261121-131712-fzhwrn7lum.0",
		ValidArgsFunction: a.completeTrashIDs,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runClear(cmd, args, f) },
	}
	cmd.Flags().StringVar(&f.olderThan, "older-than", "", "only what was deleted longer than `AGE` ago: 90m, 12h, 30d, 2w")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) runClear(cmd *cobra.Command, ids []string, f clearFlags) error {
	r := api.ClearRequest{IDs: ids}
	var err error
	if r.Before, err = timeBefore(f.olderThan, time.Now()); err != nil {
		return usageErrorf("trash clear", "--older-than: %v", err)
	}
	ask, err := a.confirmer("trash clear", f.yes)
	if err != nil {
		return err
	}
	ws, err := a.open()
	if err != nil {
		return err
	}
	defer ws.Close()
	if ask != nil {
		clearable, err := ws.Host().TrashClearable(cmd.Context(), r)
		if err != nil {
			return a.printError(err)
		}
		if len(clearable) == 0 || !ask(a.trashTable(clearable, time.Now()), fmt.Sprintf("Permanently delete %s from the trash?", plural(len(clearable), "file"))) {
			return a.printAnswer("Nothing was removed.", &api.Cleared{Entries: []api.Trashed{}})
		}
		r.IDs = nil // clear only what the person was shown
		for _, t := range clearable {
			r.IDs = append(r.IDs, t.ID)
		}
	}
	c, err := ws.TrashClear(cmd.Context(), r)
	if err != nil {
		return a.printError(err)
	}
	a.done = true
	if len(c.Entries) == 0 {
		return a.printAnswer("Nothing was removed: there is nothing of it in the trash.", c)
	}
	return a.printAnswer(fmt.Sprintf("Removed %s (%s) from the trash.", plural(len(c.Entries), "file"), formatBytes(c.SizeBytes)), c)
}

// confirmer returns a function that asks a person for a yes. It is nil with --yes. Without a terminal and without --yes
// it returns an error.
func (a *app) confirmer(verb string, yes bool) (ask func(what, question string) bool, err error) {
	if yes {
		return nil, nil
	}
	if !a.ttyIn {
		return nil, usageErrorf(verb, "there is no terminal to ask on: say --yes to delete permanently")
	}
	return func(what, question string) bool {
		fmt.Fprintf(a.err, "%s\n%s [y/N] ", what, question)
		line, _ := bufio.NewReader(a.in).ReadString('\n')
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes"
	}, nil
}
