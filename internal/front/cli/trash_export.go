package cli

import (
	"io"

	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) trashExport() *cobra.Command {
	var output string
	var force bool
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a file of the trash to an archive of its own",
		Long: `export writes a tar.gz with a file metadata.json, which says where the file was and
who deleted it, and the file itself at its path. emend restore reads it back. It
goes to the file that --output names, which only its owner can read, or to
standard output when that is no terminal.`,
		Example:           "  emend trash export 20261121-131712-fzhwrn7lum.0 --output a.tar.gz\n  emend restore a.tar.gz",
		Args:              oneArgument("trash export", "one ID, as emend trash list prints it"),
		ValidArgsFunction: a.completeTrashIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" && a.ttyOut {
				return usageErrorf("trash export", "an archive is not for a terminal: name a file with --output, or send it into a pipe")
			}
			ws, err := a.open()
			if err != nil {
				return err
			}
			defer ws.Close()
			write := func(w io.Writer) error { return ws.Host().TrashExport(cmd.Context(), args[0], w) }
			if output == "" {
				return a.printError(write(a.out))
			}
			if err := replaceFile(output, force, write); err != nil {
				return a.printError(err)
			}
			a.done = true
			return a.printAnswer("Wrote "+report.OneLine(output)+".", map[string]string{"id": args[0], "output": output})
		},
	}
	cmd.Flags().StringVar(&output, "output", "", "write to `FILE`")
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it exists")
	return cmd
}
