package undo

import (
	"context"
	"fmt"
	"io/fs"
	"path"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// PutBack makes a file again what it was in a kept version, as one commit.
func PutBack(ctx context.Context, w *workspace.Workspace, r api.PutBackRequest) (*change.Report, error) {
	r.ExpectedSha256 = text.BareSum(r.ExpectedSha256)
	view := report.View{Atomic: true, PutsBack: r.Version, DryRun: r.DryRun, Patch: patch.Patch{Sections: []patch.Section{{Op: patch.Update, Path: r.Path}}}}
	return change.Run(ctx, w, "put_back", r, change.CommitRequest{Key: r.IdempotencyKey}, view,
		func(ctx context.Context, src *source.Reader, view *report.View, _ *change.CommitRequest) (p *plan.Plan, err error) {
			p, view.Notes, err = planPutBack(ctx, w, src, r)
			return p, err
		})
}

// planPutBack plans as an undo does: both bring back a file that a change displaced.
func planPutBack(ctx context.Context, w *workspace.Workspace, src *source.Reader, r api.PutBackRequest) (p *plan.Plan, notes []string, err error) {
	if err := change.CheckHashField("expectedSha256", r.ExpectedSha256, false); err != nil {
		return nil, nil, err
	}
	if _, _, now := kept.ParsePresent(r.Version); now {
		return nil, nil, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "this version is not in the history: it is the file as it is now",
			Hint: "There is nothing to restore. If the file was changed since it was shown, look at its history again."}
	}
	if kept.IsRebuilt(r.Version) {
		return planRebuilt(ctx, w, src, r)
	}
	t, _, err := kept.FindDisplaced(ctx, w, r.Version)
	if err == nil {
		err = w.Guard.CheckReadAsking(t.Path, src.Asked) // another path must not make it readable
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := checkTarget(ctx, r, src, t.Path, t.Sha256, t.Info.Mode)
	if err != nil {
		return nil, nil, err
	}
	p, err = planState(ctx, w, src, f, fileState{exists: true, slot: t.ID, sum: t.Sha256, mode: t.Info.Mode, size: t.SizeBytes, link: t.Link, ino: t.Info.ID.Ino})
	return p, nil, err
}

// planState plans to give the path of f the state o.
func planState(ctx context.Context, w *workspace.Workspace, src *source.Reader, f plan.File, o fileState) (*plan.Plan, error) {
	store, err := w.OpenStore()
	if err != nil {
		return nil, err
	}
	src.Base, src.FromLog = ".", true
	top := w.Paths().ToTop(f.Rel)
	u := newReversal(w, src, nil, store.History())
	if _, err := u.goalOf(ctx, top); err != nil {
		return nil, err
	}
	u.goals[top] = o
	return u.plan(ctx)
}

// checkTarget returns the present file at the path. It refuses one that the caller has not seen, and one that is the
// version already: the content sum with the mode, where a mode of 0 matches any. was is the path that the version had.
func checkTarget(ctx context.Context, r api.PutBackRequest, src *source.Reader, was, sum string, mode fs.FileMode) (plan.File, error) {
	if src.FromLog = path.Join(src.Base, r.Path) == was; src.FromLog { // the name is not new then
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
			return f, staleTarget(r, "the file is gone since it was shown", "")
		}
		return f, nil
	}
	have, err := src.Sum(ctx, f)
	switch present := source.ModeOf(f); {
	case err != nil:
		return f, err
	case r.ExpectedSha256 == "":
		return f, staleTarget(r, "a file is there, and none was expected", have)
	case r.ExpectedSha256 != have:
		return f, staleTarget(r, "the file changed since it was shown", have)
	case have == sum && (mode == 0 || present.Perm() == mode.Perm() && present&fs.ModeSymlink == mode&fs.ModeSymlink):
		return f, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "the file is this version already", Hint: "There is nothing to restore."}
	}
	return f, nil
}

// staleTarget refuses a target that is not the file the caller expected.
func staleTarget(r api.PutBackRequest, msg, have string) error {
	return &fail.Error{Kind: fail.Stale, Path: r.Path, Want: r.ExpectedSha256, Have: have, Msg: msg,
		Hint: "Look at what is there now, and ask again with its sha256 as ‹expectedSha256›; leave that out if nothing is there."}
}

// planRebuilt puts back a version whose text was rebuilt from diffs. A file that exists keeps its permissions.
func planRebuilt(ctx context.Context, w *workspace.Workspace, src *source.Reader, r api.PutBackRequest) (p *plan.Plan, notes []string, err error) {
	v, err := kept.FindRebuilt(ctx, w, r.Version)
	if err == nil {
		err = w.Guard.CheckReadAsking(v.Path, src.Asked)
	}
	if err != nil {
		return nil, nil, err
	}
	made := v.Act.New
	f, err := checkTarget(ctx, r, src, v.Path, made.Sum, 0)
	if err != nil {
		return nil, nil, err
	}
	switch present := source.ModeOf(f); {
	case f.Kind == plan.Link:
		return nil, nil, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "a symbolic link is there now",
			Hint: "Delete the link first with ‹delete_file›, then restore the version."}
	case f.Kind == plan.Regular && present.Perm() != made.Mode.Perm():
		notes = append(notes, fmt.Sprintf("%s keeps the permissions that it has, %s: they were %s, and only the text of this version is kept.",
			report.OneLine(r.Path), kept.Octal(present), kept.Octal(made.Mode)))
	}
	p, err = planState(ctx, w, src, f, fileState{exists: true, slot: v.Slot, sum: made.Sum, mode: made.Mode, size: int64(len(v.Text)), edited: true, text: v.Text})
	if err == nil && f.Kind == plan.Missing && v.Slot == "" {
		p.Steps[0].Exec = made.Mode&0o111 != 0
	}
	return p, notes, err
}
