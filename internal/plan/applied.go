package plan

import (
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// alreadyApplied says whether section s is already applied. err is why its step failed, or nil.
func (b *builder) alreadyApplied(s *patch.Section, step *Step, err error) repeat.Proof {
	if step.Path == "" {
		return repeat.None // it was not even looked at
	}
	if _, written := b.state[step.Source.Place]; written && err != nil {
		return repeat.None
	}
	missing := err != nil && step.Source.Kind == Missing
	switch {
	case err == nil && (step.changesNothing() || step.Op == patch.Add && step.Replaces != nil && step.BeforeSum == step.AfterSum):
		return repeat.Strong
	case err == nil:
		return repeat.None
	case (s.Op == patch.Add || s.Op == patch.Copy) && b.isThere(step, err), s.Op == patch.Update && b.isUpdated(s, step, err):
		return repeat.Strong
	case s.Op == patch.Update && len(s.Hunks) == 0 && fail.All(err)[0].Reason == fail.NothingToChange:
		return repeat.Strong // the file has the mode
	case s.Op == patch.Delete && missing:
		return b.isGone(s)
	case s.Op == patch.Move && missing:
		return b.isMoved(s, step)
	}
	return repeat.None
}

// isGone is the proof that section s deleted a file that is not there: strong if a hash shows that somebody read it.
func (b *builder) isGone(s *patch.Section) repeat.Proof {
	if b.opts.Expect[s.Path] != "" {
		return repeat.Strong
	}
	return repeat.Weak
}

// isThere reports whether the file that could not be added is there, byte for byte.
func (b *builder) isThere(step *Step, err error) bool {
	f := step.Source
	if f.Kind != Regular || fail.All(err)[0].Kind != fail.AlreadyExists || f.Size != int64(len(step.After)) {
		return false
	}
	data, _, err := b.load(f)
	return err == nil && data == step.After
}

// isUpdated reports whether every hunk of a refused section is already applied. A hash that is out of date does not
// matter then.
func (b *builder) isUpdated(s *patch.Section, step *Step, err error) bool {
	all := fail.All(err)
	if all[0].Kind == fail.Stale {
		return all[0].Already || step.Source.Kind == Regular && b.hunksApplied(s, step.Before)
	}
	return len(all) == len(s.Hunks) && !slices.ContainsFunc(all, func(e *fail.Error) bool { return !e.Already })
}

// isMoved looks for the proof at the destination of a file that is gone.
func (b *builder) isMoved(s *patch.Section, step *Step) repeat.Proof {
	to, err := b.src.Look(b.ctx, s.To, b.rules.Absolute)
	if err != nil || to.Kind != Regular {
		return repeat.None
	}
	if _, claimed := b.claimed[to.Place]; claimed {
		return repeat.None
	}
	if b.opts.Idempotent {
		b.claimed[to.Place] = s.Line
	}
	step.To, step.Dest = to.Rel, to
	data, sum, err := b.load(to)
	switch want := b.opts.Expect[s.Path]; {
	case err != nil, len(s.Hunks) > 0 && !b.hunksApplied(s, data), len(s.Hunks) == 0 && want != "" && want != sum:
		return repeat.None
	case len(s.Hunks) == 0 && want == "":
		return repeat.Weak
	}
	return repeat.Strong
}

// hunksApplied reports whether every hunk of s is already applied in data.
func (b *builder) hunksApplied(s *patch.Section, data string) bool {
	if len(s.Hunks) == 0 || text.Binary(data) {
		return false
	}
	out, err := settle(place.Find(text.Split(data), s.Hunks, b.rules, false), repeat.SkipEdges, nil)
	return err == nil && out == nil
}
