package plan

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// repeats says what becomes of a hunk that is already applied.
type repeats uint8

const (
	never     repeats = iota // it is not looked for: earlier sections wrote the text
	tell                     // it is refused, and said to be applied; so is, if the whole section is, one whose old lines are still there
	skip                     // it is left out
	skipEdges                // so it is where its old lines are still there, if the whole section is applied
)

// proof is how sure it is that a hunk is already applied.
type proof uint8

const (
	none   proof = iota
	weak         // its old lines are still there: it counts when every hunk of the section is applied
	strong       // its old lines are nowhere, and its new ones say that they are its outcome
)

// outcome is where the new lines of a hunk stand, lines from up to to of the file, and the changed ones among them.
type outcome struct {
	proof     proof
	from, to  int
	changed   [2]int
	elsewhere bool // the hunk has its place, and its new lines stand somewhere too
}

// already finds the hunks whose outcome is in the file. What has been proved is skipped, or said in the refusal.
//
// It costs nothing where every hunk has its place, unless mode is skipEdges; else it reads the file once more, or twice
// when very many hunks are applied.
func (p *placer) already(mode repeats) {
	open, ok := p.lost(mode)
	if !ok {
		return
	}
	found := make([]outcome, len(p.spots))
	if len(open) > 0 && !p.look(open, found) {
		return
	}
	p.doubt(found)
	if mode == skipEdges || mode == tell {
		p.edges(found)
	}
	p.whole = !slices.ContainsFunc(found, func(o outcome) bool { return o.proof == none })
	if !p.agree(found) {
		p.whole = false
		return
	}
	for k := range found {
		if o := &found[k]; o.proof == strong || o.proof == weak && p.whole {
			p.claim(k, o, mode)
		}
	}
}

// lost is the hunks that have no place and may be applied, and whether it is worth looking.
func (p *placer) lost(mode repeats) (open []int, ok bool) {
	failed := 0
	for k := range p.spots {
		e := p.spots[k].err
		if e == nil {
			continue
		}
		if failed++; mode != never && e.Reason == fail.ContextNotFound && p.possible(k) {
			open = append(open, k)
		}
	}
	return open, len(open) > 0 || mode == skipEdges && failed == 0
}

// look finds the outcomes of the open hunks, the first of them first: most often none is applied, or all are. It reports
// whether one is.
func (p *placer) look(open []int, found []outcome) bool {
	p.doc.Settle()
	p.indexes = map[patch.Rung]*rungIndex{} // nobody asks for a place any more
	few := open[:min(len(open), maxExplained)]
	p.findAnchors(func(k int) bool { return p.spots[k].err != nil })
	p.search(few, found)
	n := 0
	for _, k := range few {
		if found[k].proof != none {
			n++
		}
	}
	if n == 0 {
		return false
	}
	rest := open[len(few):]
	for k := range p.spots {
		if p.spots[k].put {
			rest = append(rest, k)
		}
	}
	p.search(rest, found)
	return true
}

// edges finds the hunks that were put and are there already.
func (p *placer) edges(found []outcome) {
	for k := range found {
		if p.spots[k].put {
			o := p.repeated(k)
			o.elsewhere = found[k].elsewhere
			found[k] = o
		}
	}
}

// unchanged is the file as it is, since every hunk is applied.
func (p *placer) unchanged() *placement { return &placement{hunks: p.placed(), applied: true} }

// claim notes that hunk k is already applied.
func (p *placer) claim(k int, o *outcome, mode repeats) {
	s := &p.spots[k]
	if mode >= skip {
		p.spots[k] = spot{applied: true, rung: patch.Exact, start: o.from, stop: o.to}
		return
	}
	if s.err == nil { // it has its place, and would be applied twice once the others are left out
		s.placed, s.err = false, p.notFound(k)
		s.err.Msg = "what it adds is there already"
	}
	s.err.Already, s.err.Line = true, o.from+1
	s.err.Nearest = there(p.file, o.from, o.to)
	if lines := p.hunks[k].Lines; !slices.ContainsFunc(lines, added) {
		s.err.Nearest.Differs = lacks(lines)
	}
	s.err.Hint = "Leave this hunk out, or send the patch with idempotent: true (--idempotent), which skips it."
}

// lacks says of the lines that a hunk removes that they are not there.
func lacks(lines []patch.Line) (out []string) {
	for _, l := range lines {
		if l.Mark() == '-' {
			out = append(out, fmt.Sprintf("the hunk's line %s is not there", fail.Quote(l.Text())))
		}
	}
	return out
}

// there says that the outcome of a hunk stands in lines from up to to.
func there(file *text.Lines, from, to int) *fail.Nearest {
	return &fail.Nearest{Place: fail.Place{First: from + 1, Last: to}, Lines: shortLines(file, from, to),
		Differs: []string{fmt.Sprintf("these + lines are already there (lines %d-%d)", from+1, to)}}
}

// agree reports whether what is applied stands in the order of the hunks, and nothing that is to be changed, or is
// already, reaches into it; and, where something is to be changed still, whether that is not there too: then the hunk
// may have been applied elsewhere, and what is left in its place may be what another one wrote.
func (p *placer) agree(found []outcome) bool {
	counts := func(o outcome) bool { return o.proof == strong || o.proof == weak && p.whole }
	if !p.whole && slices.ContainsFunc(found, counts) && slices.ContainsFunc(found, func(o outcome) bool { return o.elsewhere }) {
		return false
	}
	end, gap, mine := 0, -1, false // of the changes so far: where they end, the last gap, and whether one is applied
	for k, o := range found {
		at := o.changed
		if !counts(o) {
			if !p.spots[k].put {
				continue
			}
			at = p.changes(k)
		}
		if (mine || counts(o)) && (at[0] < end || at == [2]int{gap, gap}) {
			return false
		}
		if at[0] == at[1] {
			gap = at[0]
		}
		end, mine = max(end, at[1]), mine || counts(o)
	}
	return true
}

// changes is the lines of the file that hunk k, which was put, changes.
func (p *placer) changes(k int) [2]int {
	s, lines := &p.spots[k], p.uncut(k, p.spots[k].try.cut)
	above, below := around(lines)
	from := min(s.start+above, s.stop)
	return [2]int{from, max(from, s.stop-below)}
}
