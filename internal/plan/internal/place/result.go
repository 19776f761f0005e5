package place

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Result is the text that the hunks of a section leave.
type Result struct {
	After string
	Sum   string // its sha256
	Edits []text.Change
	Bytes []text.Change // the same in bytes
}

// HunkPlace is where a hunk goes, or why it goes nowhere.
type HunkPlace struct {
	Hunk  patch.Hunk // as it was looked for
	Cut   int        // how many of its last lines are mere separators
	At    api.Placed // where it landed, or for a refused hunk where it would have; Line 0 is nowhere
	Last  int        // the last line of a skipped hunk's outcome, which begins at At.Line
	Lines []int      // by old line: the line of the file, from 1; 0 if an earlier hunk wrote it
	Err   *fail.Error
	Rival int // the other hunk of an overlap, from 1; 0 if there is none or it is not known
}

// Limit returns an error if placing was given up, because the hunks rewrite each other's surroundings too often.
func (p *Placement) Limit() error { return p.limit }

// Errors lists why hunks were refused, in hunk order.
func (p *Placement) Errors() fail.List {
	var out fail.List
	for i := range p.Spots {
		if e := p.Spots[i].Err; e != nil {
			if a := p.Hunks[i].Anchors; len(a) > 0 && e.Anchor == "" {
				e.Anchor = a[0]
			}
			out = append(out, e)
		}
	}
	return out
}

// Result makes the text that the hunks leave. None of them may be refused.
func (p *Placement) Result() *Result {
	w := &writer{doc: p.doc, file: p.File, last: p.doc.Prev(p.doc.End()), open: p.staysOpen()}
	if w.last != match.Begin {
		w.lineEnd = p.lineEndAt(w.last)
	}
	w.write()
	after := w.out.String()
	return &Result{After: after, Sum: w.digest.Sum(after), Edits: w.edits, Bytes: w.bytes}
}

// Landed returns where every hunk landed.
func (p *Placement) Landed() []api.Placed {
	out := make([]api.Placed, 0, len(p.Spots))
	for i := range p.Spots {
		out = append(out, p.Spots[i].landed())
	}
	return out
}

func (s *Spot) landed() api.Placed {
	return api.Placed{Line: s.Start + 1, Rung: s.rung, Others: s.others, Doubles: s.Doubles, Skipped: s.skipped}
}

// HunkPlaces returns the place of every hunk. The Placement must be traced and have no Limit.
func (p *Placement) HunkPlaces() []HunkPlace {
	out := make([]HunkPlace, len(p.Spots))
	for k := range p.Spots {
		s := &p.Spots[k]
		out[k] = HunkPlace{Hunk: p.Hunks[k], Err: s.Err, Lines: s.lines, Cut: s.form.cut}
		if s.placed || s.skipped || len(s.lines) > 0 {
			out[k].At = s.landed()
		}
		if s.skipped {
			out[k].Last = s.Stop
		}
		if s.Err != nil && s.Err.Kind == fail.Overlapping {
			out[k].Rival = s.rival
		}
	}
	return out
}

// staysOpen reports whether the file has no newline at its end afterwards.
func (p *Placement) staysOpen() bool {
	open := p.File.Open()
	for k := range p.Hunks {
		if h := &p.Hunks[k]; h.OldOpen || h.NewOpen {
			open = h.NewOpen
		}
	}
	return open && !p.Rules.FinalNewline
}
