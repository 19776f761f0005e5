package plan

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// The search for near places costs no more than placing did. It walks the file twice for all failing hunks
// together: once to see whether their outcome is there already, once to let every line of a hunk vote for where
// the hunk begins. Only the first maxExplained hunks of at most maxLines lines take part; a line of the file that
// more than maxVotes others equal does not vote; and hunks without any vote compare their longest line with at
// most maxScan bytes of the file. A hunk is laid over at most maxStands places, at each of them no further than
// maxSlack lines from where the votes put it. A last walk proves the corrected hunks.
const (
	maxExplained = 50
	maxLines     = 2000
	maxVotes     = 32
	maxScan      = 4 << 20
	maxStands    = 6
	maxSlack     = 24
	maxGrid      = 5000     // about how many lines of a long part, times its slack, are compared
	maxElided    = 400      // lines of the file that an elision stands for
	maxCorrected = 64 << 10 // bytes of a corrected hunk: nobody sends a longer one again
)

// explain adds to every hunk that was not found what is really there, and a hunk that would apply.
func (p *placer) explain(errs fail.List, show func(patch.Hunk) (string, bool)) {
	var open []*search
	for _, e := range errs {
		if e.Reason != fail.ContextNotFound || e.Already || len(open) == maxExplained || p.spots[e.Hunk-1].early {
			continue
		}
		h := &p.hunks[e.Hunk-1]
		if n := len(h.Lines); n > 0 && n <= maxLines && slices.ContainsFunc(h.Lines, patch.Line.Old) {
			open = append(open, newSearch(p.file, h, e, "the hunk"))
		}
	}
	if len(open) == 0 {
		return
	}
	vote(p.file, open)
	open = alreadyThere(p.file, open)
	for _, s := range open {
		s.settle()
	}
	p.narrow(open)
	indented := p.retab(open)
	for _, s := range open {
		s.describe()
	}
	if show != nil && indented {
		p.correct(open, show)
	}
}

// search is the search for one hunk's near place.
type search struct {
	file *text.Lines
	h    *patch.Hunk
	err  *fail.Error
	name string // what differences call the hunk

	lines    []patch.Line // of the hunk, without the line numbers that stand in front of them
	numbered string       // the first line with its number, if they have any
	old      []string     // the lines that are to be in the file
	keys     []string     // the same, folded
	goes     []bool       // by old line: it is to be removed
	parts    []part
	tabs     tabstop
	partial  bool // the first and the last line may be parts of lines

	sole  map[int]bool // lines of the file that no other one equals on any rung
	fresh bool         // a line that it adds is not in the file on any rung, so that its outcome is not

	stands []stand // where the hunk nearly fits, the best one first
	alone  bool    // no other one is nearly as good

	corrected *patch.Hunk // what would apply, before it is proved
	from, to  int         // the lines of the file that it covers
}

// part is a run of old lines, those from up to to, between two elisions.
type part struct {
	from, to int
	votes    map[int]float64 // by the line of the file where the part would begin
	total    float64         // what all its lines could give
}

// newSearch prepares the search for h, which e says is not there.
func newSearch(file *text.Lines, h *patch.Hunk, e *fail.Error, name string) *search {
	s := &search{file: file, h: h, err: e, name: name, lines: h.Lines, sole: map[int]bool{}}
	if lines, ok := unnumbered(h.Lines); ok {
		s.lines, s.numbered = lines, h.Lines[slices.IndexFunc(h.Lines, patch.Line.Old)].Text()
	}
	from := 0
	for _, l := range s.lines {
		if !l.Old() {
			continue
		}
		if elision(l) {
			s.cut(from, len(s.old))
			from = len(s.old) + 1
		}
		s.old, s.keys, s.goes = append(s.old, l.Text()), append(s.keys, match.Fold(patch.Unicode, l.Text())), append(s.goes, l.Mark() == '-')
	}
	s.cut(from, len(s.old))
	return s
}

func (s *search) cut(from, to int) {
	if from < to {
		s.parts = append(s.parts, part{from: from, to: to, votes: map[int]float64{}})
	}
}

// settle finds out where the hunk nearly fits.
func (s *search) settle() {
	if len(s.parts) == 0 {
		return
	}
	s.chain()
	s.rank()
}

// narrow lets the anchors of hunks decide between several places that are as near as the nearest.
func (p *placer) narrow(open []*search) {
	tied := map[int]*search{}
	for _, s := range open {
		if !s.alone && len(s.stands) > 1 && s.h.How != patch.Adjoin {
			tied[s.err.Hunk-1] = s
		}
	}
	p.findAnchors(func(k int) bool { return tied[k] != nil })
	for k, s := range tied {
		if a, ok := p.anchors[k]; ok && a.Line >= 0 {
			s.below(a.Line)
		}
	}
}

// below leaves the places that begin below line n.
func (s *search) below(n int) {
	s.stands = slices.DeleteFunc(s.stands, func(st stand) bool { return st.from <= n })
	s.rank()
}

// rank puts the best place first, and notes whether it is alone: one that has all lines of the hunk, blank ones apart, is, if
// no other has them with something in between; else the next best must be clearly worse.
func (s *search) rank() {
	slices.SortStableFunc(s.stands, func(a, b stand) int {
		if a.full != b.full {
			return cmpBool(b.full, a.full)
		}
		return cmpFloat(a.cost, b.cost)
	})
	switch {
	case len(s.stands) == 0 || s.stands[0].tied:
		s.alone = false
	case len(s.stands) == 1:
		s.alone = true
	case s.stands[0].full != s.stands[1].full:
		tight := s.stands[0].to-s.stands[0].from == len(s.old)
		s.alone = (tight || s.stands[1].cost > s.stands[0].cost+2*margin) &&
			!slices.ContainsFunc(s.stands[1:], func(st stand) bool { return st.whole })
	case s.partial:
		s.alone = s.stands[1].cost > s.stands[0].cost+margin
	default:
		s.alone = s.stands[1].cost > 1.5*s.stands[0].cost+2*margin
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b-1e-9:
		return -1
	case a > b+1e-9:
		return 1
	}
	return 0
}

// describe words what differs at the nearest place, and rewrites the hunk for it when it is the only one.
func (s *search) describe() {
	if len(s.stands) == 0 {
		return
	}
	st := &s.stands[0]
	s.from, s.to = st.from, st.to
	s.err.Line = s.from + 1
	s.err.Nearest = &fail.Nearest{Place: fail.Place{First: s.from + 1, Last: s.to}, Lines: shortLines(s.file, s.from, s.to), Differs: s.differs(st)}
	s.err.Hint = fmt.Sprintf("Compare with lines %d-%d of the file, and send the hunk with the lines as they are there.", s.from+1, s.to)
	if s.alone {
		s.rewrite(st)
	}
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func fileLines(file *text.Lines, from, to int) []string {
	var out []string
	for n := from; n < to; n++ {
		out = append(out, file.Line(n))
	}
	return out
}

func shortLines(file *text.Lines, from, to int) []string {
	out := fileLines(file, from, to)
	for i := range out {
		out[i] = fail.Short(out[i])
	}
	return out
}
