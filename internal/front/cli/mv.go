package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) mv() *cobra.Command {
	var r api.MoveRequest
	one := changeVerb[api.MoveRequest, api.MoveData]{
		tool:  "move_file",
		use:   "mv FROM... TO",
		short: "Move or rename files",
		long: `mv moves FROM, a file or a directory with everything in it, to the path TO, or each
FROM into TO if that is a directory or ends in a slash: all of them or none. A file at
the target is only replaced with --overwrite, and goes to the trash. With --expect a
single FROM is only moved if it still has that sha256, which 'emend read --json FROM'
prints.`,
		example: `  emend mv util.go internal/util/util.go --parents
  emend mv a.go b.go lib internal/
  emend mv a.txt b.txt --overwrite --expect <sha256>`,
		suggest:    []string{"move", "rename", "ren"},
		takes:      atLeast(2, "FROM", "TO"),
		args:       []*string{&r.FromPath, &r.ToPath},
		expect:     &r.ExpectedSha256,
		expectHelp: "refuse unless FROM still has this `SHA256`",
		key:        &r.IdempotencyKey,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&r.Overwrite, "overwrite", false, "replace what is at TO; it goes to the trash")
			cmd.Flags().BoolVarP(&r.CreateParentDirectories, "parents", "p", false, argumentHelp("move_file", "createParentDirectories"))
		},
		check: func(*cobra.Command) error {
			r.Recursive = true
			return nil
		},
		currentHash: func(ctx context.Context, ws *emend.Workspace, name string) (string, error) {
			if is, err := os.Lstat(a.diskPath(name)); err == nil && is.IsDir() {
				r.Plain = true // a directory has no hash
				return "", nil
			}
			return a.currentLinkHash(ctx, ws, name)
		},
		request: &r, call: (*emend.Workspace).Move,
		text: func(did *api.Answer[api.MoveData]) changeText {
			return changeText{words: a.describeMove(did.Data.FromPath, did.Data.ToPath, did.Data.OverwroteTrashedTo, did.Data.Tree), notes: did.Notes, tx: did.Tx}
		},
	}.command(a)
	return severalVerb{tool: "move_file", one: one,
		alone: func(args []string) []string {
			switch {
			case len(args) > 2:
				return nil
			case a.isDir(args[1]):
				return []string{args[0], intoDir(args[1], args[0])}
			}
			return args
		},
		call: func(ctx context.Context, ws *emend.Workspace, args []string, key string) (*emend.Report, error) {
			from, to := args[:len(args)-1], args[len(args)-1]
			if !a.isDir(to) {
				return nil, usageErrorf("mv", "%s is no directory, and several files cannot become one", fail.Quote(to))
			}
			m := api.MoveSeveralRequest{IdempotencyKey: key}
			for _, f := range from {
				m.Moves = append(m.Moves, api.MoveRequest{FromPath: f, ToPath: intoDir(to, f),
					Overwrite: r.Overwrite, Recursive: true, CreateParentDirectories: r.CreateParentDirectories})
			}
			return ws.Host().MoveSeveral(ctx, m)
		},
		line: func(f emend.File, trashed string) string { return a.describeMove(f.Path, f.To, trashed, nil) },
	}.command(a)
}

// intoDir returns the path of a file that is moved into a directory.
func intoDir(dir, file string) string {
	return path.Join(filepath.ToSlash(dir), path.Base(filepath.ToSlash(file)))
}

// currentLinkHash is currentHash for a verb that moves a link itself. The hash of a link is that of the name it holds.
func (a *app) currentLinkHash(ctx context.Context, ws *emend.Workspace, name string) (string, error) {
	if target, err := os.Readlink(a.diskPath(name)); err == nil {
		sum := sha256.Sum256([]byte(target))
		return hex.EncodeToString(sum[:]), nil
	}
	return a.currentHash(ctx, ws, name)
}

// describeMove describes a move in one line, with the trash id of what it replaced. It returns "" for the empty data of
// a repeated call, whose first answer was lost.
func (a *app) describeMove(from, to, replaced string, tree *api.TreeData) string {
	if from == "" {
		return ""
	}
	text := fmt.Sprintf("Moved %s to %s", report.OneLine(a.shown(from)), report.OneLine(a.shown(to)))
	switch {
	case tree != nil:
		return fmt.Sprintf("%s, with all that is in it (%s in %s).", text, plural(tree.Files, "file"), strings.Replace(plural(tree.Directories, "directory"), "ys", "ies", 1))
	case replaced == "":
		return text + "."
	}
	return text + "; what was there is in the trash as " + report.OneLine(replaced) + "."
}
