package cli

import (
	"errors"
	"io"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

type explainFlags struct {
	patchFlags
	html   string
	force  bool
	allow  []string
	limits limitFlags
}

func (a *app) explain() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain [FILE]",
		Short: "Show each hunk of a patch beside the place where it would apply",
		Long: `explain reads a patch from FILE, or from standard input, and shows for each hunk where
it applies and how well it matches, all places if there are several, or the nearest
place if there is none. It marks the characters that differ and names invisible ones.
It goes on after a hunk that fails. It writes nothing, takes no lock and leaves no
entry in the log.

On a terminal of 100 or more columns the hunk is shown beside the file, else above it.
--html writes a single page that needs no other file and no network.`,
		Example: `  emend explain change.patch
  pbpaste | emend explain --lenient
  emend explain change.patch --html change.html
  emend explain change.patch --html - > change.html`,
		SuggestFor: []string{"why", "diagnose"},
		Args:       atMostOneFile("explain"),
		RunE:       func(cmd *cobra.Command, args []string) error { return a.runExplain(cmd, args, f) },
	}
	f.define(cmd)
	cmd.Flags().StringVar(&f.html, "html", "", "write a page to `FILE`, or to standard output for -")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace the FILE of --html if it exists")
	f.limits.define(cmd.Flags())
	allowFlag(cmd.Flags(), &f.allow)
	return cmd
}

func (a *app) runExplain(cmd *cobra.Command, args []string, f explainFlags) error {
	o, err := f.options("explain")
	if err != nil {
		return err
	}
	limits, err := f.limits.limits("explain")
	if err != nil {
		return err
	}
	if f.html == "-" && a.json {
		return usageErrorf("explain", "--html - and --json both want standard output: name a file")
	}
	text, err := a.readPatch(args, limits.PatchBytes)
	if err != nil {
		return err
	}
	ws, err := a.open(emend.NoRecovery(), emend.AllowProtected(f.allow...), emend.WithLimits(limits))
	if err != nil {
		return err
	}
	defer ws.Close()
	e, err := ws.Explain(cmd.Context(), text, o)
	if err != nil {
		return a.printError(err)
	}
	if err := a.printExplanation(e, f); err != nil {
		return err
	}
	if err := e.Err(); err != nil {
		return errors.Join(errPrinted, err)
	}
	return nil
}

// printExplanation prints an explanation, or writes it as a page.
func (a *app) printExplanation(e *emend.Explanation, f explainFlags) error {
	switch f.html {
	case "":
	case "-":
		return e.WriteHTML(a.out)
	default:
		if err := replaceFile(f.html, f.force, func(w io.Writer) error { return e.WriteHTML(w) }); err != nil {
			return a.printError(err)
		}
		if !a.json {
			return a.printResult(&report.Object{Output: e.Summary + "\nWrote " + report.OneLine(f.html) + "."})
		}
	}
	if a.json {
		return a.printJSON(e.Result())
	}
	if a.quiet {
		return nil
	}
	columns, color := a.terminalWidth(), a.useColor()                 // of the terminal: in the pager, out is a pipe
	return a.withPager(func() { e.WriteText(a.out, columns, color) }) //nolint:errcheck // a.out keeps the error
}
