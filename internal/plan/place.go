package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// placement is a file with its hunks placed.
type placement struct {
	after string
	sum   string // its sha256
	hunks []Placed
	edits []Edit
	bytes []Edit // the same in bytes

	applied bool // every hunk is already applied: there is nothing else
}

// place puts every hunk where it belongs and returns what becomes of the file, or every reason why not.
//
// It takes time linear in the file plus the hunks, whatever they hold. Beside the file and the after-image it
// costs at most 12 bytes for a line of the file and rung in use, and what [match.Index] says for a line of a hunk.
func place(file *text.Lines, hunks []patch.Hunk, r dialect.Rules, show func(patch.Hunk) (string, bool)) (*placement, error) {
	return placing(file, hunks, r, false).settle(tell, show)
}

// placing puts every hunk where it belongs, or notes why not.
func placing(file *text.Lines, hunks []patch.Hunk, r dialect.Rules, traced bool) *placer {
	p := newPlacer(file, hunks, r)
	p.traced = traced
	p.run()
	if tabs, ok := p.agreed(); ok {
		p = newPlacer(file, hunks, r)
		p.traced, p.tabs = traced, tabs
		p.run()
	}
	return p
}

// settle is what becomes of the file, or every reason why not.
func (p *placer) settle(mode repeats, show func(patch.Hunk) (string, bool)) (*placement, error) {
	if p.limit != nil {
		return nil, p.limit
	}
	p.review()
	if p.already(mode); p.whole && mode >= skip {
		return p.unchanged(), nil
	}
	if errs := p.errors(); len(errs) > 0 {
		p.explain(errs, show)
		return nil, errs
	}
	return p.finish(), nil
}

// placer is the work of placing one section's hunks.
type placer struct {
	file  *text.Lines
	doc   *match.Doc
	hunks []patch.Hunk
	rules dialect.Rules
	olds  int // the lines of all hunks that are to be in the file

	tries   [][]try  // by hunk: the forms it may take, the preferred one first
	base    []uint32 // by hunk: how many tries the hunks before it have
	numbers []int    // see every
	indexes map[patch.Rung]*rungIndex
	anchors map[int]match.Anchor               // by hunk, where they were needed
	lines   map[patch.Rung]map[string][]uint32 // by anchor: the lines that equal it; see equals
	spots   []spot

	wrote   []mark               // the first slot that each hunk wrote, in the order of writing
	removed []run                // the lines of the file that are gone, in the order of removal; sorted once all hunks are put
	listed  int                  // refusals that listed their places
	places  map[int][]fail.Place // by hunk, while it is pending
	tabs    tabstop              // what hunks that prove nothing go by
	whole   bool                 // every hunk is already applied
	limit   error
	traced  bool // somebody wants to know which line of the file every line of a hunk stands for
}

// mark says that the slots from slot on are hunk's, up to the next mark.
type mark struct {
	slot match.Slot
	hunk int
}

// run is lines from up to to of the file, which hunk removed.
type run struct{ from, to, hunk int }

// try is one form of a hunk: all its lines, or all but the last cut, which may be mere separators; and for an
// adjoining anchor, the block below the line that equals it.
type try struct {
	cut  int
	lead bool // the anchor's line stands before the block and is part of what is sought
}

// spot is where a hunk was placed, or why it was not.
type spot struct {
	placed bool
	try    try
	rung   patch.Rung
	first  match.Slot // the block's first line, or for pure additions the slot that they go before
	others int
	// The lines of the file that the place covers, from 0: stop is the one after.
	start, stop int

	put     bool // the change is made
	gone    bool // it has no place, and had none before any hunk was put
	applied bool // its outcome is there already: it is left out
	pending bool // several places, and nothing has decided yet
	lost    bool // an earlier hunk took the line of the anchor that the hunk was to follow
	begun   int  // how many places there were before any hunk was put
	early   bool // it has places, but only before the cursor
	by      int  // with an overlap: the number of the other hunk, from 1; 0 where nobody knows
	tabs    tabstop
	err     *fail.Error

	over []int // where the placer is traced: see [Stand.Lines]
}

func newPlacer(file *text.Lines, hunks []patch.Hunk, r dialect.Rules) *placer {
	hunks = withoutCR(file, hunks)
	p := &placer{file: file, doc: match.NewDoc(file), hunks: hunks, rules: r, spots: make([]spot, len(hunks)),
		tries: make([][]try, len(hunks)), base: make([]uint32, len(hunks)+1), places: map[int][]fail.Place{},
		indexes: map[patch.Rung]*rungIndex{}, anchors: map[int]match.Anchor{}}
	adds := 0
	for k := range hunks {
		p.tries[k] = forms(&hunks[k], r)
		p.base[k+1] = p.base[k] + uint32(len(p.tries[k]))
		for _, l := range hunks[k].Lines {
			if l.Mark() == '+' {
				adds++
			}
		}
		p.olds += len(hunks[k].Lines)
	}
	p.olds -= adds
	p.doc.Reserve(adds)
	p.wrote, p.removed = make([]mark, 0, len(hunks)), make([]run, 0, len(hunks))
	return p
}

// withoutCR drops the CR at the end of the lines of every hunk that has one on each, if every line of the file
// ends in CRLF. There the CR of the hunk and the CR of the line end are the same byte.
func withoutCR(file *text.Lines, hunks []patch.Hunk) []patch.Hunk {
	bare := func(l patch.Line) bool { return !strings.HasSuffix(string(l), text.CR) }
	carried := func(h patch.Hunk) bool { return len(h.Lines) > 0 && !slices.ContainsFunc(h.Lines, bare) }
	if file.Len() == 0 || file.End(0) != text.CRLF || !slices.ContainsFunc(hunks, carried) {
		return hunks
	}
	for i := range file.Len() {
		if end := file.End(i); end != text.CRLF && end != text.None {
			return hunks
		}
	}
	hunks = slices.Clone(hunks)
	for k := range hunks {
		if carried(hunks[k]) {
			lines := slices.Clone(hunks[k].Lines)
			for i, l := range lines {
				lines[i] = l[:len(l)-1]
			}
			hunks[k].Lines = lines
		}
	}
	return hunks
}

