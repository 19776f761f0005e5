package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

type purgeFlags struct {
	path, session, olderThan string
	yes                      bool
}

func (a *app) purge() *cobra.Command {
	var f purgeFlags
	cmd := &cobra.Command{
		Use:   "purge [ENTRY...]",
		Short: "Permanently remove old contents and diffs from the history",
		Long: `purge removes what the history keeps of changes: the files that they replaced or
deleted, also in the trash, their diffs and their answers. Use it to remove a secret
from the store. The log keeps that the changes happened, with paths and hashes, and
that they were purged. The files of the tree are not touched.

Select the changes by ENTRY, as emend log lists them, or by flags, all of which must
match. Purged changes can no longer be undone or restored. On a terminal purge asks
first; in a script it needs --yes.

purge cannot reach copies outside of the store: snapshots, backups, disk blocks that
are not yet reused, and git.`,
		Example: `  emend purge --path config/secrets.yml
  emend purge --older-than 90d --yes
  emend purge 20261121-131712-fzhwrn7lum`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runPurge(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.path, "path", "", "only changes that touched `PATH`, or anything below it")
	fl.StringVar(&f.session, "session", "", "only changes that the session `S` made")
	fl.StringVar(&f.olderThan, "older-than", "", "only changes that were made longer than `AGE` ago: 90m, 12h, 30d, 2w")
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) runPurge(cmd *cobra.Command, entries []string, f purgeFlags) error {
	r := api.PurgeRequest{Entries: entries, Path: f.path, SessionID: f.session}
	var err error
	if r.Before, err = timeBefore(f.olderThan, time.Now()); err != nil {
		return usageErrorf("purge", "--older-than: %v", err)
	}
	if len(entries) == 0 && f.path == "" && f.session == "" && f.olderThan == "" {
		return usageErrorf("purge", "say what to purge: ENTRY, --path, --session or --older-than (everything: --older-than 0s)")
	}
	ask, err := a.confirmer("purge", f.yes)
	if err != nil {
		return err
	}
	ws, err := a.open()
	if err != nil {
		return err
	}
	defer ws.Close()
	if r.SessionID, err = sessionName(cmd.Context(), ws, r.SessionID); err != nil {
		return a.printError(err)
	}
	if ask != nil {
		purgeable, err := ws.Host().Purgeable(cmd.Context(), r)
		if err != nil {
			return a.printError(err)
		}
		if n := len(purgeable.Transactions); n == 0 || !ask(a.purgeTable(purgeable), fmt.Sprintf("Remove what is kept of %s (%s)? It can not be undone afterwards.", plural(n, "change"), formatBytes(purgeable.SizeBytes))) {
			return a.printAnswer("Nothing was removed.", &api.Purged{Transactions: []api.PurgedTx{}, Notes: purgeable.Notes})
		}
		r = api.PurgeRequest{} // purge only what the person was shown
		for _, t := range purgeable.Transactions {
			r.Entries = append(r.Entries, t.Tx)
		}
	}
	done, err := ws.Purge(cmd.Context(), r)
	if err != nil {
		return a.printError(err)
	}
	a.done = true
	return a.printAnswer(a.purgedText(done), done)
}

// purgeTable lists what the history keeps of changes.
func (a *app) purgeTable(p *api.Purged) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, t := range p.Transactions {
		trash := ""
		if n := len(t.Trash); n > 0 {
			trash = fmt.Sprintf("%d in the trash", n)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.Tx, formatAge(t.At, time.Now()), formatBytes(t.SizeBytes), report.OneLine(a.firstPaths(t.Paths)), trash)
	}
	w.Flush()
	for _, n := range p.Notes {
		b.WriteString("Note: " + report.OneLine(n) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// firstPaths lists the first three paths, and counts the rest.
func (a *app) firstPaths(paths []string) string {
	paths = slices.Clone(paths)
	for i := range paths {
		paths[i] = a.shown(paths[i])
	}
	const limit = 3
	if len(paths) <= limit {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:limit], ", "), len(paths)-limit)
}

func (a *app) purgedText(p *api.Purged) string {
	if len(p.Transactions) == 0 {
		return strings.TrimSpace("Nothing was removed: the history has nothing of it.\n" + a.purgeTable(p))
	}
	return fmt.Sprintf("Removed what was kept of %s (%s). Can no longer be undone:\n%s", plural(len(p.Transactions), "change"), formatBytes(p.SizeBytes), a.purgeTable(p))
}
