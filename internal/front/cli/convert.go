package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) convert() *cobra.Command {
	var from, to string
	var lenient bool
	cmd := &cobra.Command{
		Use:   "convert [FILE]",
		Short: "Write a patch in another dialect",
		Long: `convert reads a patch from FILE, or from standard input, and prints it in the
dialect that --to names. If that dialect cannot express a part of it, the patch is
refused, naming the section and the hunk. No file of the workspace is read.`,
		Example: `  emend convert --to codex change.patch
  emend convert --from supyagent --to emend < change.patch`,
		Args: atMostOneFile("convert"),
		RunE: func(_ *cobra.Command, args []string) error {
			for flag, name := range map[string]string{"from": from, "to": to} {
				if !slices.Contains(emend.Dialects(), name) && (flag == "to" || name != "auto") {
					return usageErrorf("convert", "--%s: %q is none of %s", flag, name, strings.Join(emend.Dialects(), ", "))
				}
			}
			text, err := a.readPatch(args, 0)
			if err != nil {
				return err
			}
			out, passed, err := emend.Convert(text, to, api.PatchOptions{Dialect: from, Lenient: lenient})
			for _, note := range passed {
				fmt.Fprintf(a.err, "emend: note: %s\n", report.Escape(note))
			}
			return a.printPatch(out, err)
		},
	}
	cmd.Flags().StringVar(&from, "from", "auto", "the dialect of the patch")
	cmd.Flags().StringVar(&to, "to", "emend", "the dialect to write: "+strings.Join(emend.Dialects(), ", "))
	cmd.Flags().BoolVar(&lenient, "lenient", false, "accept malformed patches")
	completeWords(cmd, "from", append([]string{"auto"}, emend.Dialects()...))
	completeWords(cmd, "to", emend.Dialects())
	return cmd
}

// printPatch prints patch text, or the refusal in err.
func (a *app) printPatch(text string, err error) error {
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return a.printRefusal(r)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(&report.Object{Ok: true, Output: text})
	}
	_, err = io.WriteString(a.out, text)
	return err
}
