package plan

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// placement is a file with its hunks placed.
type placement struct {
	after string
	hunks []Placed
	edits []Edit
}

// place puts every hunk where it belongs and returns what becomes of the file, or every reason why not.
//
// It takes time linear in the file plus the hunks, whatever they hold. Beside the file and the after-image it
// costs at most 12 bytes for a line of the file and rung in use, and what [match.Index] says for a line of a hunk.
func place(file *text.Lines, hunks []patch.Hunk, r dialect.Rules, show func(patch.Hunk) (string, bool)) (*placement, error) {
	p := newPlacer(file, hunks, r)
	p.run()
	if p.limit != nil {
		return nil, p.limit
	}
	p.review()
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

	tries   [][]try  // by hunk: the forms it may take, the preferred one first
	base    []uint32 // by hunk: how many tries the hunks before it have
	indexes map[patch.Rung]*rungIndex
	anchors map[int]match.Anchor               // by hunk, where they were needed
	lines   map[patch.Rung]map[string][]uint32 // by anchor: the lines that equal it; see equals
	spots   []spot

	wrote   []mark               // the first slot that each hunk wrote, in the order of writing
	removed []run                // the lines of the file that are gone, in the order of removal; sorted once all hunks are put
	listed  int                  // refusals that listed their places
	places  map[int][]fail.Place // by hunk, while it is pending
	limit   error
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
	pending bool // several places, and nothing has decided yet
	lost    bool // an earlier hunk took the line of the anchor that the hunk was to follow
	begun   int  // how many places there were before any hunk was put
	err     *fail.Error
}

// rungIndex is an index of every hunk's forms on one rung.
type rungIndex struct {
	*match.Index
	pats  []uint32        // by try, see placer.pattern
	begun []origin        // by pattern: how things stood when the index was made
	lasts [][2]match.Slot // see match.Index.Lasts; read when first needed
}

// origin is how often a pattern stood in the text, and where if that was once.
type origin struct {
	n     int
	first match.Slot
}

func newPlacer(file *text.Lines, hunks []patch.Hunk, r dialect.Rules) *placer {
	hunks = withoutCR(file, hunks)
	p := &placer{file: file, doc: match.NewDoc(file), hunks: hunks, rules: r, spots: make([]spot, len(hunks)),
		tries: make([][]try, len(hunks)), base: make([]uint32, len(hunks)+1), places: map[int][]fail.Place{}, indexes: map[patch.Rung]*rungIndex{}, anchors: map[int]match.Anchor{}}
	adds := 0
	for k := range hunks {
		p.tries[k] = forms(&hunks[k], r)
		p.base[k+1] = p.base[k] + uint32(len(p.tries[k]))
		for _, l := range hunks[k].Lines {
			if l.Mark() == '+' {
				adds++
			}
		}
	}
	p.doc.Reserve(adds)
	p.wrote = make([]mark, 0, len(hunks))
	return p
}

