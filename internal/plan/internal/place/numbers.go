package place

import (
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// AtNumbers places every hunk at the line that the patch names for it, if all of them stand there byte for byte, in order. It
// returns nil if one has no number or stands elsewhere: then the numbers say nothing, and [Find] looks for the hunks. asMade says
// that the file is known to be the very one that the patch was made from.
//
// A hunk without old lines stands at any number. It counts only if a hunk below it shows that there are as many lines above as the patch
// says, or if it stands at the end of the file.
//
// It takes time linear in the file plus the hunks.
func AtNumbers(file *text.Lines, hunks []patch.Hunk, r dialect.Rules, traced, asMade bool) *Placement {
	hunks = withoutCR(file, hunks)
	next := 0 // the first line that no earlier hunk covers
	shown := true
	for k := range hunks {
		stop, ok := standsAtNumber(file, &hunks[k], next)
		if !ok {
			return nil
		}
		if old, _ := lastOld(hunks[k].Lines); old || stop == file.Len() {
			shown = true
		} else {
			shown = asMade
		}
		next = stop
	}
	if !shown {
		return nil
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
