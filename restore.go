package emend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/fail"
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
		say: func(d RestoreData, _ *Report) string {
			return fmt.Sprintf("Restored %s from the trash (%d bytes, sha256 %s).", report.Escape(d.Path), d.SizeBytes, d.Sha256)
		}})
}

func (w *Workspace) restoring(ctx context.Context, src *reader, r RestoreRequest) (*plan.Plan, error) {
	kept, err := w.keptAs(r.TrashedPath)
	if err != nil {
		return nil, err
	}
	if err := w.guard.Readable(kept.rel); err != nil {
		return nil, err // what may not be read where it was, may not be read elsewhere
	}
	to := r.TargetPath
	if to == "" {
		to, src.base = kept.rel, "."
	}
	f, err := src.target(ctx, to)
	if err == nil {
		err = roomFor(f, to, true, "Name another place with targetPath, or move what is there away first.")
	}
	if err != nil {
		return nil, err
	}
	s := plan.Step{Op: patch.Add, Path: f.Rel, Source: f, Back: kept.slot, Size: kept.size}
	s.AfterSum, err = keptSum(ctx, kept.hist, kept.slot)
	return single(s), err
}

// kept is a file in the trash.
type kept struct {
	hist *history.History
	slot string
	rel  string // where it was, from the workspace's root
	size int64
}

// keptAs finds what has a trash id.
func (w *Workspace) keptAs(id string) (*kept, error) {
	tx, n, ok := strings.Cut(id, ".")
	slot, err := strconv.Atoi(n)
	if _, isTx := history.Made(tx); !ok || err != nil || !isTx || history.Slot(tx, slot) != id {
		return nil, &fail.Error{Kind: fail.NotFound, Msg: fail.Quote(id) + " is no trash id",
			Hint: "It is the trashedTo of the call that deleted the file; emend trash list and the history tool have it too."}
	}
	store, err := w.keeper.find()
	if err != nil || store == nil {
		return nil, errors.Join(err, notInTrash(id))
	}
	if err := store.Log().Refresh(); err != nil {
		return nil, storeError(err)
	}
	trail := newTrail(store)
	defer trail.stop()
	for {
		r, err := trail.read()
		if err != nil || r == nil {
			return nil, cmpError(err, notInTrash(id))
		}
		if r.Tx == tx {
			return w.keptBy(r, slot, store.History(), id)
		}
	}
}

func cmpError(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func (w *Workspace) keptBy(r *audit.Record, slot int, h *history.History, id string) (*kept, error) {
	for _, a := range r.Acts {
		if a.Slot != slot || a.Do != "swap" && a.Do != "take" {
			continue
		}
		_, is, err := h.Find(id)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, storeError(err)
		}
		u := undoing{w: w}
		rel, err := u.rel(a.Path)
		return &kept{hist: h, slot: id, rel: rel, size: is.Size}, err
	}
	return nil, notInTrash(id)
}

func notInTrash(id string) error {
	return &fail.Error{Kind: fail.NotFound, Msg: fmt.Sprintf("nothing is in the trash as %s: it was restored or cleared since, or never there", fail.Quote(id)),
		Hint: "emend trash list shows what is there."}
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
		return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Msg: "cancelled", Hint: "Nothing was changed; ask again.",
			Cause: context.Cause(u.ctx)}
	}
	return u.r.Read(p)
}
