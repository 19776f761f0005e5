// Package plan turns a patch and the contents of files into after-images. It refuses what is ambiguous, what
// overlaps and what would change something the patch does not say.
//
// It writes nothing and opens nothing: a [Source] hands it the files. All that can be decided before a disk is
// touched is decided here, and every failing section and hunk of a patch is reported, not only the first.
package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Options are what a caller asks of one plan.
type Options struct {
	// Expect holds the sha256 that files must have now, by their path as the patch writes it; "" asserts that
	// an added file is not there. Paths that are not in the map are not checked.
	Expect map[string]string
	// Print writes one hunk in the dialect of the patch, for the corrected hunks of a refusal.
	Print func(patch.Hunk) (string, bool)
	// Idempotent skips what is already applied, instead of refusing it.
	Idempotent bool
}

// Plan is what a patch would do, settled. Steps are in patch order.
type Plan struct {
	Steps   []Step
	Skipped []Skip // what is left out since it is already applied
}

// Step is one section's effect on one file.
type Step struct {
	Op       patch.Op
	Path, To string // relative to the workspace
	Writes   string // the path as the patch wrote it: the destination, for a Move
	Section  int    // its number in the patch, from 0

	Before, After       string // contents; what an Add replaces is its Before
	BeforeSum, AfterSum string // their sha256; "" where there is no file
	Replaces            *File  // the file that an Add or a Move replaces, if any
	Exec                bool   // an Add makes an executable file
	Back                string // the very file that the history keeps under this name comes to stand here, not After
	Like                string // an Add gets the mode and owner of the file that the history keeps under this name
	Lender              *File  // an Update gets the mode and owner of this file, which goes elsewhere in the same plan
	Fresh               bool   // with Back: it is as new as if it had just been written
	Size                int64  // of what comes to stand here, where After does not have it

	Source File // what was looked at, for the commit to verify
	Dest   File // Move: what stands at the destination

	Hunks []Placed
	Edits []Edit // Update and Move: how After came from Before
	Bytes []Edit // the same edits, in bytes; nil where only the lines are known
}

// Placed is where a hunk landed.
type Placed = api.Placed

// Edit says that lines A0 up to A1 of the old text became lines B0 up to B1 of the new one, from 0.
type Edit struct{ A0, A1, B0, B1 int }

// Applied reports whether there is nothing to do, since all of the patch is already applied.
func (p *Plan) Applied() bool { return len(p.Steps) == 0 && len(p.Skipped) > 0 }

// HunkCount is the number of hunks that the whole plan applies.
func (p *Plan) HunkCount() int {
	n := 0
	for _, s := range p.Steps {
		for _, h := range s.Hunks {
			if !h.Skipped {
				n++
			}
		}
	}
	return n
}

// Build settles p under rules r. On refusal the error is a fail.List with every failing section and hunk, in
// patch order; on cancellation it wraps ctx's error.
//
// Building takes time linear in the files and the patch. It holds at most 3 x (files + patch) + 16 bytes a line +
// 32 MiB: the contents before and after, and for one file at a time what placing its hunks costs. Of the 32 MiB, some
// 300 bytes are for a hunk itself, however short, so that the bound holds for a hundred thousand of them in one file.
// BenchmarkBuild prints both.
func Build(ctx context.Context, p patch.Patch, r dialect.Rules, src Source, o Options) (*Plan, error) {
	return newBuilder(ctx, r, src, o).build(p)
}

func newBuilder(ctx context.Context, r dialect.Rules, src Source, o Options) *builder {
	return &builder{ctx: ctx, rules: r, src: src, opts: o, overlay: map[any]*state{}, claimed: map[any]int{}}
}

func (b *builder) build(p patch.Patch) (*Plan, error) {
	for i := range p.Sections {
		if err := b.ctx.Err(); err != nil {
			return nil, ended(err)
		}
		b.section(i, &p.Sections[i])
	}
	b.nesting(p.Sections)
	b.settle(len(p.Sections))
	if len(b.errs) > 0 {
		slices.SortStableFunc(b.errs, func(a, b *fail.Error) int { return a.Section - b.Section })
		return nil, b.errs
	}
	return &Plan{Steps: b.steps, Skipped: b.skipped}, nil
}

// ended is a call whose context has ended while it was planned.
func ended(err error) error {
	e := &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Cause: err,
		Msg: "cancelled while planning", Hint: "Nothing was changed; send the patch again."}
	if errors.Is(err, context.DeadlineExceeded) {
		e.Kind, e.Reason, e.Msg = fail.Timeout, "", "the time ran out while planning"
	}
	return e
}

