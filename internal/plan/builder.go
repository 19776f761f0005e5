package plan

import (
	"cmp"
	"context"
	"fmt"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/internal/plan/internal/suggest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// builder is the work of one Build.
type builder struct {
	ctx   context.Context
	rules dialect.Rules
	src   Source
	opts  Options

	sections  []patch.Section // of the patch
	steps     []Step
	errs      fail.List
	skipped   []Skip
	applied   []applied                       // sections that are, or may be, already applied
	state     map[any]*fileState              // by place: what earlier sections left there
	circle    map[int]bool                    // see ordered
	exchanges map[any]*fileState              // by place: what the sections of circle leave there
	claimed   map[any]int                     // by place: the patch line of the section that claims it
	rereads   int                             // bytes that may still be read of what earlier sections left
	survey    *Survey                         // for BuildSurvey; else nil
	attempt   bool                            // to prove a decoding: a refusal is not explained
	marked    map[*patch.Section][]patch.Hunk // with marks put back, see noteMissingMarks
	passed    []string                        // see Plan.Passed
	lookups   int                             // sections for which versions were looked for

	listed      map[string]map[string][]string // see namesIn
	corrections suggest.Corrections            // what refusals offer
}

// fileState is a file as earlier sections leave it.
type fileState struct {
	exists    bool
	link      bool
	exec      bool
	data, sum string
}

// applied is a section that is already applied, as surely as proof says. Weak proof counts if all other sections are
// applied.
type applied struct {
	proof repeat.Proof
	skip  Skip
}

// maxRereads bounds the bytes that sections of one path read of what earlier ones left, all together.
const maxRereads = 1 << 30

func newBuilder(ctx context.Context, r dialect.Rules, src Source, o Options) *builder {
	return &builder{ctx: ctx, rules: r, src: src, opts: o, state: map[any]*fileState{}, circle: map[int]bool{}, exchanges: map[any]*fileState{}, claimed: map[any]int{}, rereads: maxRereads, corrections: suggest.Corrections{}, listed: map[string]map[string][]string{}}
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

// source finds and reads the file that a section changes.
func (b *builder) source(s *patch.Section, step *Step) error {
	f, err := b.look(s.Path, s)
	if err != nil {
		return err
	}
	if f.Kind == Missing {
		if other, ok := b.otherPath(s); ok {
			f = other
		}
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
		if s.Op == patch.Delete && b.rules.DeletesFiles {
			return b.leadsToFile(s)
		}
		if s.Op == patch.Delete || s.Op == patch.Move && len(s.Hunks) == 0 {
			return nil // the link itself goes
		}
	}
	step.Before, step.BeforeSum, err = b.load(f)
	if err != nil {
		return err
	}
	_, changed := b.state[f.Place] // by an earlier section, which was checked
	if want, ok := b.opts.Expect[s.Path]; ok && !changed && want != step.BeforeSum {
		if step.seen = b.versionSeen(s, f, want); step.seen == nil {
			return changedSince(s.Path, want, step.BeforeSum)
		}
	}
	return nil
}

// leadsToFile refuses a section for a link that leads to no regular file.
func (b *builder) leadsToFile(s *patch.Section) error {
	const hint = "Leave the section out: in this dialect a link is deleted only if it leads to a file."
	switch kind, err := b.src.LeadsTo(b.ctx, s.Path, b.rules.Absolute); {
	case err != nil:
		return err
	case kind == Missing:
		return &fail.Error{Kind: fail.NotFound, Path: s.Path, Msg: fmt.Sprintf("no such file to %s: the path is a link that leads nowhere", s.Op), Hint: hint}
	case kind != Regular:
		return &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: s.Path, Msg: "is a link that leads to no regular file", Hint: hint}
	}
	return nil
}

func (b *builder) missing(f File, s *patch.Section) error {
	if want := b.opts.Expect[s.Path]; want != "" {
		return stale(s.Path, want, "", "the file is gone")
	}
	hint := "Check the path: it is relative to ‹here›. " + cmp.Or(b.rules.ToAdd, "Add File makes a new file.")
	if !f.HasParent {
		hint = "Check the path: its directory does not exist either. Paths are relative to ‹here›."
	}
	if p := withoutSide(s.Path); p != s.Path {
		if other, err := b.src.Look(b.ctx, p, b.rules.Absolute); err == nil && other.Kind == Regular {
			hint = fmt.Sprintf("Did you mean %s? Write the path without the a/ or b/ of a diff before it.", fail.Quote(p))
		}
	}
	return &fail.Error{Kind: fail.NotFound, Path: s.Path, Msg: fmt.Sprintf("no such file to %s", s.Op), Hint: hint}
}

// look finds what is at the path of a section and claims it.
func (b *builder) look(p string, s *patch.Section) (File, error) {
	f, err := b.src.Look(b.ctx, p, b.rules.Absolute)
	if err != nil {
		return f, err
	}
	if err := b.claim(f, p, s); err != nil {
		return f, err
	}
	return b.afterEarlier(f), nil
}

// claim refuses a path that another section names too, unless sections of one path apply in order.
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

// afterEarlier returns f as the earlier sections leave it.
func (b *builder) afterEarlier(f File) File {
	if st, ok := b.state[f.Place]; ok {
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
	if st, ok := b.state[f.Place]; ok {
		if b.rereads -= len(st.data); b.rereads < 0 {
			return "", "", &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit,
				Msg:  "too many sections change files that earlier sections changed: each reads its file anew",
				Hint: "Put everything that happens to one file into one section."}
		}
		return st.data, st.sum, nil
	}
	return b.src.Load(b.ctx, f)
}

// noteResult notes what the step leaves at place.
func (b *builder) noteResult(place any, step *Step) {
	if step.AfterSum == "" {
		step.AfterSum = text.Sum(step.After)
	}
	exec := step.Exec || step.Op != patch.Add && step.Source.Exec
	if step.Mode != patch.KeepMode {
		exec = step.Mode == patch.Executable
	}
	b.state[place] = &fileState{exists: true, exec: exec, data: step.After, sum: step.AfterSum}
}

func (b *builder) checkParent(f File, p string) error {
	if f.HasParent || b.rules.MakeParents {
		return nil
	}
	return &fail.Error{Kind: fail.NotFound, Path: p, Msg: "its directory does not exist",
		Hint: "Create the directory first‹lenient:, or allow emend to create it with {}›."}
}
