package cli

import (
	"fmt"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) write() *cobra.Command {
	var r api.WriteRequest
	var empty bool
	return changeVerb[api.WriteRequest, api.WriteData]{
		tool:  "write_file",
		use:   "write PATH",
		short: "Replace the whole text of a file by standard input",
		long: `write replaces the text of PATH, which must exist, by standard input, and prints what it
replaced and how to undo that. The file keeps its mode, its line ends and its byte order
mark.

With --expect it is refused unless the file still has that sha256, so that no edit is
overwritten unseen. 'emend read --json PATH' prints it, and so does sha256sum. Without
--expect it is refused only if somebody saves the file while standard input is read.

Empty input is refused, since it mostly means that a command before the pipe failed.
--allow-empty empties the file.`,
		example:     "  echo 1.4.0 | emend write VERSION\n  gofmt main.go | emend write main.go --expect \"$(sha256sum main.go | cut -c1-64)\"",
		takes:       exactly("one PATH"),
		args:        []*string{&r.Path},
		expect:      &r.ExpectedSha256,
		expectHelp:  "refuse unless the file still has this `SHA256`",
		key:         &r.IdempotencyKey,
		currentHash: a.currentHash,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&empty, "allow-empty", false, "empty the file if standard input is empty")
		},
		input: func(cmd *cobra.Command) error {
			err := a.readContent(cmd, "the new text of "+report.OneLine(r.Path), &r.Content)
			if err == nil && r.Content == "" && !empty {
				err = usageErrorf("write", "standard input is empty, and would leave nothing of %s; if that is meant, say --allow-empty", fail.Quote(r.Path))
			}
			return err
		},
		request: &r, call: (*emend.Workspace).Write,
		text: func(did *api.Answer[api.WriteData]) changeText {
			return changeText{words: describeWrite(a, &did.Data), notes: did.Notes, diff: did.Data.Diff, tx: did.Tx, back: true}
		},
	}.command(a)
}

// describeWrite says what was written and what that replaced. It returns "" for the empty data of a repeated call, whose first answer
// was lost.
func describeWrite(a *app, d *api.WriteData) string {
	if d.Path == "" {
		return ""
	}
	text := fmt.Sprintf("Wrote %s (%s, sha256 %s).", report.OneLine(a.shown(d.Path)), formatBytes(d.SizeBytes), d.AfterSha256)
	if d.BeforeSha256 == d.AfterSha256 {
		return text + " It had that text already."
	}
	return text + fmt.Sprintf("\nIt replaced the text with the sha256 %s.", d.BeforeSha256)
}