// withoutCR drops the CR at the end of the lines of every hunk that has one on each, if every line of the file
// ends in CRLF. There the CR of the hunk and the CR of the line end are the same byte.
func withoutCR(file *text.Lines, hunks []patch.Hunk) []patch.Hunk {
	bare := func(l patch.Line) bool { return !strings.HasSuffix(string(l), text.CR) }
	carried := func(h patch.Hunk) bool { return len(h.Lines) > 0 && !slices.ContainsFunc(h.Lines, bare) }
	if !slices.ContainsFunc(hunks, carried) {
		return hunks
	}
	if file.Len() == 0 || file.End(0) != text.CRLF {
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
	if n := len(h.Lines); r.BlankFallback && h.Blank != 1 && n > 1 && h.Lines[n-1] == " " {
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
		if r, n := p.strictest(k); n == 1 {
			p.found(k, r, 1)
		} else if n > 1 {
			s.pending, s.rung, s.others = true, r, n-1
			p.list(k)
		} else {
			s.err = p.notFound(k)
		}
	}
}

// looksFor reports whether hunk k has anything to look for: old lines, or an adjoining anchor.
func (p *placer) looksFor(k int) bool {
	for range p.wants(k, p.tries[k][0]) {
		return true
	}
	return false
}

// wants is what hunk k looks for in form t.
func (p *placer) wants(k int, t try) iter.Seq[string] {
	h := &p.hunks[k]
	return func(yield func(string) bool) {
		if t.lead && !yield(h.Anchors[0]) {
			return
		}
		for _, l := range h.Lines[:len(h.Lines)-t.cut] {
			if l.Old() && !yield(l.Text()) {
				return
			}
		}
	}
}

// strictest is the first form and rung on which hunk k has any place, and how many. The spot's try is set to it.
func (p *placer) strictest(k int) (patch.Rung, int) {
	for i, t := range p.tries[k] {
		if i > 0 && p.tries[k][i-1].cut == t.cut {
			continue // counted with its twin
		}
		for _, r := range p.rules.Ladder {
			if n := p.count(k, r, t.cut); n > 0 {
				p.spots[k].try = t
				return r, n
			}
		}
	}
	return 0, 0
}

// count is the number of places of hunk k on rung r, with or without the anchor's line before it.
func (p *placer) count(k int, r patch.Rung, cut int) int {
	x, n := p.index(r), 0
	for i, t := range p.tries[k] {
		if t.cut == cut && p.fits(k, t, r) {
			n += x.Count(p.pattern(x, k, i))
		}
	}
	return n
}

// fits reports whether form t is the one to look for on rung r. A block whose first line equals the anchor is
// sought alone: that finds it on the anchor's line and below it alike. Any other block is sought below the anchor.
func (p *placer) fits(k int, t try, r patch.Rung) bool {
	h := &p.hunks[k]
	if h.How != patch.Adjoin || len(h.Anchors) == 0 {
		return true
	}
	for line := range p.wants(k, try{cut: t.cut}) {
		return t.lead != match.Same(r, line, h.Anchors[0])
	}
	return t.lead
}

// found puts down hunk k's only place.
func (p *placer) found(k int, r patch.Rung, total int) {
	x, s := p.index(r), &p.spots[k]
	for i, t := range p.tries[k] {
		if t.cut != s.try.cut || !p.fits(k, t, r) || x.Count(p.pattern(x, k, i)) == 0 {
			continue
		}
		s.try = t
		p.at(k, r, x.Only(p.pattern(x, k, i)), total)
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
	for _, l := range p.hunks[k].Lines[:len(p.hunks[k].Lines)-s.try.cut] {
		if l.Old() {
			end = p.doc.Next(end)
		}
	}
	s.start, s.stop = p.doc.Origin(s.first), p.doc.Origin(end)
}

// gap puts down a hunk that only adds lines, before the slot first.
func (p *placer) gap(k int, r patch.Rung, first match.Slot) {
	p.spots[k].try = p.tries[k][0]
	p.spots[k].try.lead = false
	p.at(k, r, first, 1)
}

// index is the index on rung r, made of the text as it is now when it is first needed.
func (p *placer) index(r patch.Rung) *rungIndex {
	if x, ok := p.indexes[r]; ok {
		return x
	}
	x := &rungIndex{Index: match.NewIndex(p.doc, r, int(p.base[len(p.hunks)])), pats: make([]uint32, 0, p.base[len(p.hunks)])}
	p.indexes[r] = x
	for k := range p.hunks {
		for _, t := range p.tries[k] {
			x.pats = append(x.pats, uint32(x.Add(p.wants(k, t))))
		}
	}
	x.Build()
	x.begun = make([]origin, x.Patterns())
	for i := range x.begun {
		if x.begun[i].n = x.Count(i); x.begun[i].n == 1 {
			x.begun[i].first = x.Only(i)
		}
	}
	return x
}

// pattern is the number in x of hunk k's i-th form.
func (p *placer) pattern(x *rungIndex, k, i int) int { return int(x.pats[int(p.base[k])+i]) }

// warm makes the indexes on every rung that some hunk needs in the file as it is, strictest first.
func (p *placer) warm() {
	if p.rules.Place == dialect.Ordered && len(p.hunks) > 1 { // the order check asks how things stood in the beginning
		for _, r := range p.rules.Ladder {
			p.index(r)
		}
	}
	for k := range p.hunks {
		if p.looksFor(k) && len(p.indexes) < len(p.rules.Ladder) {
			p.strictest(k)
		}
	}
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

func (p *placer) openMismatch(k int, msg string) *fail.Error {
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.NoNewlineMismatch, Hunk: k + 1, Msg: msg,
		Hint: `Leave out the line "\ No newline at end of file", or re-read the end of the file.`}
}

// behind is where lines go that are to follow s: in front of the next line, and after what earlier hunks put there.
func (p *placer) behind(s match.Slot) match.Slot {
	if next := s + 1; !p.doc.Inserted(s) && (next == p.doc.End() || !p.doc.Gone(next)) {
		return next
	}
	return p.doc.Next(s)
}

// seekGap finds where lines go that come with no line to look for: after a unique anchor, or into an empty file.
func (p *placer) seekGap(k int) {
	h, s := &p.hunks[k], &p.spots[k]
	if len(h.Anchors) == 0 {
		if p.doc.Next(match.Begin) == p.doc.End() {
			p.gap(k, patch.Exact, p.doc.End())
			return
		}
		s.err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: p.file.Len() + 1,
			Msg:  "the hunk only adds lines and does not say where: the file is not empty",
			Hint: "Add the line above or below as a context line (with a space before it)."}
		return
	}
	a := p.anchors[k]
	switch {
	case a.Line < 0:
		s.err = p.noAnchor(k)
	case a.Count > 1:
		s.err = &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Total: a.Count, Places: p.holding(h.Anchors, a),
			Msg:  fmt.Sprintf("%d lines contain the anchor %s, and the hunk only adds lines", a.Count, fail.Quote(h.Anchors[len(h.Anchors)-1])),
			Hint: "Add the line above or below as a context line, or stack a further \"@@ text\" line above that only one place has."}
	default:
		first := match.Slot(a.Line)
		if p.doc.At(a.Line) != a.Line { // review finds out who took it
			s.lost, s.err = true, p.overlap(k, 0, a.Line)
			return
		}
		p.gap(k, patch.Exact, p.behind(first))
	}
}

