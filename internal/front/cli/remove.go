package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

func (a *app) rm() *cobra.Command {
	var f changeFlags
	var permanent bool
	cmd := &cobra.Command{
		Use:   "rm PATH",
		Short: "Delete a file, into the trash",
		Long: `rm deletes PATH. What it was is kept in the trash, which is never emptied by itself,
and comes back with emend restore as it was: content, mode, times. A link is
deleted itself, not what it leads to. With --permanent nothing is kept.

It takes one PATH. To delete several files entirely or not at all, write a patch:

  *** Begin Patch
  *** Delete File: a.txt
  *** Delete File: b.txt
  *** End Patch`,
		Example:    "  emend rm old.go\n  emend rm --expect <sha256> old.go\n  emend rm --permanent secret.txt",
		SuggestFor: []string{"delete", "remove", "del", "unlink"},
		Args:       onePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			r := emend.DeleteRequest{Path: args[0], ExpectedSha256: f.expect, Permanent: permanent, IdempotencyKey: f.key}
			return a.work(cmd, "delete_file", f.allow, func(ctx context.Context, ws *emend.Workspace) error {
				did, err := ws.Delete(ctx, r)
				if err != nil {
					return err
				}
				return a.changed(did.Result(), change{words: deleted(&did.Data), notes: did.Notes})
			})
		},
	}
	cmd.Flags().BoolVar(&permanent, "permanent", false, "keep nothing: it cannot come back")
	f.defineExpect(cmd, "refuse unless the file still has this `SHA256`")
	f.define(cmd)
	return cmd
}

// deleted is a deletion in one line, with the way back; "" when the answer to a repeated call was lost.
func deleted(d *emend.DeleteData) string {
	if d.Path == "" {
		return ""
	}
	if d.TrashedTo == "" {
		return fmt.Sprintf("Deleted %s for good; it is not in the trash.", report.OneLine(d.Path))
	}
	return fmt.Sprintf("Deleted %s; it is in the trash as %s. Take it back with: emend restore %s", report.OneLine(d.Path), report.OneLine(d.TrashedTo), report.OneLine(d.TrashedTo))
}

// onePath refuses several paths and shows the patch that deletes them all: one by one they would not be deleted
// entirely or not at all.
func onePath(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return exactly("one PATH")(cmd, args)
	}
	var b strings.Builder
	for _, p := range args {
		if strings.ContainsRune(p, '\n') || report.Escape(p) != p {
			return exactly("one PATH")(cmd, args)
		}
		b.WriteString("*** Delete File: " + p + "\n")
	}
	return badUse("rm", "rm takes one PATH, got %d; this deletes all of them, or none:\n\n"+
		"emend apply <<'EOF'\n*** Begin Patch\n%s*** End Patch\nEOF\n", len(args), b.String())
}
