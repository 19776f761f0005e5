package emend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/patch"
)

// TrashExport writes a file of the trash to w as an archive that [Workspace.RestoreArchive] reads: a tar.gz with
// metadata.json and the file at its path. Its owner, attributes and access list are not in it, nor are the setuid,
// setgid and sticky bits. A path that is protected from reading now is not exported.
func (w *Workspace) TrashExport(ctx context.Context, id string, to io.Writer) error {
	if err := w.enter(); err != nil {
		return cannot(err)
	}
	defer w.calls.Done()
	t, p, err := w.inTrash(ctx, id)
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
		return archiveError(history.WriteArchive(to, m, t.is.Mode, nil))
	}
	f, err := slots.Open(t.name)
	if err != nil {
		return storeError(err)
	}
	defer f.Close()
	// What a program wrote into the file after it was deleted is in it: the archive has to agree with itself.
	h := sha256.New()
	if m.SizeBytes, err = io.Copy(h, untilDone{ctx, io.NewSectionReader(f, 0, 1<<62)}); err != nil {
		return storeError(err)
	}
	m.Sha256 = hex.EncodeToString(h.Sum(nil))
	return archiveError(history.WriteArchive(to, m, t.is.Mode, untilDone{ctx, f}))
}

func archiveError(err error) error {
	if _, ok := errors.AsType[*fail.Error](err); ok || err == nil {
		return err
	}
	return &fail.Error{Kind: fail.CommandFailed, Cause: err, Msg: "the archive cannot be written: " + err.Error(),
		Hint: "See to the cause, which the operating system reported, and try again; the trash is as it was."}
}

// RestoreArchive makes the file that an archive has, which [Workspace.TrashExport] or another program wrote, as Create
// would: at target, or where it was when that is empty. Nothing in the archive is trusted. Of its mode the executable
// bits come back; the rest of it, and its time, are those of a new file. The same key does it once.
func (w *Workspace) RestoreArchive(ctx context.Context, from io.Reader, target, key string) (*Answer[RestoreData], error) {
	a, err := history.ReadArchive(untilDone{ctx, from}, w.limits.FileBytes)
	if err != nil {
		a, err = &history.Archived{}, badArchive(err)
	}
	to := target
	if to == "" {
		to = a.Path
	}
	return perform(ctx, w, call[RestoreData]{tool: "restore_file", key: key, request: []string{target, a.Path, a.Sha256},
		named: []patch.Section{{Op: patch.Add, Path: to}},
		settle: func(ctx context.Context, src *reader) (*plan.Plan, error) {
			if err != nil {
				return nil, err
			}
			return src.unpacked(ctx, a, target)
		},
		data: func(rep *Report) RestoreData {
			s := rep.step()
			return RestoreData{Restored: true, Path: s.Path, From: a.ID, SizeBytes: int64(len(s.After)), Sha256: s.AfterSum}
		},
		recall: func(l recalled) RestoreData { return l.restored(a.ID) },
		say: func(d RestoreData) string {
			return fmt.Sprintf("Restored %s from an archive (%d bytes, sha256 %s). Its time is now, and its permissions are those of a new file.",
				report.Escape(d.Path), d.SizeBytes, d.Sha256)
		}})
}

// unpacked settles where the file of an archive goes.
func (r *reader) unpacked(ctx context.Context, a *history.Archived, target string) (*plan.Plan, error) {
	if target == "" {
		target, r.base = a.Path, "."
	}
	f, err := r.target(ctx, target)
	if err == nil {
		err = roomFor(f, target, true, "Name another TARGET, or move what is there away first.")
	}
	if err != nil {
		return nil, err
	}
	return single(plan.Step{Op: patch.Add, Path: f.Rel, Source: f, After: a.Content, AfterSum: a.Sha256, Exec: a.Perm&0o111 != 0}), nil
}

// badArchive is the refusal of an archive.
func badArchive(err error) error {
	e := &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Cause: err, Msg: "the archive is refused: " + err.Error(),
		Hint: "Make it with emend trash export, or take the file out of it by hand and look at it."}
	bad, ours := errors.AsType[*history.BadArchive](err)
	if _, refused := errors.AsType[*fail.Error](err); refused {
		return err
	}
	if ours && bad.Size {
		e.Kind, e.Reason = fail.FileTooLarge, ""
	}
	if !ours {
		e.Reason, e.Msg, e.Hint = "", "the archive cannot be read: "+err.Error(), "See to the cause, which the operating system reported, and try again."
	}
	return e
}
