package cli

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) rm() *cobra.Command {
	var r api.DeleteRequest
	return changeVerb[api.DeleteRequest, api.DeleteData]{
		tool:  "delete_file",
		use:   "rm PATH",
		short: "Delete a file, into the trash",
		long: `rm deletes PATH. What it was is kept in the trash, which is never emptied by itself,
and comes back with emend restore as it was: content, mode, times. A link is
deleted itself, not what it leads to. With --permanent nothing is kept.

It takes one PATH. To delete several files entirely or not at all, write a patch:

  *** Begin Patch
  *** Delete File: a.txt
  *** Delete File: b.txt
  *** End Patch`,
		example:    "  emend rm old.go\n  emend rm --expect <sha256> old.go\n  emend rm --permanent secret.txt",
		suggest:    []string{"delete", "remove", "del", "unlink"},
		takes:      onePath,
		args:       []*string{&r.Path},
		expect:     &r.ExpectedSha256,
		expectHelp: "refuse unless the file still has this `SHA256`",
		key:        &r.IdempotencyKey,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&r.Permanent, "permanent", false, "keep nothing: it cannot come back")
		},
		request: &r, call: (*emend.Workspace).Delete,
		text: func(did *api.Answer[api.DeleteData]) changeText {
			return changeText{words: describeDeletion(&did.Data), notes: did.Notes}
		},
	}.command(a)
}

// describeDeletion describes a deletion in one line, with the command that undoes it. It returns "" for the empty data
// of a repeated call, whose first answer was lost.
func describeDeletion(d *api.DeleteData) string {
	if d.Path == "" {
		return ""
	}
	if d.TrashedTo == "" {
		return fmt.Sprintf("Deleted %s for good; it is not in the trash.", report.OneLine(d.Path))
	}
	return fmt.Sprintf("Deleted %s; it is in the trash as %s. Take it back with: emend restore %s", report.OneLine(d.Path), report.OneLine(d.TrashedTo), report.OneLine(d.TrashedTo))
}

// onePath takes one path. rm would not delete several as a whole, so it refuses them, and shows the patch that does.
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
	return usageErrorf("rm", "rm takes one PATH, got %d; this deletes all of them, or none:\n\n"+
		"emend apply <<'EOF'\n*** Begin Patch\n%s*** End Patch\nEOF\n", len(args), b.String())
}
