package plan

import (
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Skip is a section, or some hunks of one, that a plan leaves out since it is already applied.
type Skip struct {
	Op       patch.Op
	Path, To string // relative to the workspace
	Section  int    // its number in the patch, from 0
	Hunks    []int  // from 0; nil for a section without any
}

// applied is a section that is already applied, as sure as its proof is. A weak one counts when all others are applied.
type applied struct {
	proof proof
	skip  Skip
}

// repeats is what becomes of the hunks of s that are already applied. What an earlier section wrote was not there when
// the patch was sent, and a hash that holds says that nothing has been applied since the file was read.
func (b *builder) repeats(s *patch.Section, step *Step) repeats {
	_, hashed := b.opts.Expect[s.Path]
	switch _, written := b.overlay[step.Source.Place]; {
	case written:
		return never
	case !b.opts.Idempotent:
		return tell
	case hashed:
		return skip
	}
	return skipEdges
}

// standing says whether the section s, whose step failed with err unless that is nil, is already applied.
func (b *builder) standing(s *patch.Section, step *Step, err error) proof {
	if step.Path == "" {
		return none // it was not even looked at
	}
	if _, written := b.overlay[step.Source.Place]; written && err != nil {
		return none
	}
	missing := err != nil && step.Source.Kind == Missing
	switch {
	case err == nil && (step.idle() || step.Op == patch.Add && step.Replaces != nil && step.BeforeSum == step.AfterSum):
		return strong
	case err == nil:
		return none
	case s.Op == patch.Add && b.added(step, err), s.Op == patch.Update && b.updated(s, step, err):
		return strong
	case s.Op == patch.Delete && missing:
		return b.hashed(s)
	case s.Op == patch.Move && missing:
		return b.moved(s, step)
	}
	return none
}

// hashed is the proof that a hash gives of a file that is gone: somebody has read it.
func (b *builder) hashed(s *patch.Section) proof {
	if b.opts.Expect[s.Path] != "" {
		return strong
	}
	return weak
}

// added reports whether the file that could not be added is there, byte for byte.
func (b *builder) added(step *Step, err error) bool {
	f := step.Source
	if f.Kind != Regular || fail.All(err)[0].Kind != fail.AlreadyExists || f.Size != int64(len(step.After)) {
		return false
	}
	data, _, err := b.load(f)
	return err == nil && data == step.After
}

// updated reports whether every hunk of a section that was refused is already applied. A hash that is out of date does
// not matter then.
func (b *builder) updated(s *patch.Section, step *Step, err error) bool {
	all := fail.All(err)
	if all[0].Kind == fail.Stale {
		return step.Source.Kind == Regular && b.stands(s, step.Before)
	}
	return len(all) == len(s.Hunks) && !slices.ContainsFunc(all, func(e *fail.Error) bool { return !e.Already })
}

// moved looks at the destination of a file that is gone.
func (b *builder) moved(s *patch.Section, step *Step) proof {
	to, err := b.src.Look(b.ctx, s.To, b.rules.Absolute)
	if err != nil || to.Kind != Regular {
		return none
	}
	if _, claimed := b.claimed[to.Place]; claimed {
		return none
	}
	if b.opts.Idempotent {
		b.claimed[to.Place] = s.Line
	}
	step.To, step.Dest = to.Rel, to
	data, sum, err := b.load(to)
	switch want := b.opts.Expect[s.Path]; {
	case err != nil, len(s.Hunks) > 0 && !b.stands(s, data), len(s.Hunks) == 0 && want != "" && want != sum:
		return none
	case len(s.Hunks) == 0 && want == "":
		return weak
	}
	return strong
}

// stands reports whether every hunk of s is already applied in data.
func (b *builder) stands(s *patch.Section, data string) bool {
	if len(s.Hunks) == 0 || text.Binary(data) {
		return false
	}
	out, err := placing(text.Split(data), s.Hunks, b.rules, false).settle(skipEdges, nil)
	return err == nil && out.applied
}

// idle reports whether every hunk of the step is skipped, and nothing is left to do.
func (s *Step) idle() bool {
	return s.Op == patch.Update && len(s.Hunks) > 0 && !slices.ContainsFunc(s.Hunks, func(h Placed) bool { return !h.Skipped })
}

// parts notes the hunks of a step that are skipped.
func (b *builder) parts(s *Step) {
	out := Skip{Op: s.Op, Path: s.Path, To: s.To, Section: s.Section}
	for k, h := range s.Hunks {
		if h.Skipped {
			out.Hunks = append(out.Hunks, k)
		}
	}
	if out.Hunks != nil {
		b.skipped = append(b.skipped, out)
	}
}

// settle decides, when all sections are known, which of them are already applied: they are skipped, or their refusals
// say so.
func (b *builder) settle(sections int) {
	proved := slices.ContainsFunc(b.applied, func(a applied) bool { return a.proof == strong })
	whole := len(b.applied) == sections && proved
	done := map[int]bool{} // by section
	for _, a := range b.applied {
		if a.proof < strong && !whole {
			b.unproved(a.skip.Section)
			continue
		}
		done[a.skip.Section] = true
		if b.opts.Idempotent {
			b.skipped = append(b.skipped, a.skip)
		}
	}
	if len(done) == 0 && !slices.ContainsFunc(b.errs, func(e *fail.Error) bool { return e.Already }) {
		return
	}
	if b.opts.Idempotent {
		slices.SortStableFunc(b.skipped, func(a, b Skip) int { return a.Section - b.Section })
		b.errs = slices.DeleteFunc(b.errs, func(e *fail.Error) bool { return done[e.Section-1] })
		return
	}
	for i, e := range b.errs {
		tells(e, done[e.Section-1], whole && i == 0)
	}
}

// unproved says, to who wants what is applied to be skipped, why the section i is not: its file is gone, and nothing
// says that it was ever there.
func (b *builder) unproved(i int) {
	for _, e := range b.errs {
		if e.Section == i+1 && b.opts.Idempotent {
			e.Hint = "If it was done before, leave the section out, or expect the sha256 that the file had: then it counts as applied."
		}
	}
}

// tells says in a refusal that what it refuses is already applied, if it is: the section, or at least its hunk.
func tells(e *fail.Error, section, whole bool) {
	const skips = ", or send the patch with idempotent: true (--idempotent), which skips it."
	e.Already = e.Already || section
	switch {
	case whole:
		e.Msg, e.Hint = "the whole patch is already applied: "+e.Msg, "Nothing is left to do. With idempotent: true (--idempotent) that is no error."
	case section:
		e.Msg, e.Hint = e.Msg+" (the section is already applied)", "Leave the section out"+skips
	case e.Already:
		e.Msg, e.Hint = e.Msg+" (the hunk is already applied)", "Leave the hunk out"+skips
	}
}

// every is the numbers from 0 up to n, or nil.
func every(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}
