package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/hub/wire"
)

func (a *app) man() *cobra.Command {
	return &cobra.Command{
		Use:    "man [DIR]",
		Short:  "Write the man pages",
		Long:   "man writes emend-hub.1, and a page for every command, into DIR. Without DIR it prints emend-hub.1.",
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true
			root.InitDefaultCompletionCmd()
			h := &doc.GenManHeader{Title: "EMEND-HUB", Section: "1", Source: "emend " + emend.Version().Version, Manual: "emend", Date: &time.Time{}}
			if len(args) == 0 {
				return doc.GenMan(root, h, a.out)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return doc.GenManTree(root, h, args[0])
		},
	}
}

func (a *app) schema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON schemas of what a hub sends and exports",
		Long: `schema lists the names of the published schemas, or prints one. A schema has a version in
its $id; a field is only ever added within a version.`,
		Args: cobra.MaximumNArgs(1), ValidArgs: wire.SchemaNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, n := range wire.SchemaNames() {
					if _, err := a.out.Write([]byte(n + "\n")); err != nil {
						return err
					}
				}
				return nil
			}
			text, err := wire.Schema(args[0])
			if err != nil {
				return usage("%w", err)
			}
			_, err = a.out.Write(text)
			return err
		},
	}
}
