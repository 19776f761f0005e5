package change

import (
	"context"
	"fmt"
	"io/fs"
	"maps"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// DeleteSeveral deletes files, or with Recursive directories too, as one change.
func DeleteSeveral(ctx context.Context, w *workspace.Workspace, r api.DeleteSeveralRequest) (*Report, error) {
	var each []one
	for _, p := range r.Paths {
		var t *tree
		each = append(each, one{patch.Section{Op: patch.Delete, Path: p}, func(ctx context.Context, src *source.Reader) (_ *plan.Plan, err error) {
			if r.Recursive {
				if t, err = findTree(ctx, w, src, p, ""); err != nil {
					return nil, err
				}
			}
			if t != nil {
				return t.planDelete(ctx)
			}
			return planDelete(ctx, &api.DeleteRequest{Path: p, Permanent: r.Permanent}, src)
		}, func(rec *CommitRequest) { t.fill(ctx, rec) }})
	}
	return runSeveral(ctx, w, "delete_file", r, CommitRequest{Key: r.IdempotencyKey, Permanent: r.Permanent}, each)
}

// MoveSeveral moves files, and those directories whose request is Recursive, as one change.
func MoveSeveral(ctx context.Context, w *workspace.Workspace, r api.MoveSeveralRequest) (*Report, error) {
	var each []one
	for _, m := range r.Moves {
		var t *tree
		var to plan.File
		each = append(each, one{patch.Section{Op: patch.Move, Path: m.FromPath, To: m.ToPath}, func(ctx context.Context, src *source.Reader) (p *plan.Plan, err error) {
			if m.Recursive {
				if t, err = findTree(ctx, w, src, m.FromPath, ""); err != nil {
					return nil, err
				}
			}
			if t != nil {
				p, to, err = planMoveTree(ctx, t, &m)
				return p, err
			}
			m.Plain = true
			return planMove(ctx, &m, src)
		}, func(rec *CommitRequest) { t.fillMove(ctx, rec, to) }})
	}
	return runSeveral(ctx, w, "move_file", r, CommitRequest{Key: r.IdempotencyKey}, each)
}

// RestoreSeveral brings files back from the trash as one change, each to where it was.
func RestoreSeveral(ctx context.Context, w *workspace.Workspace, r api.RestoreSeveralRequest) (*Report, error) {
	var each []one
	for _, id := range r.TrashedPaths {
		each = append(each, one{patch.Section{Op: patch.Add}, func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return planRestore(ctx, w, src, api.RestoreRequest{TrashedPath: id})
		}, func(*CommitRequest) {}})
	}
	return runSeveral(ctx, w, "restore_file", r, CommitRequest{Key: r.IdempotencyKey}, each)
}

// one is one of several operations that become one change.
type one struct {
	section patch.Section // for the log and for a refusal
	plan    func(context.Context, *source.Reader) (*plan.Plan, error)
	fill    func(*CommitRequest) // adds what the plan found about directories
}

// runSeveral plans each operation, and commits them together. Every one that fails is reported.
func runSeveral(ctx context.Context, w *workspace.Workspace, tool string, request any, r CommitRequest, each []one) (*Report, error) {
	view := report.View{Atomic: true}
	for _, o := range each {
		view.Patch.Sections = append(view.Patch.Sections, o.section)
	}
	return Run(ctx, w, tool, request, r, view, func(ctx context.Context, src *source.Reader, _ *report.View, rec *CommitRequest) (*plan.Plan, error) {
		all, refused, named := &plan.Plan{}, fail.List{}, map[string]bool{}
		var checks []func() error
		for _, o := range each {
			p, err := o.plan(ctx, src)
			if err != nil {
				refused = append(refused, fail.All(err)...)
				continue
			}
			for _, s := range p.Steps {
				for _, path := range []string{s.Path, s.To} {
					if path != "" && named[path] {
						refused = append(refused, &fail.Error{Kind: fail.CommandFailed, Reason: fail.SamePath, Path: path,
							Msg: fmt.Sprintf("%s is named twice", fail.Quote(path)), Hint: "Name each path once. Nothing was changed."})
					}
					named[path] = true
				}
				s.Section = len(all.Steps)
				all.Steps = append(all.Steps, s)
			}
			var more CommitRequest
			o.fill(&more)
			rec.RemoveEmptyDirs, rec.MakeDirs = append(rec.RemoveEmptyDirs, more.RemoveEmptyDirs...), append(rec.MakeDirs, more.MakeDirs...)
			if rec.DirOps = append(rec.DirOps, more.DirOps...); rec.DirModes == nil {
				rec.DirModes = map[string]fs.FileMode{}
			}
			maps.Copy(rec.DirModes, more.DirModes)
			if more.Check != nil {
				checks = append(checks, more.Check)
			}
		}
		rec.Check = func() error {
			for _, check := range checks {
				if err := check(); err != nil {
					return err
				}
			}
			return nil
		}
		if len(refused) > 0 {
			return nil, refused
		}
		return all, checkNotebooks(all)
	})
}