func (p *placer) noAnchor(k int) *fail.Error {
	h := &p.hunks[k]
	return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Hunk: k + 1,
		Msg:  fmt.Sprintf("no line contains the anchor %s", fail.Quote(h.Anchors[len(h.Anchors)-1])),
		Hint: "Re-read the file and copy the anchor from it, or use context lines instead."}
}

// holding lists the lines from a.Line on that hold the last of anchors.
func (p *placer) holding(anchors []string, a match.Anchor) []fail.Place {
	if p.listed++; p.listed > maxListed {
		return nil
	}
	var out []fail.Place
	last := match.Squeeze(anchors[len(anchors)-1])
	for n := a.Line; n < p.file.Len() && len(out) < min(a.Count, fail.MaxPlaces); n++ {
		if match.Holds(p.file.Line(n), last) {
			out = append(out, fail.Place{First: n + 1, Last: n + 1})
		}
	}
	return out
}

// addAnchors finds the anchors of the hunks that only add lines: they need them at once.
func (p *placer) addAnchors() {
	p.findAnchors(func(k int) bool { return !p.looksFor(k) && p.hunks[k].How == patch.Narrow })
}

// findAnchors finds the anchors of the hunks that need them, all in one walk.
func (p *placer) findAnchors(need func(k int) bool) {
	var who []int
	var chains [][]string
	for k := range p.hunks {
		if _, known := p.anchors[k]; !known && len(p.hunks[k].Anchors) > 0 && need(k) {
			who, chains = append(who, k), append(chains, p.hunks[k].Anchors)
		}
	}
	if len(who) == 0 {
		return
	}
	for i, a := range match.Anchors(p.file, chains) {
		p.anchors[who[i]] = a
	}
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
