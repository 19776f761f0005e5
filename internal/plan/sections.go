package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

func (b *builder) add(s *patch.Section, step *Step) error {
	f, err := b.look(s.Path, s)
	if err != nil {
		return err
	}
	step.Path, step.Source, step.After, step.Exec = f.Rel, f, s.Content, s.Mode == patch.Executable
	want, checked := b.opts.Expect[s.Path]
	switch {
	case checked && want != "":
		e := stale(s.Path, want, "", "the patch adds this file: the only hash to expect is the empty one")
		e.Hint = "Expect the empty hash, which asserts that the file is not there, or none."
		return e
	case f.Kind == Directory:
		return exists(s.Path, "the patch adds this file, but it is a directory", "Choose another path.")
	case f.Kind != Missing && (checked || !b.rules.AddReplaces && !b.fills(f)):
		return exists(s.Path, "the patch adds this file, but it exists", cmp.Or(b.rules.ToUpdate, "Use an Update section to change the file, or choose another path."))
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

// fills reports whether lines may be put into f, which is empty.
func (b *builder) fills(f File) bool {
	st, changed := b.state[f.Place]
	return b.rules.AddFills && f.Kind == Regular && (changed && st.data == "" || !changed && f.Size == 0)
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
		if b.rules.FromNothing && errors.Is(err, fail.NotFound) && isAllNew(s) {
			step.Op = patch.Add
			return b.add(newFile(s), step)
		}
		return err
	}
	if len(s.Hunks) == 0 && s.Mode == patch.KeepMode {
		return &fail.Error{Kind: fail.PatchParse, Path: s.Path, Line: s.Line, Msg: "the section has no hunks",
			Expected: "a hunk", Hint: "Write at least one hunk under the header, or leave the section out."}
	}
	if step.Source.Kind == Link && len(s.Hunks) == 0 {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: s.Path, Msg: "is a symbolic link, which has no mode of its own",
			Hint: "Name the file that it leads to."}
	}
	b.setMode(s, step)
	if err := b.edit(s, step); err != nil || step.changesNothing() {
		return err
	}
	if b.rules.MustChange && step.Before == step.After && step.Mode == patch.KeepMode {
		return nothingToChange(s)
	}
	b.noteResult(step.Source.Place, step)
	return nil
}

// isAllNew reports whether s finds no line, and leaves lines from the first one on: it is about a file that is empty, or not there.
func isAllNew(s *patch.Section) bool {
	return len(s.Hunks) == 1 && s.Hunks[0].At == 1 && !slices.ContainsFunc(s.Hunks[0].Lines, patch.Line.Old)
}

// newFile returns s as the section that adds its file.
func newFile(s *patch.Section) *patch.Section {
	h := &s.Hunks[0]
	content := strings.Join(h.New(), text.LF)
	if !h.NewOpen {
		content += text.LF
	}
	return &patch.Section{Op: patch.Add, Path: s.Path, Line: s.Line, Content: content, Mode: s.Mode}
}

// setMode gives the step the mode that s asks for, if the file does not have it.
func (b *builder) setMode(s *patch.Section, step *Step) {
	if st, ok := b.state[step.Source.Place]; ok {
		step.Source.Exec = st.exec
	}
	if s.Mode != patch.KeepMode && (s.Mode == patch.Executable) != step.Source.Exec {
		step.Mode = s.Mode
	}
}

// nothingToChange refuses a section that would leave its file as it is.
func nothingToChange(s *patch.Section) error {
	e := &fail.Error{Kind: fail.PatchApply, Reason: fail.NothingToChange, Path: s.Path, Msg: "the section would change nothing",
		Hint: "Leave it out. If it is to change something, write the lines that it removes with \"-\" and those that it adds with \"+\"."}
	if len(s.Hunks) == 0 {
		e.Msg, e.Hint = "the section would change nothing: the file has this mode already", "Leave the section out."
	}
	return e
}

func (b *builder) remove(s *patch.Section, step *Step) error {
	if err := b.source(s, step); err != nil {
		return err
	}
	if err := holdsAll(s, step); err != nil {
		return err
	}
	b.state[step.Source.Place] = &fileState{}
	return nil
}

