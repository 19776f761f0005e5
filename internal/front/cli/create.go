package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

func (a *app) create() *cobra.Command {
	var f changeFlags
	var r emend.CreateRequest
	cmd := &cobra.Command{
		Use:   "create PATH",
		Short: "Make a new file from standard input",
		Long: `create makes PATH, which must not be there yet, with the content that standard
input has. It is whole or not there at all, on record, and can be taken back
(emend undo).`,
		Example: `  echo 'package main' | emend create --parents cmd/tool/main.go
  emend create --executable run.sh < run.sh.in`,
		SuggestFor: []string{"add", "new", "touch"},
		Args:       exactly("one PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if r.Content, err = a.content(cmd, "the content of "+report.OneLine(args[0])); err != nil {
				return err
			}
			r.Path, r.IdempotencyKey = args[0], f.key
			return a.work(cmd, "create_file", f.allow, func(ctx context.Context, ws *emend.Workspace) error {
				did, err := ws.Create(ctx, r)
				if err != nil {
					return err
				}
				return a.changed(did.Result(), change{diff: did.Data.Diff, tx: did.Tx})
			})
		},
	}
	cmd.Flags().BoolVarP(&r.CreateParentDirectories, "parents", "p", false, "make missing directories")
	cmd.Flags().BoolVarP(&r.Executable, "executable", "x", false, "set the executable bits")
	f.define(cmd)
	return cmd
}
