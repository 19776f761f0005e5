package emend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"

	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// Restore brings a file back from the trash, as it was: its mode, times and attributes, and its hard links. It never
// replaces anything.
func (w *Workspace) Restore(ctx context.Context, r RestoreRequest) (*Answer[RestoreData], error) {
	return perform(ctx, w, call[RestoreData]{tool: "restore_file", key: r.IdempotencyKey, request: r,
		named:  []patch.Section{{Op: patch.Add, Path: r.TargetPath}},
		settle: func(ctx context.Context, src *reader) (*plan.Plan, error) { return w.restoring(ctx, src, r) },
		data: func(rep *Report) RestoreData {
			s := rep.step()
			return RestoreData{Restored: true, Path: s.Path, From: r.TrashedPath, SizeBytes: s.Size, Sha256: s.AfterSum}
		},
		recall: func(l recalled) RestoreData { return l.restored(r.TrashedPath) },
		say: func(d RestoreData) string {
			return fmt.Sprintf("Restored %s from the trash (%d bytes, sha256 %s).", report.Escape(d.Path), d.SizeBytes, d.Sha256)
		}})
}

func (l recalled) restored(from string) RestoreData {
	return RestoreData{Restored: true, Path: l.Path, From: from, SizeBytes: l.Size, Sha256: l.After}
}

func (w *Workspace) restoring(ctx context.Context, src *reader, r RestoreRequest) (*plan.Plan, error) {
	t, p, err := w.inTrash(ctx, r.TrashedPath)
	if err != nil {
		return nil, err
	}
	if err := w.guard.ReadableBy(t.Path, src.asks); err != nil {
		return nil, err // what may not be read where it was, may not be read elsewhere
	}
	to := r.TargetPath
	if to == "" {
		to, src.base, src.known = t.Path, ".", true
	}
	f, err := src.target(ctx, to)
	if err == nil {
		err = roomFor(f, to, true, "Name another place with targetPath, or move what is there away first.")
	}
	if err != nil {
		return nil, err
	}
	s := plan.Step{Op: patch.Add, Path: f.Rel, Source: f, Back: t.ID, Size: t.SizeBytes}
	s.AfterSum, err = keptSum(ctx, p.store.History(), t.ID)
	return single(s), err
}

// keptSum is the sha256 of what is kept, or of what a link says.
func keptSum(ctx context.Context, h *history.History, slot string) (string, error) {
	name, is, err := h.Find(slot)
	if err != nil {
		return "", storeError(err)
	}
	if is.Mode&fs.ModeSymlink != 0 {
		text, err := h.Slots().Readlink(name)
		return plan.Sum(text), err
	}
	f, err := h.Slots().Open(name)
	if err != nil {
		return "", storeError(err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, untilDone{ctx, f}); err != nil {
		return "", storeError(err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// untilDone reads until the context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, cancelled(u.ctx)
	}
	return u.r.Read(p)
}
