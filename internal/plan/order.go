package plan

import (
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// ordered returns the numbers of the sections in the order in which they are planned. It is theirs, but where a dialect names files as they
// are before the patch: there a section that makes a file waits for the one that takes away what is at its path. b.circle gets the moves
// that would wait for one another for ever, as a -> b and b -> a do.
func (b *builder) ordered(sections []patch.Section) (order []int) {
	takes := map[string]int{}
	for i := range sections {
		s := &sections[i]
		if _, twice := takes[s.Path]; b.rules.NamesBefore && !twice && (s.Op == patch.Move || s.Op == patch.Delete) {
			takes[s.Path] = i
		}
	}
	const waiting, done = 1, 2
	state := make([]int, len(sections))
	for first := range sections {
		var chain []int
		for i := first; state[i] == 0; {
			state[i] = waiting
			chain = append(chain, i)
			path := made(&sections[i])
			next, taken := takes[path]
			if !taken || next == i || state[next] == done || !b.existed(path) {
				break
			}
			if state[next] == waiting {
				for _, k := range chain[slices.Index(chain, next):] {
					b.circle[k] = true
				}
			}
			i = next
		}
		for _, i := range slices.Backward(chain) {
			order, state[i] = append(order, i), done
		}
	}
	return order
}

// made returns the path at which a section makes a file, or "".
func made(s *patch.Section) string {
	switch s.Op {
	case patch.Add:
		return s.Path
	case patch.Move, patch.Copy:
		return s.To
	}
	return ""
}

// existed reports whether something was at path before the patch.
func (b *builder) existed(path string) bool {
	f, err := b.src.Look(b.ctx, path, b.rules.Absolute)
	return err == nil && f.Kind != Missing
}

// exchange plans a move in a circle: its destination gets the content and the mode that the source had before the patch, because what is
// there goes to another place of the circle.
func (b *builder) exchange(s *patch.Section, step *Step) error {
	from, err := b.exchanged(s.Path)
	if err != nil {
		return err
	}
	to, err := b.exchanged(s.To)
	if err != nil {
		return err
	}
	if step.Source = from; from.Place == to.Place {
		return b.moveInPlace(s, step)
	}
	if step.Before, step.BeforeSum, err = b.src.Load(b.ctx, from); err != nil {
		return err
	}
	if want, ok := b.opts.Expect[s.Path]; ok && want != step.BeforeSum {
		return changedSince(s.Path, want, step.BeforeSum)
	}
	if s.Mode != patch.KeepMode && (s.Mode == patch.Executable) != from.Exec {
		step.Mode = s.Mode
	}
	if err := b.edit(s, step); err != nil {
		return err
	}
	exec := step.Mode == patch.Executable || step.Mode == patch.KeepMode && from.Exec
	step.Op, step.Path, step.Writes, step.Source, step.ModeFrom = patch.Update, to.Rel, s.To, to, &from
	step.Edits, step.Bytes = nil, nil // they are of the source
	if step.Before, step.BeforeSum, err = b.src.Load(b.ctx, to); err != nil {
		return err
	}
	st := &fileState{exists: true, exec: exec, data: step.After, sum: step.AfterSum}
	b.state[to.Place], b.exchanges[to.Place] = st, st
	return nil
}

// exchanged finds a file that changes places with others.
func (b *builder) exchanged(path string) (File, error) {
	const hint = "Move one of the files of the circle to a third name in a patch of its own first."
	f, err := b.src.Look(b.ctx, path, b.rules.Absolute)
	st, changed := b.state[f.Place]
	switch {
	case err != nil:
		return f, err
	case changed && st != b.exchanges[f.Place]:
		return f, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: path, Msg: "an earlier section changes this file, which changes places with others", Hint: hint}
	case f.Kind != Regular:
		return f, &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: path, Msg: "is no regular file, and only those change places with each other", Hint: hint}
	}
	return f, nil
}
