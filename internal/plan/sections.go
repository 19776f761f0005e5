package plan

import (
	"fmt"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func (b *builder) add(s *patch.Section, step *Step) error {
	f, err := b.look(s.Path, s)
	if err != nil {
		return err
	}
	step.Path, step.Source, step.After = f.Rel, f, s.Content
	want, checked := b.opts.Expect[s.Path]
	switch {
	case checked && want != "":
		e := stale(s.Path, want, "", "the patch adds this file: the only hash to expect is the empty one")
		e.Hint = "Expect the empty hash, which asserts that the file is not there, or none."
		return e
	case f.Kind == Directory:
		return exists(s.Path, "the patch adds this file, but it is a directory", "Choose another path.")
	case f.Kind != Missing && (checked || !b.rules.AddReplaces):
		return exists(s.Path, "the patch adds this file, but it exists", "Use an Update section to change the file, or choose another path.")
	case f.Kind != Missing:
		if err := b.replaced(f, step); err != nil {
			return err
		}
	default:
		if err := b.checkParent(f, s.Path); err != nil {
			return err
		}
	}
	b.noteResult(f.Place, step)
	return nil
}

// replaced reads the file that the step replaces. The source refuses a link and anything else that is no regular file.
func (b *builder) replaced(f File, step *Step) error {
	step.Replaces = &f
	data, sum, err := b.load(f)
	if step.Op == patch.Add {
		step.Before, step.BeforeSum = data, sum
	}
	return err
}

func (b *builder) update(s *patch.Section, step *Step) error {
	if err := b.source(s, step); err != nil {
		return err
	}
	if len(s.Hunks) == 0 {
		return &fail.Error{Kind: fail.PatchParse, Path: s.Path, Line: s.Line, Msg: "the section has no hunks",
			Expected: "a hunk", Hint: "Write at least one hunk under the header, or leave the section out."}
	}
	if err := b.edit(s, step); err != nil || step.changesNothing() {
		return err
	}
	b.noteResult(step.Source.Place, step)
	return nil
}

func (b *builder) remove(s *patch.Section, step *Step) error {
	if err := b.source(s, step); err != nil {
		return err
	}
	b.state[step.Source.Place] = &fileState{}
	return nil
}

func (b *builder) move(s *patch.Section, step *Step) error {
	if err := b.source(s, step); err != nil {
		return err
	}
	step.Writes = s.To
	to, err := b.src.Look(b.ctx, s.To, b.rules.Absolute)
	if err != nil {
		return err
	}
	if to.Place == step.Source.Place {
		return b.moveInPlace(s, step)
	}
	if err := b.claim(to, s.To, s); err != nil {
		return err
	}
	to = b.afterEarlier(to)
	if b.rules.MoveInPlace && to.Inode != nil && to.Inode == step.Source.Inode {
		return b.moveInPlace(s, step)
	}
	step.To, step.Dest = to.Rel, to
	switch {
	case to.Kind == Directory:
		return exists(s.To, fmt.Sprintf("the patch moves %s here, but it is a directory", fail.Quote(s.Path)), "Name the file in it that the move is to make.")
	case to.Kind != Missing && !b.rules.MoveReplaces:
		return exists(s.To, fmt.Sprintf("the patch moves %s here, but the path exists", fail.Quote(s.Path)),
			"Delete or move what is there in a patch of its own, or choose another destination.")
	case to.Kind != Missing && step.Source.Kind == Link:
		return exists(s.To, fmt.Sprintf("the patch moves the link %s here, but the path exists", fail.Quote(s.Path)),
			"Delete what is there in a patch of its own, or choose another destination.")
	case to.Kind != Missing:
		if err := b.replaced(to, step); err != nil {
			return err
		}
	default:
		if err := b.checkParent(to, s.To); err != nil {
			return err
		}
	}
	if step.Source.Kind == Link {
		b.state[step.Source.Place] = &fileState{}
		b.state[to.Place] = &fileState{exists: true, link: true}
		return nil
	}
	if err := b.edit(s, step); err != nil {
		return err
	}
	b.state[step.Source.Place] = &fileState{}
	b.noteResult(to.Place, step)
	return nil
}

// moveInPlace plans a move of a file onto itself, which must never lose it.
func (b *builder) moveInPlace(s *patch.Section, step *Step) error {
	if !b.rules.MoveInPlace {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SamePath, Path: s.Path,
			Msg:  fmt.Sprintf("%s and %s are the same path", fail.Quote(s.Path), fail.Quote(s.To)),
			Hint: "Use an Update section to change a file in place."}
	}
	step.Op = patch.Update
	if err := b.edit(s, step); err != nil {
		return err
	}
	b.noteResult(step.Source.Place, step)
	return nil
}
