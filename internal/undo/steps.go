package undo

import (
	"context"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Plan is what has to be done for every path to have what is to stand there.
func (u *undoing) Plan(ctx context.Context) (*plan.Plan, error) {
	out := &plan.Plan{}
	left, come := map[string]bool{}, map[string]bool{} // the paths whose files went elsewhere, and where they went
	add := func(s plan.Step, err error) error {
		out.Steps = append(out.Steps, s)
		return err
	}
	for _, p := range u.moves() {
		if err := add(u.move(ctx, p, left[p])); err != nil {
			return nil, err
		}
		left[u.now[p].at], come[p] = true, true
	}
	for _, p := range u.order {
		o := u.now[p]
		stays := o.there && o.at == p && !o.edited
		if come[p] || stays || !o.there && (left[p] || u.files[p].Kind == plan.Missing) {
			continue
		}
		if err := add(u.step(ctx, p, o, left[p])); err != nil {
			return nil, err
		}
	}
	u.Prune = deepestFirst(u.Prune)
	return out, nil
}

// moves are the paths to which a file comes back from another, so ordered that each is left before it is taken. Those
// that take one another's places in a ring are not among them: their contents change places.
func (u *undoing) moves() (out []string) {
	to := map[string]string{} // by where the file is
	for _, p := range u.order {
		if o := u.now[p]; o.there && o.at != "" && o.at != p && u.now[o.at].at != o.at && to[o.at] == "" {
			to[o.at] = p
		}
	}
	for more := true; more; {
		more = false
		for _, p := range u.order {
			if at := u.now[p].at; at != "" && to[at] == p && to[p] == "" {
				out, more = append(out, p), true
				delete(to, at)
			}
		}
	}
	return out
}

func deepestFirst(dirs []string) []string {
	out := slices.Clone(dirs)
	slices.SortStableFunc(out, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	return slices.Compact(out)
}

// move is the step that brings a file to its earlier path, which something else has unless that has left.
func (u *undoing) move(ctx context.Context, p string, left bool) (plan.Step, error) {
	o, to := u.now[p], u.files[p]
	from := u.files[o.at]
	s := plan.Step{Op: patch.Move, Path: from.Rel, To: to.Rel, Writes: to.Rel, Source: from, Dest: to}
	var err error
	if s.BeforeSum, err = u.src.Sum(ctx, from); err != nil {
		return s, err
	}
	s.AfterSum = s.BeforeSum
	if !o.edited && to.Kind == plan.Missing && !u.now[o.at].there {
		return s, nil // the very file
	}
	if from.Kind != plan.Regular {
		return s, u.linkInTheWay(p)
	}
	if s.Before, s.BeforeSum, err = u.src.Load(ctx, from); err != nil {
		return s, err
	}
	s.After, s.AfterSum = s.Before, s.BeforeSum
	if o.edited {
		s.After, s.AfterSum, s.Edits = o.text, o.sum, text.Between(s.Before, o.text)
	}
	if to.Kind != plan.Missing && !left {
		s.Replaces = &s.Dest
		_, err = u.src.Sum(ctx, to)
	}
	return s, err
}

// linkInTheWay refuses to bring a link back to a path that something has: a commit cannot exchange them.
func (u *undoing) linkInTheWay(p string) error {
	return &fail.Error{Kind: fail.AlreadyExists, Path: u.shown(p), Msg: "a symbolic link cannot be moved onto something that exists",
		Hint: "Take the changes back one by one, the newest first: emend log lists their entries."}
}

// step is what becomes of one path, whose file may have left.
func (u *undoing) step(ctx context.Context, p string, o origin, left bool) (plan.Step, error) {
	f := u.files[p]
	s := plan.Step{Path: f.Rel, Writes: f.Rel, Source: f, AfterSum: o.sum}
	var err error
	if f.Kind != plan.Missing && !left {
		if s.BeforeSum, err = u.src.Sum(ctx, f); err == nil && f.Kind == plan.Regular && f.Size <= change.MaxShown {
			s.Before, _, err = u.src.Load(ctx, f)
		}
		if err != nil {
			return s, err
		}
	}
	switch {
	case !o.there:
		s.Op = patch.Delete
		return s, nil
	case f.Kind == plan.Missing || left:
		s.Op = patch.Add
	default:
		s.Op = patch.Update
	}
	if o.at != "" && o.at != p { // they change places
		from := u.files[o.at]
		if from.Kind != plan.Regular {
			return s, u.linkInTheWay(p)
		}
		s.ModeFrom = &from
	}
	return s, u.fill(ctx, p, &s, o)
}

// fill gives a step what is to stand at its path.
func (u *undoing) fill(ctx context.Context, p string, s *plan.Step, o origin) error {
	if o.slot != "" && !o.edited && !o.copy {
		s.FromHistory, s.SetTime, s.Size = o.slot, true, o.size
		if !o.mode.IsRegular() || max(o.size, s.Source.Size) > change.MaxShown {
			s.Before = ""
			return nil
		}
	}
	var err error
	if s.After, err = u.content(ctx, p, o); err != nil {
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

// is reports whether it is what a change had, or left, at a path.
func (o origin) is(i *audit.Ident) bool {
	return i != nil && o.there && o.sum == i.Sum && (o.link != "") == i.Link
}