// asWritten is the form of most hunks.
var asWritten = []try{{}}

// forms lists the forms of h.
func forms(h *patch.Hunk, r dialect.Rules) []try {
	cuts := []int{0}
	if h.Blank > 0 {
		cuts = append(cuts, h.Blank)
	}
	// Something has to be left to look for: a hunk of additions alone would go anywhere.
	if n := len(h.Lines); r.BlankFallback && h.Blank != 1 && n > 1 && h.Lines[n-1] == " " && slices.ContainsFunc(h.Lines[:n-1], patch.Line.Old) {
		cuts = append(cuts, 1)
	}
	if len(cuts) == 1 && (h.How != patch.Adjoin || len(h.Anchors) == 0) {
		return asWritten
	}
	var out []try
	for _, cut := range cuts {
		if h.How != patch.Adjoin || len(h.Anchors) == 0 {
			out = append(out, try{cut: cut})
			continue
		}
		out = append(out, try{cut: cut, lead: true})
		if slices.ContainsFunc(h.Lines[:len(h.Lines)-cut], patch.Line.Old) {
			out = append(out, try{cut: cut})
		}
	}
	return out
}

func (p *placer) run() {
	p.addAnchors()
	p.warm()
	if p.rules.Place == dialect.Cursor {
		p.runCursor()
		return
	}
	for k := range p.hunks {
		if p.limit != nil {
			return
		}
		p.seek(k)
		if k == len(p.hunks)-1 && !slices.ContainsFunc(p.spots, func(s spot) bool { return s.pending }) {
			// Nobody asks for a place any more: what the last hunk changes need not reach the indexes.
			p.doc.Settle()
		}
		p.put(k)
	}
	if p.rules.Place == dialect.Ordered && p.limit == nil {
		p.decide()
	}
	for k := range p.spots {
		if s := &p.spots[k]; s.pending {
			s.err = p.ambiguous(k)
		}
	}
}

// seek finds hunk k's only place in the text that the earlier hunks left, or says what is wrong.
func (p *placer) seek(k int) {
	h, s := &p.hunks[k], &p.spots[k]
	switch {
	case h.AtEnd || h.OldOpen || h.NewOpen:
		p.seekEnd(k)
	case !p.looksFor(k):
		p.seekGap(k)
	default:
		if r, n := p.strictest(k); n == 1 && !p.strays(k, r) {
			p.found(k, r)
		} else if n > 0 {
			s.pending, s.rung, s.others = true, r, n-1
			p.list(k)
		} else {
			s.err = p.notFound(k)
		}
	}
}

// found puts down hunk k's only place.
func (p *placer) found(k int, r patch.Rung) {
	x, s := p.index(k, r), &p.spots[k]
	for i, t := range p.tries[k] {
		if t.cut != s.try.cut || !p.fits(k, t, r) || x.Count(p.pattern(x, k, i)) == 0 {
			continue
		}
		s.try = t
		p.at(k, r, x.Only(p.pattern(x, k, i)), 1)
	}
	s.begun = x.begun[p.pattern(x, k, slices.Index(p.tries[k], s.try))].n
}

// at puts down a place of hunk k in form spots[k].try whose first line, the anchor's included, is first.
func (p *placer) at(k int, r patch.Rung, first match.Slot, total int) {
	s := &p.spots[k]
	if s.try.lead {
		first = p.doc.Next(first)
		if !slices.ContainsFunc(p.hunks[k].Lines, patch.Line.Old) {
			first = p.behind(p.doc.Prev(first))
		}
	}
	s.placed, s.pending, s.rung, s.first, s.others = true, false, r, first, total-1
	p.span(k)
}

// span notes which lines of the file hunk k's place covers.
func (p *placer) span(k int) {
	s := &p.spots[k]
	end := s.first
	s.over = s.over[:0]
	for _, l := range p.hunks[k].Lines[:len(p.hunks[k].Lines)-s.try.cut] {
		if l.Old() {
			p.trace(s, end)
			end = p.doc.Next(end)
		}
	}
	s.start, s.stop = p.doc.Origin(s.first), p.doc.Origin(end)
}

// seekEnd looks for a hunk that must end where the file ends.
func (p *placer) seekEnd(k int) {
	h, s := &p.hunks[k], &p.spots[k]
	if h.OldOpen && !p.file.Open() {
		s.err = p.openMismatch(k, "the hunk says that the file ends without a newline, but it ends with one")
		return
	}
	for _, t := range p.tries[k] {
		want := slices.Collect(p.wants(k, t))
		for _, r := range p.rules.Ladder {
			if first, ok := match.EndsWith(p.doc, r, want); ok && p.fits(k, t, r) {
				s.try = t
				p.at(k, r, first, 1)
				return
			}
		}
	}
	_, n := p.strictest(k)
	switch {
	case n == 0:
		s.err = p.notFound(k)
	case h.AtEnd:
		s.err = p.notFound(k)
		s.err.Msg = fmt.Sprintf("the hunk must be at the end of the file, but its lines are elsewhere (%s)", many(n, "place"))
	default:
		s.err = p.openMismatch(k, "the hunk's last line must be the last line of the file, and its lines are elsewhere")
	}
}
