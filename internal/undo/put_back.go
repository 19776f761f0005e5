package undo

import (
	"context"
	"fmt"
	"io/fs"
	"path"

	"github.com/emend-dev/emend/patch"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// PutBack makes a file what it was in a version that is kept, as one commit.
func PutBack(ctx context.Context, w *workspace.Workspace, r api.PutBackRequest) (*change.Report, error) {
	view := report.View{Atomic: true, PutsBack: r.Version, DryRun: r.DryRun, Patch: patch.Patch{Sections: []patch.Section{{Op: patch.Update, Path: r.Path}}}}
	return change.Run(ctx, w, "put_back", r, change.CommitRequest{Key: r.IdempotencyKey}, view,
		func(ctx context.Context, src *source.Reader, view *report.View, _ *change.CommitRequest) (p *plan.Plan, err error) {
			p, view.Notes, err = planBack(ctx, w, src, r)
			return p, err
		})
}

// planBack is what has to be done for the version to stand at the path. It is planned as an undo is: both bring back what
// a change displaced.
func planBack(ctx context.Context, w *workspace.Workspace, src *source.Reader, r api.PutBackRequest) (p *plan.Plan, notes []string, err error) {
	if err := change.HashArgument("expectedSha256", r.ExpectedSha256, false); err != nil {
		return nil, nil, err
	}
	if _, _, now := kept.ParsePresent(r.Version); now {
		return nil, nil, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "this version is kept nowhere but at its path, where it stands",
			Hint: "Nothing has to be put back. If the file was changed since it was shown, look at its history again."}
	}
	if kept.IsRebuilt(r.Version) {
		return planAnew(ctx, w, src, r)
	}
	t, _, err := kept.FindDisplaced(ctx, w, r.Version)
	if err == nil {
		err = w.Guard.CheckReadAsking(t.Path, src.Asked) // what may not be read where it was, may not be read elsewhere
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := target(ctx, r, src, t.Path, t.Sha256, t.Info.Mode)
	if err != nil {
		return nil, nil, err
	}
	p, err = bringing(ctx, w, src, f, origin{there: true, slot: t.ID, sum: t.Sha256, mode: t.Info.Mode, size: t.SizeBytes, link: t.Link, ino: t.Info.ID.Ino})
	return p, nil, err
}

// bringing is the plan by which o comes to stand where f is.
func bringing(ctx context.Context, w *workspace.Workspace, src *source.Reader, f plan.File, o origin) (*plan.Plan, error) {
	store, err := w.OpenStore()
	if err != nil {
		return nil, err
	}
	src.Base, src.FromLog = ".", true
	top := w.Paths().ToTop(f.Rel)
	u := newUndoing(w, src, nil, store.History())
	if _, err := u.look(ctx, top); err != nil {
		return nil, err
	}
	u.now[top] = o
	return u.Plan(ctx)
}

// target is what is at the path now, if that is what the caller has seen there, and not the version already, which was at
// the path was. With a mode of 0 any is the same.
func target(ctx context.Context, r api.PutBackRequest, src *source.Reader, was, sum string, mode fs.FileMode) (plan.File, error) {
	if src.FromLog = path.Join(src.Base, r.Path) == was; src.FromLog { // then its name is not new
		src.Base, r.Path = ".", was
	}
	f, err := src.Look(ctx, r.Path, false)
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
			return f, stale(r, "the file is gone since it was shown", "")
		}
		return f, nil
	}
	have, err := src.Sum(ctx, f)
	switch is := source.ModeOf(f); {
	case err != nil:
		return f, err
	case r.ExpectedSha256 == "":
		return f, stale(r, "a file is there, and none was expected", have)
	case r.ExpectedSha256 != have:
		return f, stale(r, "the file changed since it was shown", have)
	case have == sum && (mode == 0 || is.Perm() == mode.Perm() && is&fs.ModeSymlink == mode&fs.ModeSymlink):
		return f, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "the file is this version already", Hint: "Nothing has to be put back."}
	}
	return f, nil
}

func stale(r api.PutBackRequest, msg, have string) error {
	return &fail.Error{Kind: fail.Stale, Path: r.Path, Want: r.ExpectedSha256, Have: have, Msg: msg,
		Hint: "Look at what is there now, and ask again with its sha256 as expectedSha256; leave that out if nothing is there."}
}

// planAnew puts a version back that is made anew: a file that is there keeps its mode.
func planAnew(ctx context.Context, w *workspace.Workspace, src *source.Reader, r api.PutBackRequest) (p *plan.Plan, notes []string, err error) {
	v, err := kept.FindRebuilt(ctx, w, r.Version)
	if err == nil {
		err = w.Guard.CheckReadAsking(v.Path, src.Asked)
	}
	if err != nil {
		return nil, nil, err
	}
	made := v.Act.New
	f, err := target(ctx, r, src, v.Path, made.Sum, 0)
	if err != nil {
		return nil, nil, err
	}
	switch is := source.ModeOf(f); {
	case f.Kind == plan.Link:
		return nil, nil, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "a symbolic link is there now",
			Hint: "Delete the link first (delete_file, emend rm), and put the version back then."}
	case f.Kind == plan.Regular && is.Perm() != made.Mode.Perm():
		notes = append(notes, fmt.Sprintf("%s keeps the permissions that it has, %s: they were %s, and only the text of this version is kept.",
			report.Escape(r.Path), kept.Octal(is), kept.Octal(made.Mode)))
	}
	p, err = bringing(ctx, w, src, f, origin{there: true, slot: v.Slot, sum: made.Sum, mode: made.Mode, size: int64(len(v.Text)), edited: true, text: v.Text})
	if err == nil && f.Kind == plan.Missing && v.Slot == "" {
		p.Steps[0].Exec = made.Mode&0o111 != 0
	}
	return p, notes, err
}
