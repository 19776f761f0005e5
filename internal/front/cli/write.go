package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

func (a *app) write() *cobra.Command {
	var f changeFlags
	cmd := &cobra.Command{
		Use:   "write PATH --expect SHA256",
		Short: "Replace the whole text of a file by standard input",
		Long: `write replaces the text of PATH, which must be there, by what standard input has,
if the file still is the one whose sha256 --expect names: nobody's edit is
overwritten unseen. The file keeps its mode, its line ends and its byte order mark.
For a person at a terminal the hash is read, and shown, before the text is asked
for; elsewhere 'emend read --json PATH' has it, and so has sha256sum.`,
		Example:               "  gofmt main.go | emend write main.go --expect \"$(sha256sum main.go | cut -c1-64)\"",
		DisableFlagsInUseLine: true,
		Args:                  exactly("one PATH"),
		RunE:                  func(cmd *cobra.Command, args []string) error { return a.runWrite(cmd, args[0], f) },
	}
	f.defineExpect(cmd, "refuse unless the file still has this `SHA256`")
	f.define(cmd)
	return cmd
}

func (a *app) runWrite(cmd *cobra.Command, path string, f changeFlags) error {
	if err := a.needsHash(cmd, f, path); err != nil {
		return err
	}
	return a.work(cmd, "write_file", f.allow, func(ctx context.Context, ws *emend.Workspace) error {
		sum, err := a.hash(ctx, ws, f, path)
		if err != nil {
			return err
		}
		text, err := a.content(cmd, "the new text of "+report.OneLine(path))
		if err != nil {
			return err
		}
		did, err := ws.Write(ctx, emend.WriteRequest{Path: path, Content: text, ExpectedSha256: sum, IdempotencyKey: f.key})
		if err != nil {
			return err
		}
		return a.changed(did.Result(), change{diff: did.Data.Diff, tx: did.Tx})
	})
}
