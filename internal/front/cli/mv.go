package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) mv() *cobra.Command {
	var r api.MoveRequest
	return changeVerb[api.MoveRequest, api.MoveData]{
		tool:  "move_file",
		use:   "mv FROM TO",
		short: "Move or rename a file",
		long: `mv moves the file FROM to the path TO, if it still is the one whose sha256 --expect
names. TO is the new path itself, not a directory to move into. What is there
already is only replaced with --overwrite, and goes to the trash. For a person at
a terminal the hash is read, and shown; elsewhere 'emend read --json FROM' has it.`,
		example: `  emend mv util.go internal/util/util.go --parents
  emend mv a.txt b.txt --overwrite --expect <sha256>`,
		suggest:    []string{"move", "rename", "ren"},
		takes:      exactly("FROM", "TO"),
		args:       []*string{&r.FromPath, &r.ToPath},
		expect:     &r.ExpectedSha256,
		expectHelp: "refuse unless FROM still has this `SHA256`",
		key:        &r.IdempotencyKey,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&r.Overwrite, "overwrite", false, "replace what is at TO; it goes to the trash")
			cmd.Flags().BoolVarP(&r.CreateParentDirectories, "parents", "p", false, argumentHelp("move_file", "createParentDirectories"))
		},
		currentHash: a.currentLinkHash,
		request:     &r, call: (*emend.Workspace).Move,
		text: func(did *api.Answer[api.MoveData]) changeText {
			return changeText{words: describeMove(&did.Data), notes: did.Notes, tx: did.Tx}
		},
	}.command(a)
}

// currentLinkHash is currentHash for a verb that moves a link itself. The hash of a link is that of the name it holds.
func (a *app) currentLinkHash(ctx context.Context, ws *emend.Workspace, path string) (string, error) {
	if target, err := os.Readlink(path); err == nil && a.root == "" {
		sum := sha256.Sum256([]byte(target))
		return hex.EncodeToString(sum[:]), nil
	}
	return a.currentHash(ctx, ws, path)
}

// describeMove describes a move in one line, with the trash id of what it replaced. It returns "" for the empty data of
// a repeated call, whose first answer was lost.
func describeMove(d *api.MoveData) string {
	switch {
	case d.FromPath == "":
		return ""
	case d.OverwroteTrashedTo == "":
		return fmt.Sprintf("Moved %s to %s.", report.OneLine(d.FromPath), report.OneLine(d.ToPath))
	}
	return fmt.Sprintf("Moved %s to %s; what was there is in the trash as %s.", report.OneLine(d.FromPath), report.OneLine(d.ToPath), report.OneLine(d.OverwroteTrashedTo))
}
