package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/spf13/cobra"
)

func (a *app) restore() *cobra.Command {
	var r api.RestoreRequest
	one := changeVerb[api.RestoreRequest, api.RestoreData]{
		tool:  "restore_file",
		use:   "restore PATH|ID... [TARGET]",
		short: "Restore files from the trash",
		long: `restore brings back what was deleted, or replaced by a move: the newest file of the
trash that was at PATH, or the one with the ID that rm and mv print and emend log
lists. Files go back to their old paths, all of them or none. A single file goes to
TARGET, if given. Existing files are not replaced. restore also reads an archive that
emend trash export wrote (a file that ends in .tar.gz or .tgz); it restores the content
and the executable bits, and trusts nothing else in it.`,
		example:  "  emend restore main.go util.go\n  emend restore 20261121-123107-abcdefghij.0 old/copy.go\n  emend restore kept.tar.gz",
		suggest:  []string{"undelete", "unrm"},
		takes:    atLeast(1, "one PATH or ID"),
		complete: a.completeTrashIDs,
		args:     []*string{&r.TrashedPath, &r.TargetPath},
		key:      &r.IdempotencyKey,
		request:  &r, call: restoreIDOrArchive,
		text: func(did *api.Answer[api.RestoreData]) changeText { return changeText{path: did.Data.Path, tx: did.Tx} },
	}.command(a)
	return severalVerb{tool: "restore_file", one: one,
		alone: func(args []string) []string {
			if len(args) > 2 || !isArchive(args[0]) {
				return nil
			}
			return args
		},
		call: func(ctx context.Context, ws *emend.Workspace, args []string, key string) (*emend.Report, error) {
			return a.restoreSeveral(ctx, ws, args, key)
		},
		line: func(f emend.File, _ string) string {
			return "Restored " + report.OneLine(a.shown(f.Path)) + " from the trash."
		},
	}.command(a)
}

// restoreSeveral restores what the operands name in the trash. The second of two operands may be a target instead: then it prints the
// answer itself, and returns no report.
func (a *app) restoreSeveral(ctx context.Context, ws *emend.Workspace, args []string, key string) (*emend.Report, error) {
	ids := make([]string, len(args))
	for i, arg := range args {
		id, found, err := a.inTrash(ctx, ws, arg)
		if err != nil {
			return nil, err
		}
		if ids[i] = id; !found && i == 1 && len(args) == 2 || len(args) == 1 {
			r := api.RestoreRequest{TrashedPath: ids[0], TargetPath: argument(args, 1, ""), IdempotencyKey: key}
			answer, err := ws.Restore(ctx, r)
			if err != nil {
				return nil, err
			}
			return nil, a.printChange(answer.Result(), changeText{path: answer.Data.Path, tx: answer.Tx})
		}
	}
	return ws.Host().RestoreSeveral(ctx, api.RestoreSeveralRequest{TrashedPaths: ids, IdempotencyKey: key})
}

func isArchive(name string) bool {
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// restoreIDOrArchive restores the file that an id of the trash names, or the one in an archive.
func restoreIDOrArchive(ws *emend.Workspace, ctx context.Context, r api.RestoreRequest) (*api.Answer[api.RestoreData], error) {
	if !isArchive(r.TrashedPath) {
		return ws.Restore(ctx, r)
	}
	f, err := openArchive(r.TrashedPath)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ws.Host().RestoreArchive(ctx, f, r.TargetPath, r.IdempotencyKey)
}

// openArchive opens a regular file. It does not block on a FIFO.
func openArchive(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, archiveError(name, err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		return f, nil
	}
	f.Close()
	if err != nil {
		return nil, archiveError(name, err)
	}
	return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: name, Msg: "it is no regular file",
		Hint: "Name an archive that emend trash export wrote, or an id of the trash."}
}

// archiveError returns the refusal of an archive that cannot be opened.
func archiveError(name string, err error) error {
	e := &fail.Error{Kind: fail.CommandFailed, Path: name, Msg: "it cannot be opened: " + withoutPath(err), Hint: "See to the file and try again.", Cause: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Kind, e.Msg, e.Hint = fail.NotFound, "there is no such archive", "Check the path; a file of the trash is named by its id, as emend trash list prints it."
	case errors.Is(err, fs.ErrPermission):
		e.Kind = fail.PermissionDenied
	}
	return e
}

// withoutPath returns the message of err without the path, which the refusal names already.
func withoutPath(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return err.Error()
}
