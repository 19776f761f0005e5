package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

func (a *app) mv() *cobra.Command {
	var f changeFlags
	var r emend.MoveRequest
	cmd := &cobra.Command{
		Use:   "mv FROM TO",
		Short: "Move or rename a file",
		Long: `mv moves the file FROM to the path TO, if it still is the one whose sha256 --expect
names. TO is the new path itself, not a directory to move into. What is there
already is only replaced with --overwrite, and goes to the trash. For a person at
a terminal the hash is read, and shown; elsewhere 'emend read --json FROM' has it.`,
		Example: `  emend mv util.go internal/util/util.go --parents
  emend mv a.txt b.txt --overwrite --expect <sha256>`,
		SuggestFor: []string{"move", "rename", "ren"},
		Args:       exactly("FROM", "TO"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.needsHash(cmd, f, args[0]); err != nil {
				return err
			}
			r.FromPath, r.ToPath, r.IdempotencyKey = args[0], args[1], f.key
			return a.work(cmd, "move_file", f.allow, func(ctx context.Context, ws *emend.Workspace) error { return a.runMove(ctx, ws, f, r) })
		},
	}
	cmd.Flags().BoolVar(&r.Overwrite, "overwrite", false, "replace what is at TO; it goes to the trash")
	cmd.Flags().BoolVarP(&r.CreateParentDirectories, "parents", "p", false, "make missing directories")
	f.defineExpect(cmd, "refuse unless FROM still has this `SHA256`")
	f.define(cmd)
	return cmd
}

func (a *app) runMove(ctx context.Context, ws *emend.Workspace, f changeFlags, r emend.MoveRequest) error {
	var err error
	if r.ExpectedSha256, err = a.movedHash(ctx, ws, f, r.FromPath); err != nil {
		return err
	}
	did, err := ws.Move(ctx, r)
	if err != nil {
		return err
	}
	return a.changed(did.Result(), change{words: moved(&did.Data), notes: did.Notes, tx: did.Tx})
}

// movedHash is what mv expects: of a link, which is moved itself, the hash of what it says.
func (a *app) movedHash(ctx context.Context, ws *emend.Workspace, f changeFlags, path string) (string, error) {
	if says, err := os.Readlink(path); err == nil && f.expect == "" && a.root == "" {
		sum := sha256.Sum256([]byte(says))
		return hex.EncodeToString(sum[:]), nil
	}
	return a.hash(ctx, ws, f, path)
}

// moved is a move in one line, with the way back of what it replaced; "" when the answer to a repeated call was lost.
func moved(d *emend.MoveData) string {
	switch {
	case d.FromPath == "":
		return ""
	case d.OverwroteTrashedTo == "":
		return fmt.Sprintf("Moved %s to %s.", report.OneLine(d.FromPath), report.OneLine(d.ToPath))
	}
	return fmt.Sprintf("Moved %s to %s; what was there is in the trash as %s.", report.OneLine(d.FromPath), report.OneLine(d.ToPath), report.OneLine(d.OverwroteTrashedTo))
}
