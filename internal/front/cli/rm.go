package cli

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) rm() *cobra.Command {
	var r api.DeleteRequest
	one := changeVerb[api.DeleteRequest, api.DeleteData]{
		tool:  "delete_file",
		use:   "rm PATH...",
		short: "Delete files, into the trash",
		long: `rm deletes each PATH, all of them or none. The files are kept in the trash, which is
never emptied automatically; emend restore brings them back with content, mode and
times. For a symbolic link, rm deletes the link and not its target. -r also deletes
directories with everything in them; emend undo restores them whole. --permanent keeps
nothing.`,
		example:    "  emend rm old.go older.go\n  emend rm -r build\n  emend rm --expect <sha256> old.go\n  emend rm --permanent secret.txt",
		suggest:    []string{"delete", "remove", "del", "unlink"},
		takes:      atLeast(1, "one PATH"),
		args:       []*string{&r.Path},
		expect:     &r.ExpectedSha256,
		expectHelp: "refuse unless the one file still has this `SHA256`",
		key:        &r.IdempotencyKey,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVarP(&r.Recursive, "recursive", "r", false, "also delete directories, with everything in them")
			cmd.Flags().BoolVar(&r.Permanent, "permanent", false, "keep nothing: the files cannot be restored")
		},
		request: &r, call: (*emend.Workspace).Delete,
		text: func(did *api.Answer[api.DeleteData]) changeText {
			if did.Data.Tree != nil {
				return changeText{path: did.Data.Path, tx: did.Tx, back: !r.Permanent}
			}
			return changeText{words: a.describeDeletion(did.Data.Path, did.Data.TrashedTo), notes: did.Notes}
		},
	}.command(a)
	return severalVerb{tool: "delete_file", one: one,
		alone: func(args []string) []string {
			if len(args) > 1 {
				return nil
			}
			return args
		},
		call: func(ctx context.Context, ws *emend.Workspace, args []string, key string) (*emend.Report, error) {
			return ws.Host().DeleteSeveral(ctx, api.DeleteSeveralRequest{Paths: args, Permanent: r.Permanent, Recursive: r.Recursive, IdempotencyKey: key})
		},
		line: func(f emend.File, trashed string) string { return a.describeDeletion(f.Path, trashed) },
	}.command(a)
}

// describeDeletion describes a deletion in one line, with the command that undoes it. It returns "" for the empty data
// of a repeated call, whose first answer was lost.
func (a *app) describeDeletion(path, trashed string) string {
	name, id := report.OneLine(a.shown(path)), report.OneLine(trashed)
	switch {
	case path == "":
		return ""
	case trashed == "":
		return fmt.Sprintf("Deleted %s permanently; it is not in the trash.", name)
	}
	return fmt.Sprintf("Deleted %s; it is in the trash as %s. To restore: emend restore %s", name, id, id)
}
