package plan

import (
	"slices"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// possible reports whether hunk k, which has no place, may be applied: its old lines were nowhere in the file before any
// hunk was put, or only not at its end, and where it has no context on one side its new lines are at that end of the file.
func (p *placer) possible(k int) bool {
	if p.spots[k].gone = p.gone(k); !p.spots[k].gone && !p.hunks[k].AtEnd {
		return false
	}
	return slices.ContainsFunc(p.cuts(k), func(cut int) bool {
		lines := p.uncut(k, cut)
		above, below := around(lines)
		switch adds := slices.ContainsFunc(lines, added); {
		case above == len(lines), !adds && (above == 0 || below == 0):
			return false
		case above == 0 && !p.written(lines, 0):
			return false
		}
		return below > 0 || p.written(lines, p.file.Len()-size(lines))
	})
}

// gone reports whether no form of hunk k's old lines was in the file.
func (p *placer) gone(k int) bool {
	x := p.indexes[p.loosest()]
	if x == nil || x.pats[p.base[k]] == absent {
		return false // a stricter rung had a place
	}
	for i := range p.tries[k] {
		if x.begun[p.pattern(x, k, i)].n > 0 {
			return false
		}
	}
	return true
}

// result looks for the outcome of hunk k, which has no place, among the patterns of its new lines in x.
func (p *placer) result(k int, x *match.Index, news []int) outcome {
	for i, cut := range p.cuts(k) {
		if news[i] == 0 || x.Count(news[i]) == 0 {
			continue
		}
		if x.Count(news[i]) > 1 {
			return outcome{}
		}
		lines, at := p.uncut(k, cut), x.Only(news[i])
		switch {
		case p.spots[k].gone && p.proves(k, lines, at):
			return p.outcome(lines, at, strong)
		case !p.spots[k].gone && p.extends(lines, at, at) && p.ends(k, at+size(lines)):
			return p.outcome(lines, at, weak) // its old lines may only stand at the end, and no longer do
		}
		return outcome{}
	}
	return outcome{}
}

// repeated looks whether hunk k, which was put, adds again what stands around its old lines, or changes nothing.
func (p *placer) repeated(k int) outcome {
	s, lines := &p.spots[k], p.uncut(k, p.spots[k].try.cut)
	old, now := s.stop-s.start, size(lines)
	if now == 0 || now < old || old == 0 && len(p.hunks[k].Anchors) == 0 {
		return outcome{}
	}
	scan := match.NewScanner(match.NewDoc(p.file), p.loosest(), slices.Collect(newLines(lines)), false)
	left := 4 // places, of lines that are alike on a loose rung only
	for at := range scan.Places(max(0, s.stop-now), min(p.file.Len(), s.start+now)) {
		if left--; left < 0 {
			break
		}
		if p.extends(lines, at, s.start) && p.ends(k, at+now) {
			return p.outcome(lines, at, weak)
		}
	}
	return outcome{}
}

// outcome is lines, standing from line at of the file on.
func (p *placer) outcome(lines []patch.Line, at int, how proof) outcome {
	above, below := around(lines)
	end := at + size(lines)
	return outcome{proof: how, from: at, to: end, changed: [2]int{at + above, end - below}}
}

// proves reports whether the new lines of hunk k, which stand at line at and nowhere else, are its outcome: what it adds
// is there to the byte, on either side of its changes there is a line of context, or the end of the file, and they are
// not what was there before as well.
func (p *placer) proves(k int, lines []patch.Line, at int) bool {
	above, below := around(lines)
	end := at + size(lines)
	if above == len(lines) || !slices.ContainsFunc(lines, patch.Line.Old) || !p.written(lines, at) || !p.ends(k, end) || !p.led(k, lines, at) {
		return false
	}
	return p.framed(lines[:above], lines[len(lines)-below:], slices.ContainsFunc(lines, added), at == 0, end == p.file.Len()) &&
		!p.stood(lines, at == 0, end == p.file.Len())
}

// framed reports whether the context before and after the changes of a hunk says where they are. A blank line says
// nothing, and brackets alone do not say enough. An end of the file stands for context, unless the hunk only removes
// lines: then both sides need it, and a single line within the file has to have words.
func (p *placer) framed(before, after []patch.Line, adds, top, bottom bool) bool {
	above, below := slices.ContainsFunc(before, wordy), slices.ContainsFunc(after, wordy)
	if !adds {
		return (above || below) && (above || top || len(before) > 1) && (below || bottom || len(after) > 1) &&
			slices.ContainsFunc(before, visible) && slices.ContainsFunc(after, visible)
	}
	if !top && !slices.ContainsFunc(before, visible) || !bottom && !slices.ContainsFunc(after, visible) {
		return false
	}
	return top && bottom || above || below
}

// stood reports whether the new lines of a hunk are among its old ones, so that they were there before it was applied:
// a function that is removed up to its last bracket leaves what the bracket before it left. It does not matter where
// they now touch an end of the file that they did not touch then.
func (p *placer) stood(lines []patch.Line, top, bottom bool) bool {
	var was, is strings.Builder
	was.WriteString(text.LF)
	is.WriteString(text.LF)
	for _, l := range lines {
		line := match.Fold(p.loosest(), l.Text()) + text.LF
		if l.Old() {
			was.WriteString(line)
		}
		if l.Mark() != '-' {
			is.WriteString(line)
		}
	}
	old, now := was.String(), is.String()
	return strings.Contains(old, now) && !(top && !strings.HasPrefix(old, now)) && !(bottom && !strings.HasSuffix(old, now))
}

// led reports whether the anchors of hunk k do not speak against its outcome at line at. One that only decides between
// places may be nowhere, since nothing had to be decided.
func (p *placer) led(k int, lines []patch.Line, at int) bool {
	h := &p.hunks[k]
	if len(h.Anchors) == 0 {
		return true
	}
	if h.How == patch.Adjoin {
		return at > 0 && p.same(at-1, h.Anchors[0]) || p.same(at, h.Anchors[0])
	}
	a := p.anchors[k]
	return a.Line < at+size(lines) && (a.Line >= 0 || h.How == patch.Narrow)
}

// extends reports whether the new lines, from line at on, hold the old ones, which begin at line old.
func (p *placer) extends(lines []patch.Line, at, old int) bool {
	olds := 0
	for _, l := range lines {
		if !l.Old() {
			continue
		}
		if old+olds >= p.file.Len() || !p.same(old+olds, l.Text()) {
			return false
		}
		olds++
	}
	return olds <= size(lines) && p.written(lines, at)
}

// written reports whether the new lines of a hunk stand from line at on: its context as loosely as the dialect has it,
// what it adds to the byte.
func (p *placer) written(lines []patch.Line, at int) bool {
	for _, l := range lines {
		if l.Mark() == '-' {
			continue
		}
		if at < 0 || at == p.file.Len() || l.Mark() == ' ' && !p.same(at, l.Text()) {
			return false
		}
		have, want := p.file.Line(at), l.Text()
		if p.file.End(at) == text.CRLF {
			want = strings.TrimSuffix(want, text.CR) // it is the CR of the line end
		}
		if l.Mark() == '+' && have != want {
			return false
		}
		at++
	}
	return true
}

func (p *placer) same(n int, line string) bool {
	return match.Same(p.loosest(), p.file.Line(n), line)
}

// ends reports whether the outcome of hunk k may end before line n, for what the hunk says of the file's end.
func (p *placer) ends(k, n int) bool {
	h := &p.hunks[k]
	switch {
	case n < p.file.Len():
		return !h.AtEnd && !h.OldOpen && !h.NewOpen
	case h.OldOpen || h.NewOpen:
		return p.rules.FinalNewline || p.file.Open() == h.NewOpen
	}
	return true
}

// around is how many lines of context come before the first change and after the last.
func around(lines []patch.Line) (above, below int) {
	for above < len(lines) && lines[above].Mark() == ' ' {
		above++
	}
	for below < len(lines)-above && lines[len(lines)-1-below].Mark() == ' ' {
		below++
	}
	return above, below
}

// size is how many lines a hunk leaves behind.
func size(lines []patch.Line) int {
	n := 0
	for _, l := range lines {
		if l.Mark() != '-' {
			n++
		}
	}
	return n
}

func added(l patch.Line) bool { return l.Mark() == '+' }

func visible(l patch.Line) bool { return strings.TrimSpace(l.Text()) != "" }

func wordy(l patch.Line) bool {
	return strings.ContainsFunc(l.Text(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
