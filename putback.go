package emend

import (
	"context"
	"io/fs"
	"path"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// PutBackRequest asks for a version of a file again, at the path that the file has now.
type PutBackRequest struct {
	Path           string `json:"path" jsonschema:"the file, relative to the workspace"`
	Version        string `json:"version" jsonschema:"the id of the version"`
	ExpectedSha256 string `json:"expectedSha256,omitempty" jsonschema:"refuse unless the file is still this; empty: unless nothing is there"`
	DryRun         bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}

// PutBack makes a file what it was in a version that is kept, byte for byte, with its mode: the very file that was
// displaced comes back. Of a version that is made anew, since only its difference is kept, the text does. It is a change like any other, and can be undone. With DryRun nothing is written.
func (w *Workspace) PutBack(ctx context.Context, r PutBackRequest) (*Report, error) {
	if err := w.enter(); err != nil {
		return nil, &Refusal{list: fail.All(err)}
	}
	defer w.calls.Done()
	ctx = w.calling(ctx, "put_back")
	rec := record{key: r.IdempotencyKey}
	if rec.key != "" {
		rec.request = w.requestSum(ctx, "put_back", r)
	}
	view := report.View{Atomic: true, PutsBack: r.Version, DryRun: r.DryRun, Patch: patch.Patch{Sections: []patch.Section{{Op: patch.Update, Path: r.Path}}}}
	rep, err := w.once(ctx, rec, func(rec record) (*Report, error) { return w.puttingBack(ctx, r, view, rec) })
	switch {
	case err != nil && r.DryRun:
		return nil, &Refusal{view: view, list: fail.All(err)} // it would have changed nothing, and is not noted
	case err != nil:
		return nil, w.refuse(ctx, view, err)
	}
	return rep, nil
}

func (w *Workspace) puttingBack(ctx context.Context, r PutBackRequest, view report.View, rec record) (*Report, error) {
	src := newReader(ctx, w)
	defer src.close()
	p, notes, err := w.planBack(ctx, src, r)
	if err == nil {
		err = src.visit.Again()
	}
	if err == nil {
		err = w.limits.checkPlan(p)
	}
	if err != nil {
		return nil, w.telling(ctx, src, err)
	}
	if view.Notes = notes; r.DryRun {
		view.Notes = append(notes, willAsk(src.asks.List())...)
		return &Report{view: view, plan: p}, w.telling(ctx, src, nil)
	}
	rec.asks = src.asks.List()
	return w.commit(ctx, view, p, src.sums(), rec)
}

// planBack is what has to be done for the version to stand at the path. It is planned as an undo is: both bring back what
// a change displaced.
func (w *Workspace) planBack(ctx context.Context, src *reader, r PutBackRequest) (p *plan.Plan, notes []string, err error) {
	if err := hashArgument("expectedSha256", r.ExpectedSha256, false); err != nil {
		return nil, nil, err
	}
	if _, _, now := parsePresent(r.Version); now {
		return nil, nil, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "this version is kept nowhere but at its path, where it stands",
			Hint: "Nothing has to be put back. If the file was changed since it was shown, look at its history again."}
	}
	if isRemade(r.Version) {
		return w.planAnew(ctx, src, r)
	}
	t, _, err := w.displaced(ctx, r.Version)
	if err == nil {
		err = w.guard.ReadableBy(t.Path, src.asks) // what may not be read where it was, may not be read elsewhere
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := r.target(ctx, src, t.Path, t.Sha256, t.is.Mode)
	if err != nil {
		return nil, nil, err
	}
	p, err = w.bringing(ctx, src, f, origin{there: true, slot: t.ID, sum: t.Sha256, mode: t.is.Mode, size: t.SizeBytes, link: t.Link, ino: t.is.ID.Ino})
	return p, nil, err
}

// bringing is the plan by which o comes to stand where f is.
func (w *Workspace) bringing(ctx context.Context, src *reader, f plan.File, o origin) (*plan.Plan, error) {
	store, err := w.keeper.find()
	if err != nil {
		return nil, err
	}
	src.base, src.known = ".", true
	top := path.Join(w.keeper.prefix, f.Rel)
	u := newUndoing(w, src, nil, store.History())
	if _, err := u.look(ctx, top); err != nil {
		return nil, err
	}
	u.now[top] = o
	return u.plan(ctx)
}

// target is what is at the path now, if that is what the caller has seen there, and not the version already, which was at
// the path was. With a mode of 0 any is the same.
func (r PutBackRequest) target(ctx context.Context, src *reader, was, sum string, mode fs.FileMode) (plan.File, error) {
	if src.known = path.Join(src.base, r.Path) == was; src.known { // then its name is not new
		src.base, r.Path = ".", was
	}
	f, err := src.target(ctx, r.Path)
	if err != nil {
		return f, err
	}
	switch f.Kind {
	case plan.Directory:
		return f, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "a directory is there now",
			Hint: "Move it away first, or restore the version to another path if it is in the trash."}
	case plan.Special:
		return f, &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: r.Path,
			Msg: "is a FIFO, a socket or a device, which is never opened", Hint: "Move it away first."}
	case plan.Missing:
		if r.ExpectedSha256 != "" {
			return f, r.stale("the file is gone since it was shown", "")
		}
		return f, nil
	}
	have, err := src.sum(ctx, f)
	switch is := modeOf(f); {
	case err != nil:
		return f, err
	case r.ExpectedSha256 == "":
		return f, r.stale("a file is there, and none was expected", have)
	case r.ExpectedSha256 != have:
		return f, r.stale("the file changed since it was shown", have)
	case have == sum && (mode == 0 || is.Perm() == mode.Perm() && is&fs.ModeSymlink == mode&fs.ModeSymlink):
		return f, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "the file is this version already", Hint: "Nothing has to be put back."}
	}
	return f, nil
}

func (r PutBackRequest) stale(msg, have string) error {
	return &fail.Error{Kind: fail.Stale, Path: r.Path, Want: r.ExpectedSha256, Have: have, Msg: msg,
		Hint: "Look at what is there now, and ask again with its sha256 as expectedSha256; leave that out if nothing is there."}
}
