package cli

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) write() *cobra.Command {
	var r api.WriteRequest
	return changeVerb[api.WriteRequest, api.WriteData]{
		tool:  "write_file",
		use:   "write PATH --expect SHA256",
		short: "Replace the whole text of a file by standard input",
		long: `write replaces the text of PATH, which must be there, by what standard input has,
if the file still is the one whose sha256 --expect names: nobody's edit is
overwritten unseen. The file keeps its mode, its line ends and its byte order mark.
For a person at a terminal the hash is read, and shown, before the text is asked
for; elsewhere 'emend read --json PATH' has it, and so has sha256sum.`,
		example:     "  gofmt main.go | emend write main.go --expect \"$(sha256sum main.go | cut -c1-64)\"",
		takes:       exactly("one PATH"),
		args:        []*string{&r.Path},
		expect:      &r.ExpectedSha256,
		expectHelp:  "refuse unless the file still has this `SHA256`",
		key:         &r.IdempotencyKey,
		currentHash: a.currentHash,
		input: func(cmd *cobra.Command) error {
			return a.readContent(cmd, "the new text of "+report.OneLine(r.Path), &r.Content)
		},
		request: &r, call: (*emend.Workspace).Write,
		text: func(did *api.Answer[api.WriteData]) changeText {
			return changeText{diff: did.Data.Diff, tx: did.Tx}
		},
	}.command(a)
}