// builder is the work of one Build.
type builder struct {
	ctx   context.Context
	rules dialect.Rules
	src   Source
	opts  Options

	steps   []Step
	errs    fail.List
	skipped []Skip
	applied []applied      // the sections that are already applied, or may be
	overlay map[any]*state // by place: what earlier sections made of it
	claimed map[any]int    // by place: the patch line of the section that has it
	survey  *Survey        // what is found out about every section, where somebody wants to know
}

// state is a file as earlier sections leave it.
type state struct {
	exists    bool
	link      bool
	data, sum string
}

func (b *builder) section(i int, s *patch.Section) {
	step := Step{Op: s.Op, Section: i, Writes: s.Path}
	var err error
	switch s.Op {
	case patch.Add:
		err = b.add(s, &step)
	case patch.Update:
		err = b.update(s, &step)
	case patch.Delete:
		err = b.remove(s, &step)
	case patch.Move:
		err = b.move(s, &step)
	}
	if b.survey != nil {
		b.surveyed(s, &step, err)
	}
	how := b.standing(s, &step, err)
	if how != none {
		b.applied = append(b.applied, applied{how, Skip{Op: step.Op, Path: step.Path, To: step.To, Section: i, Hunks: every(len(s.Hunks))}})
	}
	switch {
	case err != nil:
		b.refuse(i, s, err)
	case how == none || !b.opts.Idempotent:
		b.steps = append(b.steps, step)
		b.parts(&step)
	}
}

// refuse notes why section i cannot be applied.
func (b *builder) refuse(i int, s *patch.Section, err error) {
	for _, e := range fail.All(err) {
		if e.Path == "" {
			e.Path = s.Path
		}
		e.Path = fail.Short(e.Path)
		e.Section = i + 1
		b.errs = append(b.errs, e)
	}
}

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
		if err := b.parent(f, s.Path); err != nil {
			return err
		}
	}
	b.result(f.Place, step)
	return nil
}

// replaced reads what the step takes the place of. A link, or anything else that is no regular file, is refused by
// the source.
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
	if err := b.edit(s, step); err != nil || step.idle() {
		return err
	}
	b.result(step.Source.Place, step)
	return nil
}

func (b *builder) remove(s *patch.Section, step *Step) error {
	if err := b.source(s, step); err != nil {
		return err
	}
	b.overlay[step.Source.Place] = &state{}
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
	to = b.latest(to)
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
		if err := b.parent(to, s.To); err != nil {
			return err
		}
	}
	if step.Source.Kind == Link {
		b.overlay[step.Source.Place] = &state{}
		b.overlay[to.Place] = &state{exists: true, link: true}
		return nil
	}
	if err := b.edit(s, step); err != nil {
		return err
	}
	b.overlay[step.Source.Place] = &state{}
	b.result(to.Place, step)
	return nil
}

// moveInPlace is a move onto itself, which must never lose the file.
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
	b.result(step.Source.Place, step)
	return nil
}

// source finds and reads the file that a section changes.
func (b *builder) source(s *patch.Section, step *Step) error {
	f, err := b.look(s.Path, s)
	if err != nil {
		return err
	}
	step.Path, step.Source = f.Rel, f
	switch f.Kind {
	case Missing:
		return b.missing(f, s)
	case Directory:
		return isDirectory(s.Path)
	case Link:
		if want, ok := b.opts.Expect[s.Path]; ok {
			return stale(s.Path, want, "", "the path is a symbolic link, which has no hash")
		}
		if s.Op == patch.Delete || s.Op == patch.Move && len(s.Hunks) == 0 {
			return nil // the link itself goes
		}
	}
	step.Before, step.BeforeSum, err = b.load(f)
	if err != nil {
		return err
	}
	_, changed := b.overlay[f.Place] // by an earlier section, which was checked
	if want, ok := b.opts.Expect[s.Path]; ok && !changed && want != step.BeforeSum {
		return stale(s.Path, want, step.BeforeSum, "the file changed since it was read")
	}
	return nil
}

func (b *builder) missing(f File, s *patch.Section) error {
	if want := b.opts.Expect[s.Path]; want != "" {
		return stale(s.Path, want, "", "the file is gone")
	}
	hint := "Check the path: it is relative to the directory that emend runs in. Add File makes a new file."
	if !f.HasParent {
		hint = "Check the path: its directory does not exist either. Paths are relative to the directory that emend runs in."
	}
	return &fail.Error{Kind: fail.NotFound, Path: s.Path, Msg: fmt.Sprintf("no such file to %s", s.Op), Hint: hint}
}

