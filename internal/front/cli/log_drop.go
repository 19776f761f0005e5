package cli

import (
	"fmt"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
)

type logDropFlags struct {
	olderThan, maxSize string
	yes                bool
}

func (a *app) logDrop() *cobra.Command {
	var f logDropFlags
	cmd := &cobra.Command{
		Use:   "drop",
		Short: "Remove the oldest part of the log, on record",
		Long: `drop removes the oldest files of the log whose records are all older than --older-than,
or that are beyond --max-size. Without either it does what [log] in the policy file
says, as emend does by itself once a day. The log then has a record that says which
records are gone, up to which hash, by which rule and when; emend verify shows it.

A file stays if the history still has something of a change in it (emend purge and
emend trash clear remove that), and so do all newer ones. The newest always stays.
What was dropped can neither be shown nor undone, and its idempotency keys are
forgotten. On a terminal it asks first; in a script it needs --yes.`,
		Example: "  emend log drop --older-than 90d\n  emend log drop --max-size 1GiB --yes",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runLogDrop(cmd, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.olderThan, "older-than", "", "only what is older than `AGE`: 90m, 12h, 30d, 2w")
	fl.StringVar(&f.maxSize, "max-size", "", "only what is beyond `SIZE`: 500MiB, 2GiB")
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) runLogDrop(cmd *cobra.Command, f logDropFlags) error {
	var r api.DropLogRequest
	var err error
	if f.olderThan != "" {
		if r.Age, err = tool.ParseAge(f.olderThan); err == nil && r.Age <= 0 {
			err = fmt.Errorf("%q is not above 0", f.olderThan)
		}
		if err != nil {
			return usageErrorf("log drop", "--older-than: %v", err)
		}
	}
	if r.Bytes, err = parseSize(f.maxSize); err != nil {
		return usageErrorf("log drop", "--max-size: %q is not a size: write 500MiB or 2GiB", f.maxSize)
	}
	ask, err := a.confirmer("log drop", f.yes)
	if err != nil {
		return err
	}
	ws, err := a.open()
	if err != nil {
		return err
	}
	defer ws.Close()
	if ask != nil {
		d, err := ws.Host().DroppableLog(cmd.Context(), r)
		if err != nil {
			return a.printError(err)
		}
		if d.Segments == 0 || !ask(droppedLogText(d), "Remove this from the log permanently?") {
			return a.printAnswer("Nothing was removed."+heldText(d), &api.DroppedLog{HeldBy: d.HeldBy})
		}
	}
	d, err := ws.Host().DropLog(cmd.Context(), r)
	if err != nil {
		return a.printError(err)
	}
	a.done = true
	if d.Segments == 0 {
		return a.printAnswer("Nothing was removed."+heldText(d), d)
	}
	return a.printAnswer("Removed from the log: "+droppedLogText(d), d)
}

func droppedLogText(d *api.DroppedLog) string {
	return fmt.Sprintf("records %d to %d, until %s: %s (%s), %s.%s", d.First, d.Last.Seq, d.Until.Format(time.DateOnly), plural(d.Segments, "file"), formatBytes(d.SizeBytes), d.Rule, heldText(d))
}

// heldText says why less is dropped than was asked for.
func heldText(d *api.DroppedLog) string {
	if d.HeldBy == "" {
		return ""
	}
	return fmt.Sprintf("\nNewer records stay: the history still has files of %s.", d.HeldBy)
}
