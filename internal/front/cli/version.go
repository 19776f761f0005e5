package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := emend.Version()
			if a.json {
				return a.printJSON(v)
			}
			_, err := fmt.Fprint(a.out, versionText(v))
			return err
		}}
}

func versionText(v api.Build) string {
	from := v.Go
	if v.Commit != "" {
		from = "commit " + v.Commit[:min(12, len(v.Commit))] + ", " + v.Go
	}
	return fmt.Sprintf("emend %s (%s)\n", v.Version, from)
}
