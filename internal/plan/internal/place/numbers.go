package place

import (
	"math"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// AtNumbers places every hunk at the line that the patch names for it, if all of them stand there byte for byte, in order. It
// returns nil if one has no number or stands elsewhere: then the numbers say nothing, and [Find] looks for the hunks. asMade says
// that the file is known to be the very one that the patch was made from.
//
// It takes time linear in the file plus the hunks.
func AtNumbers(file *text.Lines, hunks []patch.Hunk, r dialect.Rules, traced, asMade bool) *Placement {
	hunks = withoutCR(file, hunks)
	next := 0 // the first line that no earlier hunk covers
	for k := range hunks {
		stop, ok := standsAtNumber(file, &hunks[k], next)
		if !ok {
			return nil
		}
		next = stop
	}
	p := newPlacement(file, hunks, r)
	p.traced, p.numbered, p.asMade = traced, true, asMade
	for k := range hunks {
		p.Spots[k].form = p.forms[k][0]
		p.settle(k, patch.Exact, match.Slot(hunks[k].At-1), 1)
		p.apply(k)
	}
	return p
}

// standsAtNumber reports whether the old lines of h stand where its number says, not above line from, and which line follows.
func standsAtNumber(file *text.Lines, h *patch.Hunk, from int) (stop int, ok bool) {
	at := h.At - 1
	if at < from || at > file.Len() {
		return 0, false
	}
	for _, l := range h.Lines {
		if !l.Old() {
			continue
		}
		if at == file.Len() || file.Line(at) != l.Text() {
			return 0, false
		}
		at++
	}
	atEnd := at == file.Len()
	if (h.OldOpen || h.NewOpen) && !atEnd {
		return 0, false
	}
	if old, _ := lastOld(h.Lines); atEnd && old && file.Open() != h.OldOpen {
		return 0, false
	}
	return at, true
}

// lastOld reports whether lines has an old line, and whether the last line is one of context.
func lastOld(lines []patch.Line) (old, context bool) {
	for _, l := range lines {
		old = old || l.Old()
	}
	return old, len(lines) > 0 && lines[len(lines)-1].Mark() == ' '
}

// byNumbers places the pending hunks whose numbers the hunks around them prove. A hunk that has its place is so many lines below its
// number, or above it. If that is the same for the placed hunks above and below a pending one, the file has as many lines between them
// as the patch was made from, and the pending hunk is as far from its number as they are. The first line of the file counts as a hunk
// above that is at its number. Nothing is known of the lines below the last hunk.
func (p *Placement) byNumbers() {
	if p.limit != nil || p.Hunks[0].At == 0 {
		return
	}
	below := make([]int, len(p.Spots)) // by hunk: the next placed one; 0 for none
	for k := len(p.Spots) - 2; k >= 0; k-- {
		if below[k] = below[k+1]; p.Spots[k+1].placed {
			below[k] = k + 1
		}
	}
	above := 0 // how far the nearest hunk above is from its number
	for k := range p.Spots {
		s, n := &p.Spots[k], below[k]
		switch {
		case s.rung != patch.Exact || !s.placed && !s.pending || p.Hunks[k].At == 0:
			above = unknown
		case s.placed:
			above = p.offNumber(k)
		case n > 0 && p.Spots[n].rung == patch.Exact && p.Hunks[n].At > 0 && p.offNumber(n) == above:
			if first, ok := p.standsAt(k, p.Hunks[k].At-1+above); ok {
				p.settle(k, s.rung, first, s.others+1)
			}
		}
	}
	p.applyDecided()
}

// unknown is how far a hunk is from its number that has no place, or not the bytes of one.
const unknown = math.MinInt

// offNumber returns how many lines below its number a placed hunk is.
func (p *Placement) offNumber(k int) int { return p.Spots[k].Start - (p.Hunks[k].At - 1) }

// standsAt reports whether the old lines of hunk k stand in the text from line n of the file on, and in which slot they begin.
func (p *Placement) standsAt(k, n int) (first match.Slot, ok bool) {
	if n < 0 || n >= p.File.Len() {
		return 0, false
	}
	first = p.doc.SlotOf(n)
	at := first
	for want := range p.Spots[k].form.wanted(&p.Hunks[k]) {
		if at == p.doc.End() || p.doc.Inserted(at) || p.doc.Removed(at) || p.doc.Line(at) != want {
			return 0, false
		}
		at = p.doc.Next(at)
	}
	return first, first == n
}

// mayDouble reports whether hunk k may add what stands beside its place already: the file is as it was when the patch was made, or
// the context below shows that the hunk is not applied yet. It shows nothing if the lines that the hunk leaves stand at its number too.
func (p *Placement) mayDouble(k int) bool {
	if !p.numbered {
		return false
	}
	_, context := lastOld(p.AsPlaced(k))
	return p.asMade || context && !p.madeAtNumber(k)
}

// madeAtNumber reports whether the lines that hunk k leaves stand where its number says.
func (p *Placement) madeAtNumber(k int) bool {
	at := p.Hunks[k].At - 1
	for _, l := range p.AsPlaced(k) {
		if l.Mark() == '-' {
			continue
		}
		if at >= p.File.Len() || p.File.Line(at) != l.Text() {
			return false
		}
		at++
	}
	return true
}
