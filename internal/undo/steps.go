package undo

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// plan makes the steps that give every path its goal: first the moves, then what is deleted, added and updated.
func (u *reversal) plan(ctx context.Context) (*plan.Plan, error) {
	out := &plan.Plan{}
	vacated, filled := map[string]bool{}, map[string]bool{} // the paths that a move empties, and those that it fills
	add := func(s plan.Step, err error) error {
		out.Steps = append(out.Steps, s)
		return err
	}
	for _, p := range u.orderedMoves() {
		if err := add(u.moveStep(ctx, p, vacated[p])); err != nil {
			return nil, err
		}
		vacated[u.goals[p].at], filled[p] = true, true
	}
	for _, p := range u.paths {
		o := u.goals[p]
		stays := o.exists && o.at == p && !o.edited
		if filled[p] || stays || !o.exists && (vacated[p] || u.present[p].Kind == plan.Missing) {
			continue
		}
		if err := add(u.stepFor(ctx, p, o, vacated[p])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fillDirs gives the request the directories that are made and removed, and the operations that tell of those without a file.
func (u *reversal) fillDirs(rec *change.CommitRequest, steps []plan.Step) {
	filled := map[string]bool{}
	for i := range steps {
		for p := path.Dir(u.w.Paths().ToTop(steps[i].Writes)); p != "." && steps[i].Op != patch.Delete; p = path.Dir(p) {
			filled[p] = true
		}
	}
	for p, again := range u.dirs {
		if !again {
			rec.RemoveEmptyDirs = append(rec.RemoveEmptyDirs, p)
			continue
		}
		rec.MakeDirs = append(rec.MakeDirs, p)
	}
	deepestFirst(rec.RemoveEmptyDirs)
	slices.Sort(rec.MakeDirs)
	for i, p := range rec.MakeDirs {
		above := i+1 < len(rec.MakeDirs) && strings.HasPrefix(rec.MakeDirs[i+1], p+"/")
		if !filled[p] && !above {
			rec.DirOps = append(rec.DirOps, audit.Op{Operation: audit.OpMkdir, Path: p, Mode: u.dirModes[p]})
		}
	}
	rec.DirModes = u.dirModes
	for _, d := range u.whole {
		rec.Dirs, rec.DirOps = append(rec.Dirs, d.change), append(rec.DirOps, d.op)
	}
}

// orderedMoves lists the paths to which a file moves back, so ordered that each path is vacated before it is filled. It
// leaves out files that change places in a ring: they exchange their contents instead.
func (u *reversal) orderedMoves() (out []string) {
	to := map[string]string{} // by the path that has the file now
	for _, p := range u.paths {
		if o := u.goals[p]; o.exists && o.at != "" && o.at != p && u.goals[o.at].at != o.at && to[o.at] == "" {
			to[o.at] = p
		}
	}
	for more := true; more; {
		more = false
		for _, p := range u.paths {
			if at := u.goals[p].at; at != "" && to[at] == p && to[p] == "" {
				out, more = append(out, p), true
				delete(to, at)
			}
		}
	}
	return out
}

func deepestFirst(dirs []string) {
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(strings.Count(b, "/")-strings.Count(a, "/"), strings.Compare(a, b))
	})
}

// moveStep moves a file back to p. Unless p is vacated, the file there is replaced.
func (u *reversal) moveStep(ctx context.Context, p string, vacated bool) (plan.Step, error) {
	o, to := u.goals[p], u.present[p]
	from := u.present[o.at]
	s := plan.Step{Op: patch.Move, Path: from.Rel, To: to.Rel, Writes: to.Rel, Source: from, Dest: to}
	var err error
	if s.BeforeSum, err = u.src.Sum(ctx, from); err != nil {
		return s, err
	}
	s.AfterSum = s.BeforeSum
	if !o.edited && to.Kind == plan.Missing && !u.goals[o.at].exists {
		return s, nil // a plain rename
	}
	if from.Kind != plan.Regular {
		return s, u.linkConflict(p)
	}
	if s.Before, s.BeforeSum, err = u.src.Load(ctx, from); err != nil {
		return s, err
	}
	s.After, s.AfterSum = s.Before, s.BeforeSum
	if o.edited {
		s.After, s.AfterSum, s.Edits = o.text, o.sum, text.Between(s.Before, o.text)
	}
	if to.Kind != plan.Missing && !vacated {
		s.Replaces = &s.Dest
		_, err = u.src.Sum(ctx, to)
	}
	return s, err
}

// linkConflict refuses to move a link onto a path that exists: a commit cannot exchange the two.
func (u *reversal) linkConflict(p string) error {
	return &fail.Error{Kind: fail.AlreadyExists, Path: u.displayPath(p), Msg: "a symbolic link cannot be moved onto something that exists",
		Hint: "Undo the changes one by one, the newest first: ‹history› lists their entries."}
}

// stepFor deletes, adds or updates the file at p. A vacated path counts as missing.
func (u *reversal) stepFor(ctx context.Context, p string, o fileState, vacated bool) (plan.Step, error) {
	f := u.present[p]
	s := plan.Step{Path: f.Rel, Writes: f.Rel, Source: f, AfterSum: o.sum}
	var err error
	if f.Kind != plan.Missing && !vacated {
		if s.BeforeSum, err = u.src.Sum(ctx, f); err == nil && f.Kind == plan.Regular && f.Size <= change.MaxShown {
			s.Before, _, err = u.src.Load(ctx, f)
		}
		if err != nil {
			return s, err
		}
	}
	switch {
	case !o.exists:
		s.Op = patch.Delete
		return s, nil
	case f.Kind == plan.Missing || vacated:
		s.Op = patch.Add
	default:
		s.Op = patch.Update
	}
	if o.at != "" && o.at != p { // files that change places
		from := u.present[o.at]
		if from.Kind != plan.Regular {
			return s, u.linkConflict(p)
		}
		s.ModeFrom = &from
	}
	return s, u.fillContent(ctx, p, &s, o)
}

// fillContent gives a step its new content: the kept file itself, or its text.
func (u *reversal) fillContent(ctx context.Context, p string, s *plan.Step, o fileState) error {
	if o.slot != "" && !o.edited && !o.copy {
		s.FromHistory, s.SetTime, s.Size = o.slot, true, o.size
		if !o.mode.IsRegular() || max(o.size, s.Source.Size) > change.MaxShown {
			s.Before = ""
			return nil
		}
	}
	var err error
	if s.After, err = u.text(ctx, p, o); err != nil {
		return err
	}
	if s.Op == patch.Update {
		if s.Source.Kind == plan.Regular && s.Before == "" && s.Source.Size > 0 {
			if s.Before, _, err = u.src.Load(ctx, s.Source); err != nil {
				return err
			}
		}
		s.Edits = text.Between(s.Before, s.After)
	}
	s.ModeOfKept = o.slot
	return nil
}
