package place

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// findDouble notes in the spot of hunk k, which has its place, whether each block that it only adds stands right beside the place of
// the block already, above or below, and the hunk does not show all of it. Then the hunk was probably applied before. Blocks without
// words count only where there are no others.
func (p *Placement) findDouble(k int, as spelling) {
	s := &p.Spots[k]
	lines := p.AsPlaced(k)
	if twin, ok := p.inTwin(k); ok {
		s.Doubles, s.Twin = true, twin+1
		return
	}
	at, found, lacking := s.first, [2]bool{}, [2]bool{} // without words, with words
	above, below := 0, countOld(lines)
	for i := 0; i < len(lines); {
		if lines[i].Old() {
			at = p.doc.Next(at)
			above, below = above+1, below-1
			i++
			continue
		}
		n := i
		for n < len(lines) && !lines[n].Old() {
			n++
		}
		if replaces := i > 0 && lines[i-1].Mark() == '-' || n < len(lines) && lines[n].Mark() == '-'; !replaces {
			words := 0
			if slices.ContainsFunc(lines[i:n], HasWords) {
				words = 1
			}
			if p.stands(k, at, lines[i:n], above, below, as) {
				found[words] = true
			} else if lacking[words] = true; words == 1 {
				return
			}
		}
		i = n
	}
	s.Doubles = found[1] || found[0] && !lacking[0]
}

// inTwin returns the earlier hunk that says the same as hunk k, if a hunk of the patch wrote lines of its place. Then the hunk is in the
// patch twice, and what stands here is new.
func (p *Placement) inTwin(k int) (int, bool) {
	at := p.Spots[k].first
	for range countOld(p.AsPlaced(k)) {
		if p.doc.Inserted(at) {
			twin := p.sameBefore(k)
			return twin, twin >= 0
		}
		at = p.doc.Next(at)
	}
	return 0, false
}

// sameBefore returns the first hunk that says the same as hunk k and is before it; -1 if there is none.
func (p *Placement) sameBefore(k int) int {
	if p.firstSame == nil {
		p.firstSame = map[string]int{}
		for i := range p.Hunks {
			key := Key(&p.Hunks[i])
			if _, known := p.firstSame[key]; !known {
				p.firstSame[key] = i
			}
		}
	}
	if n := p.firstSame[Key(&p.Hunks[k])]; n < k {
		return n
	}
	return -1
}

// Key returns a text that is the same for two hunks that say the same.
func Key(h *patch.Hunk) string {
	var b strings.Builder
	for _, a := range h.Anchors {
		b.WriteString("@" + a + "\n")
	}
	for _, l := range h.Lines {
		b.WriteString(string(l) + "\n")
	}
	fmt.Fprint(&b, h.AtEnd, h.OldOpen, h.NewOpen)
	return b.String()
}

// HasWords reports whether a line has a letter or a digit.
func HasWords(l patch.Line) bool {
	return TextHasWords(l.Text())
}

// TextHasWords reports whether a text has a letter or a digit.
func TextHasWords(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// stands notes whether block stands right above or right below the slot before which hunk k adds it. The hunk shows the shown
// lines above that slot and the ones below it.
func (p *Placement) stands(k int, at match.Slot, block []patch.Line, above, below int, as spelling) bool {
	s := &p.Spots[k]
	same := func(at match.Slot, l patch.Line) bool {
		want := as.apply(l.Text())
		return p.doc.Line(at) == want || s.rung > patch.Exact && match.Same(s.rung, p.doc.Line(at), want)
	}
	if len(block) > below {
		n, slot := 0, at
		for n < len(block) && slot != p.doc.End() && same(slot, block[n]) {
			n, slot = n+1, p.doc.Next(slot)
		}
		if n == len(block) {
			p.noteDouble(k, at, p.doc.Prev(slot))
			return true
		}
	}
	if len(block) > above {
		last := p.doc.Prev(at)
		n, slot := 0, last
		for n < len(block) && slot != match.Begin && same(slot, block[len(block)-1-n]) {
			n, slot = n+1, p.doc.Prev(slot)
		}
		if n == len(block) {
			p.noteDouble(k, p.doc.Next(slot), last)
			return true
		}
	}
	return false
}

// noteDouble notes that slots first to last hold what hunk k adds.
func (p *Placement) noteDouble(k int, first, last match.Slot) {
	s := &p.Spots[k]
	s.double = [2]int{p.doc.Origin(first), p.doc.Origin(last) + 1}
	for at := first; ; at = p.doc.Next(at) {
		if p.doc.Inserted(at) {
			s.Twin, s.double[1] = int(p.writer(at).hunk)+1, p.doc.Origin(last)
			return
		}
		if at == last {
			return
		}
	}
}

func countOld(lines []patch.Line) (n int) {
	for _, l := range lines {
		if l.Old() {
			n++
		}
	}
	return n
}

// Double returns the lines of the file that hunk k would add once more; from and to are equal if another hunk of the patch
// wrote them.
func (p *Placement) Double(k int) (from, to int) { return p.Spots[k].double[0], p.Spots[k].double[1] }

// doubled refuses a hunk that adds once more what stands beside its place.
func (p *Placement) doubled(k int) *fail.Error {
	s := &p.Spots[k]
	e := &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1, Line: s.double[0] + 1,
		Msg:  "what it adds stands there already",
		Hint: "Leave this hunk out. If it is to be there twice, write the lines that are there as context, too."}
	if s.Twin > 0 {
		e.Msg = fmt.Sprintf("hunk %d adds the same lines at the same place", s.Twin)
		return e
	}
	if slices.ContainsFunc(p.AsPlaced(k), func(l patch.Line) bool { return l.Mark() == '-' }) {
		e.Msg = "lines that it adds stand there already, and those that it removes are there as well"
		e.Hint = "If a part of it is made already, send the rest alone. If the lines are to be there twice, write the ones that are there as context, too."
	}
	e.Nearest = refusal.Nearest(p.File, s.double[0], s.double[1], "these + lines are already there")
	return e
}
