package cli

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) create() *cobra.Command {
	var r api.CreateRequest
	return changeVerb[api.CreateRequest, api.CreateData]{
		tool:  "create_file",
		use:   "create PATH",
		short: "Make a new file from standard input",
		long: `create makes the new file PATH from standard input. It is refused if PATH exists.
The file is there whole or not at all, and emend undo removes it.`,
		example: `  echo 'package main' | emend create --parents cmd/tool/main.go
  emend create --executable run.sh < run.sh.in`,
		suggest: []string{"add", "new", "touch"},
		takes:   exactly("one PATH"),
		args:    []*string{&r.Path},
		key:     &r.IdempotencyKey,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVarP(&r.CreateParentDirectories, "parents", "p", false, argumentHelp("create_file", "createParentDirectories"))
			cmd.Flags().BoolVarP(&r.Executable, "executable", "x", false, argumentHelp("create_file", "executable"))
		},
		check: func(cmd *cobra.Command) error {
			return a.readContent(cmd, "the content of "+report.OneLine(r.Path), &r.Content)
		},
		request: &r, call: (*emend.Workspace).Create,
		text: func(did *api.Answer[api.CreateData]) changeText {
			return changeText{path: did.Data.Path, diff: did.Data.Diff, tx: did.Tx}
		},
	}.command(a)
}
