package plan

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// decode returns the plan of the only decoding of p, which err refuses, that the files prove; nil if there is none, or several
// that do not agree. Proved is a decoding of which every hunk has its only place byte for byte. A patch is decoded only if it
// cannot be read, or all that is wrong is that lines of hunks are nowhere in their files: any other refusal shows that the patch
// means what it says.
//
// Every decoding costs what the patch itself does.
func (b *builder) decode(p patch.Patch, err error) (out *Plan) {
	if b.opts.Decodings == nil || err == nil || b.opts.Unread == nil && !allNowhere(err) {
		return nil
	}
	for d := range b.decodings(p) {
		switch plan, known := b.prove(d); {
		case !known:
			return nil
		case plan == nil:
		case out == nil:
			out = plan
		case !agree(out, plan):
			return nil
		}
	}
	return out
}

// allNowhere reports whether err refuses hunks only, and each because its lines are not in the file as they are.
func allNowhere(err error) bool {
	list, ok := errors.AsType[fail.List](err)
	return ok && !slices.ContainsFunc(list, func(e *fail.Error) bool {
		return e.Hunk == 0 || e.Reason != fail.ContextNotFound || e.Already || e.Old == nil
	})
}

// decodings yields the decodings of the text, and last the patch with the marks that the files show to be missing.
func (b *builder) decodings(p patch.Patch) iter.Seq[dialect.Decoding] {
	return func(yield func(dialect.Decoding) bool) {
		for d := range b.opts.Decodings {
			if !yield(d) {
				return
			}
		}
		if len(b.marked) == 0 {
			return
		}
		d := dialect.Decoding{Name: decode.MissingMarks, Parsed: dialect.Parsed{Patch: p}}
		d.Patch.Sections = slices.Clone(p.Sections)
		for i := range p.Sections {
			if hunks, ok := b.marked[&p.Sections[i]]; ok {
				d.Patch.Sections[i].Hunks = hunks
			}
		}
		yield(d)
	}
}

// attemptAt returns the builder that plans a decoding: byte for byte, and without skipping what is applied.
func (b *builder) attemptAt(d dialect.Decoding) (*builder, error) {
	expect, err := ExpectBySection(d.Patch.Sections, b.opts.Expect)
	rules := b.rules
	rules.Ladder = []patch.Rung{patch.Exact}
	a := newBuilder(b.ctx, rules, b.src, Options{Expect: expect})
	a.attempt = true
	return a, err
}

// prove plans a decoding. It returns nil if it is refused, or if a file or the outcome speaks against it. It reports false if nothing is
// known: the work was given up, or a file has what the decoding takes off added lines. Whether these mean it is then open, for every other
// decoding too.
func (b *builder) prove(d dialect.Decoding) (out *Plan, known bool) {
	a, err := b.attemptAt(d)
	if err != nil {
		return nil, true
	}
	out, err = a.build(d.Patch)
	if err != nil {
		return nil, !errors.Is(err, fail.Timeout) && !errors.Is(err, fail.CommandFailed)
	}
	for i := range out.Steps {
		s := &out.Steps[i]
		if len(s.Hunks) == 0 {
			continue
		}
		if slices.ContainsFunc(d.Absent, func(t string) bool { return strings.Contains(s.Before, t) }) {
			return nil, false
		}
		if s.Before == s.After || contradicts(s.Before, &d, &d.Patch.Sections[s.Section]) {
			return nil, true
		}
	}
	out.Decoded = &d
	return out, true
}

// contradicts reports whether a file has a changed line of section s with its mark: that line may be context whose own mark is missing. An
// added line that seems to hold two shows more damage than was decoded.
func contradicts(file string, d *dialect.Decoding, s *patch.Section) bool {
	for _, h := range s.Hunks {
		if slices.ContainsFunc(h.Lines, func(l patch.Line) bool { return !l.Old() && decode.RunTogether(l.Text()) }) {
			return true
		}
	}
	if d.Name != decode.MissingMarks {
		return false
	}
	changed := map[string]bool{}
	for _, h := range s.Hunks {
		for _, l := range h.Lines {
			if l.Mark() != ' ' && strings.TrimSpace(l.Text()) != "" {
				changed[string(l)] = true
			}
		}
	}
	lines := text.Split(file)
	for n := range lines.Len() {
		if changed[lines.Line(n)] {
			return true
		}
	}
	return false
}

// agree reports whether two plans leave the same.
func agree(a, b *Plan) bool {
	return slices.EqualFunc(a.Steps, b.Steps, func(a, b Step) bool {
		return a.Op == b.Op && a.Path == b.Path && a.To == b.To && a.After == b.After
	})
}

// noteMissingMarks keeps the hunks of section s with the marks put back that they miss, if that is all that most of them lack.
func (b *builder) noteMissingMarks(s *patch.Section, p *place.Placement) {
	if b.opts.Decodings == nil || b.attempt || b.rules.Unmarked {
		return
	}
	hunks, found := slices.Clone(s.Hunks), false
	for k := range hunks {
		if lines, ok := p.WithMissingMarks(k); ok {
			hunks[k].Lines, hunks[k].Blank, found = lines, 0, true
		}
	}
	if found {
		if b.marked == nil {
			b.marked = map[*patch.Section][]patch.Hunk{}
		}
		b.marked[s] = hunks
	}
}
