package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

func (p *placer) openMismatch(k int, msg string) *fail.Error {
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.NoNewlineMismatch, Hunk: k + 1, Msg: msg,
		Hint: `Leave out the line "\ No newline at end of file", or re-read the end of the file.`}
}

func (p *placer) noAnchor(k int) *fail.Error {
	h := &p.hunks[k]
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1,
		Msg:  fmt.Sprintf("no line contains the anchor %s", fail.Quote(h.Anchors[len(h.Anchors)-1])),
		Hint: "Re-read the file and copy the anchor from it, or use context lines instead."}
}

// notFound says that hunk k has no place.
func (p *placer) notFound(k int) *fail.Error {
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1, Old: p.hunks[k].Old(),
		Msg:  "its lines are not in the file",
		Hint: "Re-read the file and copy the context and removed lines from it."}
}

// blame looks whether an earlier hunk is why hunk k has no place: it had one in the file as it was, and that
// hunk took a line of it.
func (p *placer) blame(k int) {
	x, ok := p.indexes[patch.Exact]
	if !ok || x.begun[p.pattern(x, k, 0)].n != 1 {
		return
	}
	at, e := x.begun[p.pattern(x, k, 0)].first, p.spots[k].err
	if p.tries[k][0].lead {
		at++
	}
	for _, l := range p.hunks[k].Lines {
		if !l.Old() {
			continue
		}
		by := p.remover(at)
		switch {
		case by < 0 || by > k:
		case l.Mark() == '-':
			p.spots[k].err = p.overlap(k, by, at)
			return
		default:
			e.Line = at + 1
			e.Msg = fmt.Sprintf("its lines were in the file, but hunk %d changes line %d, which this hunk has as context", by+1, at+1)
			e.Hint = fmt.Sprintf("Write the line as hunk %d leaves it, or join the two hunks.", by+1)
		}
		at++
	}
}

// remover is the hunk that removed line n of the file, or -1.
func (p *placer) remover(n int) int {
	i, found := slices.BinarySearchFunc(p.removed, n, func(r run, n int) int {
		switch {
		case n < r.from:
			return 1
		case n >= r.to:
			return -1
		}
		return 0
	})
	if !found {
		return -1
	}
	return p.removed[i].hunk
}

func (p *placer) overlap(k, by, line int) *fail.Error {
	p.spots[k].by = by + 1
	return &fail.Error{Kind: fail.Overlapping, Hunk: k + 1, Line: line + 1,
		Msg:  fmt.Sprintf("hunk %d already changes line %d", by+1, line+1),
		Hint: "Join the two hunks into one."}
}

// errors is what the spots have to complain of, in hunk order.
func (p *placer) errors() fail.List {
	var out fail.List
	for i := range p.spots {
		if e := p.spots[i].err; e != nil {
			if a := p.hunks[i].Anchors; len(a) > 0 && e.Anchor == "" {
				e.Anchor = a[0]
			}
			out = append(out, e)
		}
	}
	return out
}

// ambiguous is the refusal of a hunk that stayed undecided.
func (p *placer) ambiguous(k int) *fail.Error {
	total := p.spots[k].others + 1
	e := &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: total, Places: p.places[k],
		Msg:  many(total, "place") + " match",
		Hint: "Add lines of context that only one of them has."}
	if total == 1 { // see strays
		e.Msg = "its lines are above the anchor only, and below it are several that match more loosely"
		e.Hint = "Leave the anchor out if this place is meant; else copy the lines below the anchor as they are, with context that only one place has."
	}
	if len(e.Places) > 0 {
		e.Msg += " (" + lineList(e.Places, total) + ")"
	}
	return e
}

// list notes the places of a hunk that has several, as the text is now. Only the first such hunks walk the file for
// theirs: the others count them.
func (p *placer) list(k int) {
	if p.listed++; p.listed > maxListed {
		return
	}
	s := &p.spots[k]
	var out []fail.Place
	for _, t := range p.tries[k] {
		if t.cut == s.try.cut && p.fits(k, t, s.rung) {
			out = append(out, p.all(k, t, s.rung)...)
		}
	}
	slices.SortFunc(out, func(a, b fail.Place) int { return a.First - b.First })
	p.places[k] = out[:min(len(out), fail.MaxPlaces)]
}

// maxListed is how many refusals of one file list their places; each costs a walk through the file.
const maxListed = 20

// all is the first places of hunk k in form t on rung r.
func (p *placer) all(k int, t try, r patch.Rung) []fail.Place {
	want := slices.Collect(p.wants(k, t))
	var out []fail.Place
	for first := range match.NewScanner(p.doc, r, want, false).Places(p.doc.Next(match.Begin), p.doc.End()) {
		n := len(want)
		if t.lead {
			first, n = p.doc.Next(first), n-1
		}
		from := p.doc.Origin(first) + 1
		out = append(out, fail.Place{First: from, Last: from + n - 1})
		if len(out) == fail.MaxPlaces {
			break
		}
	}
	return out
}

func lineList(places []fail.Place, total int) string {
	const most = 10
	var out strings.Builder
	out.WriteString("line")
	if total > 1 {
		out.WriteString("s")
	}
	for i, pl := range places[:min(len(places), most)] {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString(fmt.Sprintf(" %d", pl.First))
	}
	if total > most {
		out.WriteString(fmt.Sprintf(" and %d more", total-most))
	}
	return out.String()
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
