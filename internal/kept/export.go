package kept

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/workspace"
)

// TrashExport writes a file of the trash to w as an archive. It refuses a path that may not be read now.
func TrashExport(ctx context.Context, w *workspace.Workspace, id string, to io.Writer) error {
	t, contents, err := readableTrash(ctx, w, id)
	if err != nil {
		return err
	}
	m := history.ArchiveMeta{ID: t.ID, Path: t.Path, DeletedAt: t.DeletedAt, SessionID: t.SessionID, AgentName: t.AgentName,
		ToolName: t.ToolName, Sha256: t.Sha256, SizeBytes: t.SizeBytes, Mode: t.Mode, MTime: t.MTime, Link: t.Link}
	if t.Link != "" {
		return archiveError(history.WriteArchive(to, m, t.Info.Mode, nil))
	}
	f, _, err := contents.history.Open(t.ID)
	if err != nil {
		return workspace.StoreError(err)
	}
	defer f.Close()
	// The content includes what a program wrote into the file after it was deleted: the metadata has to fit it.
	h := sha256.New()
	if m.SizeBytes, err = io.Copy(h, Cancellable{ctx, io.NewSectionReader(f, 0, 1<<62)}); err != nil {
		return workspace.StoreError(err)
	}
	m.Sha256 = hex.EncodeToString(h.Sum(nil))
	return archiveError(history.WriteArchive(to, m, t.Info.Mode, Cancellable{ctx, f}))
}

func archiveError(err error) error {
	if _, ok := errors.AsType[*fail.Error](err); ok || err == nil {
		return err
	}
	return &fail.Error{Kind: fail.CommandFailed, Cause: err, Msg: "the archive cannot be written: " + err.Error(),
		Hint: "See to the cause, which the operating system reported, and try again; the trash is as it was."}
}
