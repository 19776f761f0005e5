package emend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// TrashExport writes a file of the trash to w as an archive that [Workspace.RestoreArchive] reads: a tar.gz with
// metadata.json and the file at its path. Its owner, attributes and access list are not in it, nor are the setuid,
// setgid and sticky bits. A path that is protected from reading now is not exported.
func (w *Workspace) TrashExport(ctx context.Context, id string, to io.Writer) error {
	if err := w.enter(); err != nil {
		return cannot(err)
	}
	defer w.calls.Done()
	t, p, err := w.trashed(ctx, id)
	if err == nil {
		err = w.guard.Readable(t.Path)
	}
	if err == nil {
		err = t.export(ctx, p.store.History().Slots(), to)
	}
	return cannot(err)
}

func (t *Trashed) export(ctx context.Context, slots vfs.Dir, to io.Writer) error {
	m := history.ArchiveMeta{ID: t.ID, Path: t.Path, DeletedAt: t.DeletedAt, SessionID: t.SessionID, AgentName: t.AgentName,
		ToolName: t.ToolName, Sha256: t.Sha256, SizeBytes: t.SizeBytes, Mode: t.Mode, MTime: t.MTime, Link: t.Link}
	if t.Link != "" {
		return written(history.WriteArchive(to, m, t.is.Mode, nil))
	}
	f, err := slots.Open(t.name)
	if err != nil {
		return storeError(err)
	}
	defer f.Close()
	// What a program wrote into the file after it was deleted is in it: the archive has to agree with itself.
	h := sha256.New()
	if m.SizeBytes, err = io.Copy(h, heeding{ctx, io.NewSectionReader(f, 0, 1<<62)}); err != nil {
		return storeError(err)
	}
	m.Sha256 = hex.EncodeToString(h.Sum(nil))
	return written(history.WriteArchive(to, m, t.is.Mode, heeding{ctx, f}))
}

// heeding is a reader that ends when the call is cancelled.
type heeding struct {
	ctx context.Context
	io.Reader
}

func (h heeding) Read(p []byte) (int, error) {
	if h.ctx.Err() != nil {
		return 0, cancelled(h.ctx)
	}
	return h.Reader.Read(p)
}

func written(err error) error {
	if _, ok := errors.AsType[*fail.Error](err); ok || err == nil {
		return err
	}
	return &fail.Error{Kind: fail.CommandFailed, Cause: err, Msg: "the archive cannot be written: " + err.Error(),
		Hint: "See to the cause, which the operating system reported, and try again; the trash is as it was."}
}
