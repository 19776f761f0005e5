package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := emend.Version()
			if a.json {
				return a.printJSON(v)
			}
			_, err := fmt.Fprintf(a.out, "emend %s (%s)\n", v.Version, v.Go)
			return err
		}}
}