// edit places the section's hunks in step.Before.
func (b *builder) edit(s *patch.Section, step *Step) error {
	if len(s.Hunks) == 0 {
		step.After, step.AfterSum = step.Before, step.BeforeSum
		return nil
	}
	if text.Binary(step.Before) {
		return &fail.Error{Kind: fail.BinaryFile, Path: s.Path, Msg: "the file is binary; a patch of lines cannot change it",
			Hint: "Delete the file and add a new one, or write it with another tool."}
	}
	p := placing(text.Split(step.Before), s.Hunks, b.rules, b.survey != nil)
	out, err := p.settle(b.repeats(s, step), b.opts.Print)
	if b.survey != nil {
		b.survey.stands(p)
	}
	if err != nil {
		return err
	}
	if out.applied {
		step.After, step.AfterSum, step.Hunks = step.Before, step.BeforeSum, out.hunks
		return nil
	}
	step.After, step.AfterSum, step.Hunks, step.Edits, step.Bytes = out.after, out.sum, out.hunks, out.edits, out.bytes
	return nil
}

// look finds what stands at a section's path and claims it.
func (b *builder) look(p string, s *patch.Section) (File, error) {
	f, err := b.src.Look(b.ctx, p, b.rules.Absolute)
	if err != nil {
		return f, err
	}
	if err := b.claim(f, p, s); err != nil {
		return f, err
	}
	return b.latest(f), nil
}

// claim refuses a path that another section has, unless sections of one path apply in order.
func (b *builder) claim(f File, p string, s *patch.Section) error {
	line, taken := b.claimed[f.Place]
	b.claimed[f.Place] = s.Line
	if !taken || b.rules.RepeatPaths {
		return nil
	}
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.DuplicatePath, Path: p,
		Msg:  fmt.Sprintf("the sections on patch lines %d and %d both name this path", line, s.Line),
		Hint: "Put everything that happens to one file into one section."}
}

// latest is f as the earlier sections leave it.
func (b *builder) latest(f File) File {
	if st, ok := b.overlay[f.Place]; ok {
		f.Kind, f.HasParent, f.Inode = Missing, true, nil
		if st.exists {
			f.Kind = Regular
		}
		if st.link {
			f.Kind = Link
		}
	}
	return f
}

func (b *builder) load(f File) (data, sum string, err error) {
	if st, ok := b.overlay[f.Place]; ok {
		return st.data, st.sum, nil
	}
	return b.src.Load(b.ctx, f)
}

// result notes what the step leaves at place.
func (b *builder) result(place any, step *Step) {
	if step.AfterSum == "" {
		step.AfterSum = Sum(step.After)
	}
	b.overlay[place] = &state{exists: true, data: step.After, sum: step.AfterSum}
}

func (b *builder) parent(f File, p string) error {
	if f.HasParent || b.rules.MakeParents {
		return nil
	}
	return &fail.Error{Kind: fail.NotFound, Path: p, Msg: "its directory does not exist",
		Hint: "Create the directory first, or allow emend to create it with --lenient (lenient: true)."}
}

// nesting refuses a patch that makes a file where another section needs a directory.
func (b *builder) nesting(sections []patch.Section) {
	made := map[string]int{}
	for _, s := range b.steps {
		if p := s.writes(); p != "" {
			made[p] = s.Section
		}
	}
	for _, s := range b.steps {
		p := s.writes()
		for i := range p {
			if p[i] != '/' {
				continue
			}
			if other, ok := made[p[:i]]; ok {
				b.errs = append(b.errs, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
					Path: s.Writes, Section: s.Section + 1,
					Msg:  fmt.Sprintf("the section on patch line %d makes %s a file, not a directory", sections[other].Line, fail.Quote(p[:i])),
					Hint: "Choose another path for one of the two."})
			}
		}
	}
}

// writes is the path at which the step leaves a file, or "".
func (s *Step) writes() string {
	switch s.Op {
	case patch.Delete:
		return ""
	case patch.Move:
		return s.To
	}
	return s.Path
}

func stale(p, want, have, msg string) *fail.Error {
	return &fail.Error{Kind: fail.Stale, Path: p, Want: want, Have: have, Msg: msg,
		Hint: "Re-read the file to obtain the current sha256 and re-apply your edit."}
}

func exists(p, msg, hint string) error {
	return &fail.Error{Kind: fail.AlreadyExists, Path: p, Msg: msg, Hint: hint}
}

func isDirectory(p string) error {
	return &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: p, Msg: "is a directory, not a file",
		Hint: "List the directory and name a file in it."}
}

// errLimit says that placing gave up to stay linear.
func errLimit(err error) error {
	if err == nil {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit, Cause: err, Msg: err.Error(),
		Hint: "Send fewer hunks at once, or one hunk that covers them."}
}
