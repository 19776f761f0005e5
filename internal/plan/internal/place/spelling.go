package place

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/patch"
)

// spelling is how the added lines of a hunk are written into the file.
type spelling struct {
	indent.Shift
	plain string // the ASCII characters that are written for their typography
}

func (as spelling) apply(line string) string { return match.Plain(as.Apply(line), as.plain) }

// spelling returns how the added lines of hunk k are written where it was placed: as the lines that it matched are in the file,
// where that is not what the hunk has.
func (p *Placement) spelling(k int) (spelling, *fail.Error) {
	shift, ok := p.shift(k)
	if !ok {
		return spelling{}, p.unevenIndent(k)
	}
	if p.Rules.Place == dialect.Ordered && shift.Mixes(p.AsPlaced(k)) {
		return spelling{}, p.mixedIndent(k)
	}
	if !p.fitsStep(k, shift) {
		return spelling{}, p.oddIndent(k)
	}
	if p.Rules.Place == dialect.Ordered && (p.Rules.Corrects || p.Spots[k].rung != patch.Exact) && slices.ContainsFunc(p.Hunks[k].Lines, runTogether) && !p.fileRunsTogether() {
		return spelling{}, p.joinedLines(k)
	}
	if p.Rules.Place == dialect.Ordered && p.seemsCutOff(k) {
		return spelling{}, p.cutOff(k)
	}
	plain, r := p.plainAdditions(k)
	if r != 0 {
		return spelling{}, p.mixedTypography(k, r)
	}
	return spelling{shift, plain}, nil
}

// seemsCutOff reports whether hunk k, the last one, ends in a removed line that alone of its lines has white space behind the text of the
// file's line: what followed that space may be missing, and lines after it.
func (p *Placement) seemsCutOff(k int) bool {
	lines := p.AsPlaced(k)
	if k != len(p.Hunks)-1 || p.Spots[k].rung == patch.Exact || lines[len(lines)-1].Mark() != '-' || lines[0].Mark() != ' ' {
		return false
	}
	at, longer := p.Spots[k].first, 0
	var last string
	for _, l := range lines {
		if l.Old() {
			have := p.doc.Line(at)
			if last = strings.TrimPrefix(l.Text(), have); last != "" && last != l.Text() && strings.TrimSpace(last) == "" {
				longer++
			} else {
				last = ""
			}
			at = p.doc.Next(at)
		}
	}
	return longer == 1 && last != ""
}

func runTogether(l patch.Line) bool { return !l.Old() && decode.RunTogether(l.Text()) }

// fileRunsTogether reports whether the file has a line that seems to hold two: then one that is added to it may be meant so.
func (p *Placement) fileRunsTogether() bool {
	if !p.joinedKnown {
		p.joinedKnown = true
		for n := range p.File.Len() {
			if p.fileJoined = decode.RunTogether(p.File.Line(n)); p.fileJoined {
				break
			}
		}
	}
	return p.fileJoined
}

// shift returns how the added lines of hunk k are indented where it was placed. It fails if its lines do not all shift
// alike, or if nothing says how an added line is indented. A hunk whose own lines prove no tab width goes by the one
// that the other hunks of the section agree on.
func (p *Placement) shift(k int) (indent.Shift, bool) {
	s, lines := &p.Spots[k], p.Hunks[k].Lines
	s.moved = nil
	if s.rung < patch.Whitespace && (p.tabs == (indent.Tabs{}) || !indent.Added(lines)) {
		return indent.Shift{}, true
	}
	adds, words := indent.Adds(lines)
	if !adds {
		return indent.Shift{}, true
	}
	pairs, blanks, ok := p.indents(k)
	if !ok {
		return indent.Shift{}, !words
	}
	var out indent.Shift
	out, s.tabs = indent.NewShift(pairs, p.tabs)
	out = out.WithBlanks(blanks)
	for _, l := range lines {
		if l.Mark() != '+' {
			continue
		}
		if _, ok := out.Try(l.Text()); !ok {
			return indent.Shift{}, false
		}
	}
	return out, true
}

// indents pairs the indents of hunk k's old lines with those of the lines where it was placed, and those of blank lines apart. It
// fails if one indent became several.
func (p *Placement) indents(k int) (pairs, blanks indent.Pairs, ok bool) {
	s := &p.Spots[k]
	h := &p.Hunks[k]
	seen := indent.NewSeen(h.Lines)
	at := s.first
	for _, l := range s.form.of(h) {
		if l.Old() {
			seen.Add(l, p.doc.Line(at))
			at = p.doc.Next(at)
		}
	}
	pairs, ok = seen.Pairs()
	if s.moved = nil; seen.Moved {
		s.moved = seen
	}
	if !ok {
		return nil, nil, false
	}
	if s.form.lead && len(pairs) == 0 { // models write anchors without their indent, so they count only if no line does
		mine, _ := indent.Cut(h.Anchors[0])
		pairs[mine], _ = indent.Cut(p.doc.Line(p.doc.Prev(s.first)))
	}
	return pairs, seen.Blanks(), true
}

// agreedTabs returns the tab width that some hunks of the section prove, for those that prove none: a patch that is
// written in spaces is so from its first line to its last. It reports false if no hunk could need it.
func (p *Placement) agreedTabs() (indent.Tabs, bool) {
	var out indent.Tabs
	needed := false
	for k := range p.Spots {
		t := p.Spots[k].tabs
		out = out.And(t)
		needed = needed || t == (indent.Tabs{}) && indent.Added(p.Hunks[k].Lines)
	}
	return out, needed && out != (indent.Tabs{})
}

// fitsStep reports whether the added lines of hunk k, shifted, are indented as deep as lines of the file are: by a multiple of its
// step, or as a line that the hunk matched; and better among the lines of the file than unshifted. Otherwise the shift was inferred
// wrong: only the context was moved. If that is what the removed lines show, each run of added lines has to fit as it is written.
func (p *Placement) fitsStep(k int, shift indent.Shift) bool {
	if p.Rules.Place != dialect.Ordered {
		return true
	}
	lines := p.inFile(k)
	return shift.Fits(p.step(), p.AsPlaced(k)) && shift.Agrees(p.step(), lines) && (p.Spots[k].moved == nil || p.Spots[k].moved.RunsFit(p.step(), lines))
}

// inFile returns the lines of hunk k with the old ones as they are in the file, and the line of the file before and after them.
func (p *Placement) inFile(k int) (out []patch.Line) {
	at := p.Spots[k].first
	if before := p.doc.Prev(at); before != match.Begin {
		out = append(out, patch.Line(" "+p.doc.Line(before)))
	}
	for _, l := range p.AsPlaced(k) {
		if l.Old() {
			l, at = l[:1]+patch.Line(p.doc.Line(at)), p.doc.Next(at)
		}
		out = append(out, l)
	}
	if at != p.doc.End() {
		out = append(out, patch.Line(" "+p.doc.Line(at)))
	}
	return out
}

// step returns by how many spaces the file indents; 0 if it does not say.
func (p *Placement) step() int {
	if !p.stepKnown {
		p.stepKnown, p.fileStep = true, indent.Step(p.File)
	}
	return p.fileStep
}
