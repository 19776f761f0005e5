package change

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Move moves or renames a file, or with Recursive a directory and everything in it, as one change. With Overwrite a file replaces the file
// at the destination, whose content goes to the trash.
func Move(ctx context.Context, w *workspace.Workspace, r api.MoveRequest) (*api.Answer[api.MoveData], error) {
	r.ExpectedSha256 = text.BareSum(r.ExpectedSha256)
	var t *tree
	var to plan.File
	return perform(ctx, w, call[api.MoveData]{tool: "move_file", key: r.IdempotencyKey, request: requestOf(r, r.Recursive),
		sections: []patch.Section{{Op: patch.Move, Path: r.FromPath, To: r.ToPath}},
		plan: func(ctx context.Context, src *source.Reader) (p *plan.Plan, err error) {
			if r.Recursive {
				t, err = findTree(ctx, w, src, r.FromPath, r.ExpectedSha256)
			}
			switch {
			case err != nil:
				return nil, err
			case t == nil:
				return planMove(ctx, &r, src)
			}
			p, to, err = planMoveTree(ctx, t, &r)
			return p, err
		},
		planned: func(rec *CommitRequest) { t.fillMove(ctx, rec, to) },
		data: func(rep *Report) api.MoveData {
			if t != nil {
				return api.MoveData{Moved: true, FromPath: t.root.Rel, ToPath: to.Rel, Tree: t.data()}
			}
			s := rep.firstStep()
			return api.MoveData{Moved: true, FromPath: s.Path, ToPath: s.To, Sha256: s.AfterSum, OverwroteTrashedTo: rep.firstTrashed()}
		},
		dataFromLog: func(l loggedChange) api.MoveData {
			return api.MoveData{Moved: true, FromPath: l.Path, ToPath: l.ToPath, Sha256: l.After, OverwroteTrashedTo: l.TrashedTo}
		},
		describe: func(d api.MoveData) string {
			if d.Tree != nil {
				return fmt.Sprintf("Moved %s to %s with all that is in it (%s).", report.OneLine(d.FromPath), report.OneLine(d.ToPath), describeTree(d.Tree))
			}
			out := fmt.Sprintf("Moved %s to %s (sha256 %s).", report.OneLine(d.FromPath), report.OneLine(d.ToPath), d.Sha256)
			if d.OverwroteTrashedTo != "" {
				out += fmt.Sprintf(" What was there is in the trash as %s.", d.OverwroteTrashedTo)
			}
			return out
		}})
}

func planMove(ctx context.Context, r *api.MoveRequest, src *source.Reader) (*plan.Plan, error) {
	if err := CheckHashField("expectedSha256", r.ExpectedSha256, !r.Plain); err != nil {
		return nil, err
	}
	from, err := mustExist(ctx, src, r.FromPath, "move")
	if err != nil {
		return nil, err
	}
	to, err := LookForWrite(ctx, src, r.ToPath)
	if err != nil {
		return nil, err
	}
	s := plan.Step{Op: patch.Move, Path: from.Rel, To: to.Rel, Source: from, Dest: to}
	if err := checkDestination(r, from, to); err != nil {
		return nil, err
	}
	sum, err := src.Sum(ctx, from)
	if err == nil {
		err = withLinkHint(checkSum(r.FromPath, r.ExpectedSha256, sum), from)
	}
	if err != nil {
		return nil, err
	}
	s.BeforeSum, s.AfterSum = sum, sum
	if to.Kind != plan.Missing {
		err = planOverwrite(ctx, src, r, &s)
	}
	return oneStepPlan(s), err
}

// planMoveTree plans the move of a directory. The destination must be free, whatever the request says: a directory replaces nothing.
func planMoveTree(ctx context.Context, t *tree, r *api.MoveRequest) (p *plan.Plan, to plan.File, err error) {
	if to, err = LookForWrite(ctx, t.src, r.ToPath); err == nil {
		err = t.checkOutside(to)
	}
	if err == nil {
		err = checkFree(to, r.ToPath, r.CreateParentDirectories, "Choose another path: a directory replaces nothing.")
	}
	if err != nil {
		return nil, to, err
	}
	p, err = t.planMove(ctx, to)
	return p, to, err
}

// checkDestination checks that the destination is free, or may be replaced, and is not the source itself.
func checkDestination(r *api.MoveRequest, from, to plan.File) error {
	if err := plan.OtherCase(from, to); err != nil {
		return err
	}
	if to.Place == from.Place || to.Inode != nil && to.Inode == from.Inode {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SamePath, Path: r.FromPath,
			Msg:  fmt.Sprintf("%s and %s are the same file", fail.Quote(r.FromPath), fail.Quote(r.ToPath)),
			Hint: "Name another destination. Nothing was changed."}
	}
	switch {
	case to.Kind == plan.Special:
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: r.ToPath,
			Msg: "is a FIFO, a socket or a device", Hint: "Choose another destination."}
	case r.Overwrite && (to.Kind == plan.Regular || to.Kind == plan.Link):
		return nil
	}
	if r.Plain {
		return checkFree(to, r.ToPath, r.CreateParentDirectories, "Choose another path, or delete what is there first (it goes to the trash).")
	}
	return checkFree(to, r.ToPath, r.CreateParentDirectories, "Send it again with ‹overwrite›, which puts what is there into the trash, or choose another path.")
}

// planOverwrite completes a step that moves a file onto another. The content of the other is kept for the trash.
func planOverwrite(ctx context.Context, r *source.Reader, q *api.MoveRequest, s *plan.Step) (err error) {
	if s.Source.Kind == plan.Link {
		return &fail.Error{Kind: fail.AlreadyExists, Path: q.ToPath, Msg: "a symbolic link cannot be moved onto something that exists",
			Hint: "Delete what is there first (it goes to the trash), then move the link."}
	}
	if s.Before, s.BeforeSum, err = r.Load(ctx, s.Source); err != nil {
		return err
	}
	s.After, s.AfterSum, s.Replaces = s.Before, s.BeforeSum, &s.Dest
	if _, err = r.Sum(ctx, s.Dest); err != nil {
		return err
	}
	return checkSum(q.FromPath, q.ExpectedSha256, s.BeforeSum)
}

// withLinkHint explains the refusal of a link with another hash: the hash of a link is that of its target's path.
func withLinkHint(err error, f plan.File) error {
	if e, ok := err.(*fail.Error); ok && f.Kind == plan.Link {
		e.Msg = "the path is a symbolic link to " + fail.Quote(f.Target) + ", whose hash is that of what it says"
		e.Hint = "Send ‹expectedSha256› " + e.Have + ", which is the link's own."
	}
	return err
}