// holdsAll refuses a Delete whose lines are not those of the file, or which names another content. One without both says nothing of it.
func holdsAll(s *patch.Section, step *Step) error {
	have := step.Before
	if step.Source.Kind == Link {
		have = step.Source.Target
	}
	if len(s.Hunks) == 0 {
		if _, differs := madeFrom(s, have); differs {
			return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Path: s.Path,
				Msg:  "the patch deletes another content than the file has, by its line index",
				Hint: "Read the file again. To delete it whatever it holds, leave that line out."}
		}
		return nil
	}
	var lines []string
	open := false
	for i := range s.Hunks {
		lines, open = append(lines, s.Hunks[i].Old()...), s.Hunks[i].OldOpen
	}
	content := strings.Join(lines, text.LF)
	if !open {
		content += text.LF
	}
	if have == content {
		return nil
	}
	file := text.Split(have)
	same := step.Source.Kind != Link && file.Len() == len(lines) && file.Open() == open
	n := 0
	for n < min(file.Len(), len(lines)) && file.Line(n) == lines[n] {
		n++
	}
	if same && n == len(lines) {
		return nil // but for line ends
	}
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Path: s.Path, Line: n + 1,
		Msg:  fmt.Sprintf("the patch deletes the file with %d lines that it names, and from line %d on the file has others", len(lines), n+1),
		Hint: "Read the file again. To delete it whatever it holds, leave the lines out."}
}

// copy plans a new file from another one, as that one was before the patch.
func (b *builder) copy(s *patch.Section, step *Step) error {
	step.Op, step.Writes = patch.Add, s.To
	from, err := b.src.Look(b.ctx, s.Path, b.rules.Absolute)
	if err != nil {
		return err
	}
	earlier := from.Kind == Missing // only an earlier section may have made it
	if earlier {
		from = b.afterEarlier(from)
		if st, ok := b.state[from.Place]; ok {
			from.Exec = st.exec
		}
	}
	step.Source = from
	switch from.Kind {
	case Missing:
		return b.missing(from, s)
	case Directory:
		return isDirectory(s.Path)
	case Regular:
	default:
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: s.Path, Msg: "is no regular file, and only those are copied",
			Hint: "Copy the file that it leads to, or leave the section out."}
	}
	if earlier {
		step.Before, step.BeforeSum, err = b.load(from)
	} else {
		step.Before, step.BeforeSum, err = b.src.Load(b.ctx, from)
	}
	if err != nil {
		return err
	}
	if want, ok := b.opts.Expect[s.Path]; ok && want != step.BeforeSum {
		return changedSince(s.Path, want, step.BeforeSum)
	}
	if b.rereads -= len(step.Before); b.rereads < 0 {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit, Path: s.Path, Msg: "the patch copies too much",
			Hint: "Copy large files with another tool."}
	}
	if err := b.edit(s, step); err != nil {
		return err
	}
	after, sum, hunks := step.After, step.AfterSum, step.Hunks
	if err := b.add(&patch.Section{Op: patch.Add, Path: s.To, Content: after, Line: s.Line}, step); err != nil {
		return err
	}
	if step.Replaces == nil {
		step.Before, step.BeforeSum = "", ""
	}
	step.After, step.AfterSum, step.Hunks, step.Edits, step.Bytes = after, sum, hunks, nil, nil
	step.Exec = s.Mode == patch.Executable || s.Mode == patch.KeepMode && from.Exec
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
	if err := OtherCase(step.Source, to); err != nil {
		return err
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
	b.setMode(s, step)
	if err := b.edit(s, step); err != nil {
		return err
	}
	b.state[step.Source.Place] = &fileState{}
	b.noteResult(to.Place, step)
	return nil
}

// OtherCase refuses a move that changes nothing but the case of a name, where both names are one file.
func OtherCase(from, to File) error {
	if from.Inode == nil || from.Inode != to.Inode || !strings.EqualFold(from.Rel, to.Rel) || from.Rel == to.Rel {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SamePath, Path: from.Rel,
		Msg:  fmt.Sprintf("%s and %s are the same file", fail.Quote(from.Rel), fail.Quote(to.Rel)),
		Hint: "To change the case of a name here, move the file to a third name, and from there to this one. Nothing was changed."}
}

// moveInPlace plans a move of a file onto itself, which must never lose it.
func (b *builder) moveInPlace(s *patch.Section, step *Step) error {
	if !b.rules.MoveInPlace {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SamePath, Path: s.Path,
			Msg:  fmt.Sprintf("%s and %s are the same path", fail.Quote(s.Path), fail.Quote(s.To)),
			Hint: "Use an Update section to change a file in place."}
	}
	step.Op = patch.Update
	b.setMode(s, step)
	if err := b.edit(s, step); err != nil {
		return err
	}
	b.noteResult(step.Source.Place, step)
	return nil
}
