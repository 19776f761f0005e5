package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"znkr.io/diff"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// The search for near places costs no more than placing did. It walks the file twice for all failing hunks
// together: once to see whether their outcome is there already, once to let every line of a hunk vote for where
// the hunk begins. Only the first maxExplained hunks of at most maxLines lines take part; a line of the file that
// more than maxVotes others equal does not vote; and hunks without any vote compare their longest line with at
// most maxScan bytes of the file. A last walk proves the corrected hunks.
const (
	maxExplained = 50
	maxLines     = 2000
	maxVotes     = 32
	maxScan      = 4 << 20
	maxCorrected = 64 << 10 // bytes of a corrected hunk: nobody sends a longer one again
)

// explain adds to every hunk that was not found what is really there, and a hunk that would apply.
func (p *placer) explain(errs fail.List, show func(patch.Hunk) (string, bool)) {
	var open []*search
	for _, e := range errs {
		if e.Reason != fail.ContextNotFound || len(open) == maxExplained {
			continue
		}
		h := &p.hunks[e.Hunk-1]
		if n := len(h.Lines); n > 0 && n <= maxLines && slices.ContainsFunc(h.Lines, patch.Line.Old) {
			open = append(open, &search{file: p.file, h: h, err: e, name: "the hunk"})
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
	if show != nil {
		p.correct(open, show)
	}
}

// search is the search for one hunk's near place.
type search struct {
	file *text.Lines
	h    *patch.Hunk
	err  *fail.Error
	name string // what differences call the hunk

	votes map[int]float64 // by the line of the file where the hunk would begin
	total float64         // what all its lines could give
	sole  map[int]bool    // lines of the file that no other one equals on any rung
	fresh bool            // a line that it adds is not in the file on any rung, so that its outcome is not

	corrected *patch.Hunk // what would apply, before it is proved
	from, to  int         // the lines of the file that it covers
}

// alreadyThere finds the hunks whose outcome is in the file, says so, and returns the others.
func alreadyThere(file *text.Lines, open []*search) []*search {
	if !slices.ContainsFunc(open, func(s *search) bool { return !s.fresh }) {
		return open
	}
	x := match.NewIndex(match.NewDoc(file), patch.Exact, len(open))
	ids := make([]int, len(open))
	for i, s := range open {
		if !s.fresh && slices.ContainsFunc(s.h.Lines, func(l patch.Line) bool { return l.Mark() == '+' }) {
			ids[i] = x.Add(slices.Values(s.h.New()))
		}
	}
	x.Build()
	lasts := x.Lasts()
	var rest []*search
	for i, s := range open {
		if ids[i] == 0 || x.Count(ids[i]) == 0 {
			rest = append(rest, s)
			continue
		}
		n, last := len(s.h.New()), lasts[ids[i]][0]
		first := last - n + 1
		s.err.Line = first + 1
		s.err.Nearest = &fail.Nearest{Place: fail.Place{First: first + 1, Last: last + 1}, Lines: shortLines(file, first, last+1),
			Differs: []string{fmt.Sprintf("these + lines are already there (lines %d-%d)", first+1, last+1)}}
		s.err.Hint = "The change seems to be made already: leave this hunk out."
	}
	return rest
}

// vote lets every old line of every hunk vote for where its hunk begins, and notes whose added lines are not there.
func vote(file *text.Lines, open []*search) {
	type ballot struct{ hunk, index int }
	ballots := map[string][]ballot{}
	for i, s := range open {
		s.votes, s.sole = map[int]float64{}, map[int]bool{}
		for j, line := range s.h.Old() {
			key := match.Fold(patch.Unicode, line)
			s.total += weight(key)
			if len(ballots[key]) < maxVotes && key != "" {
				ballots[key] = append(ballots[key], ballot{i, j})
			}
		}
	}
	adds := map[string][]*search{}
	for _, s := range open {
		for _, l := range s.h.Lines {
			if l.Mark() == '+' {
				key := match.Fold(patch.Unicode, l.Text())
				adds[key] = append(adds[key], s)
				ballots[key] = append(ballots[key], nil...) // sought, even if nobody votes with it
			}
		}
	}
	keys := slices.Sorted(maps.Keys(ballots))
	for i, places := range match.Lines(file, patch.Unicode, keys, maxVotes) {
		if len(places) > maxVotes {
			continue
		}
		key := keys[i]
		for _, s := range adds[key] {
			s.fresh = s.fresh || len(places) == 0
		}
		for _, b := range ballots[key] {
			if len(places) == 1 {
				open[b.hunk].sole[places[0]] = true
			}
			for _, n := range places {
				open[b.hunk].votes[n-b.index] += weight(key)
			}
		}
	}
}

// weight is how much a line says about where it is: a closing bracket little, words much.
func weight(line string) float64 {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n++; n == 3 {
				return 1
			}
		}
	}
	return 0.1
}

// settle chooses the near place, if there is one, and says what differs there.
func (s *search) settle() {
	begin, rivals, ok := s.winner()
	if !ok {
		if begin, rivals = s.resemble(); rivals < 0 {
			return
		}
	}
	s.describe(begin, rivals == 0)
}

// winner is the line with most votes, those of its neighbours counted in, and how many other places come near.
func (s *search) winner() (begin, rivals int, ok bool) {
	slack := 2 + len(s.h.Lines)/4
	starts := make([]int, 0, len(s.votes))
	for n := range s.votes {
		starts = append(starts, n)
	}
	slices.Sort(starts)
	sum := make([]float64, len(starts))
	best, low, high, total := -1, 0, 0, 0.0
	for i, n := range starts {
		for ; high < len(starts) && starts[high] <= n+slack; high++ {
			total += s.votes[starts[high]]
		}
		for ; starts[low] < n-slack; low++ {
			total -= s.votes[starts[low]]
		}
		sum[i] = total
		if best < 0 || sum[i] > sum[best]+1e-9 || sum[i] > sum[best]-1e-9 && s.votes[n] > s.votes[starts[best]] {
			best = i
		}
	}
	if best < 0 || sum[best] < s.total/3 {
		return 0, -1, false
	}
	begin, half := starts[best], (len(s.h.Old())+1)/2
	last := begin
	for i, n := range starts {
		switch away := max(n-begin, begin-n); {
		case away > 2*slack && sum[i] >= 0.8*sum[best] && (n < begin || n > last+2*slack),
			away >= half && away <= 2*slack && s.votes[n] >= 0.8*s.votes[begin]: // close by, with votes of its own
			rivals++
			last = max(last, n)
		}
	}
	return begin, rivals, true
}

// resemble looks for the line most like the hunk's longest one, for a hunk whose lines are nowhere.
func (s *search) resemble() (begin, rivals int) {
	long, at := "", 0
	for i, l := range s.h.Old() {
		if len(strings.TrimSpace(l)) > len(long) {
			long, at = strings.TrimSpace(l), i
		}
	}
	best, where, budget := 0.0, 0, maxScan
	rivals = -1
	for n := 0; n < s.file.Len() && budget > 0; n++ {
		line := strings.TrimSpace(s.file.Line(n))
		budget -= len(line)
		switch like := alike(line, long); {
		case like < 0.6:
		case like > best+0.05:
			best, where, rivals = like, n, 0
		case like > best-0.05:
			rivals++
		}
	}
	return where - at, rivals
}

// alike is the share of two lines that they have in common at both ends.
func alike(a, b string) float64 {
	n := min(len(a), len(b))
	if n == 0 || 2*n < max(len(a), len(b)) {
		return 0
	}
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	j := 0
	for j < n-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return float64(i+j) / float64(max(len(a), len(b)))
}

// pair is a line of the hunk and the line of the file that stands for it; -1 where there is none.
type pair struct{ mine, theirs int }

// describe aligns the hunk's old lines with the file around begin, and words the differences.
func (s *search) describe(begin int, alone bool) {
	old := s.h.Old()
	slack := 2 + len(s.h.Lines)/4
	low := max(0, begin-slack)
	high := min(s.file.Len(), begin+len(old)+slack)
	if low >= high {
		return
	}
	pairs := align(old, fileLines(s.file, low, high), begin-low)
	for i := range pairs {
		if pairs[i].theirs >= 0 {
			pairs[i].theirs += low
		}
	}
	s.from, s.to = -1, -1
	for _, p := range pairs {
		if p.theirs >= 0 {
			if s.from < 0 {
				s.from = p.theirs
			}
			s.to = p.theirs + 1
		}
	}
	if s.from < 0 {
		return
	}
	s.err.Line = s.from + 1
	s.err.Nearest = &fail.Nearest{Place: fail.Place{First: s.from + 1, Last: s.to}, Lines: shortLines(s.file, s.from, s.to),
		Differs: s.differs(old, pairs)}
	s.err.Hint = fmt.Sprintf("Compare with lines %d-%d of the file, and send the hunk with the lines as they are there.", s.from+1, s.to)
	if alone {
		s.rewrite(old, pairs)
	}
}

// align pairs old with lines: those that are equal but for white space and typography, and between them one for
// one what is left. Lines before the first and after the last pair are left out. Where that makes no more lines equal
// than to stand the hunk against the lines from at on does, it stands there.
func align(old, lines []string, at int) []pair {
	fold := func(in []string) []string {
		out := make([]string, len(in))
		for i, l := range in {
			out[i] = match.Fold(patch.Unicode, l)
		}
		return out
	}
	var out []pair
	var mine, theirs []int
	flush := func(end bool) {
		if len(out) == 0 && len(theirs) > len(mine) { // what precedes the hunk
			theirs = theirs[len(theirs)-len(mine):]
		}
		if end && len(theirs) > len(mine) { // what follows it
			theirs = theirs[:len(mine)]
		}
		for i := range max(len(mine), len(theirs)) {
			p := pair{-1, -1}
			if i < len(mine) {
				p.mine = mine[i]
			}
			if i < len(theirs) {
				p.theirs = theirs[i]
			}
			out = append(out, p)
		}
		mine, theirs = nil, nil
	}
	a, b := fold(old), fold(lines)
	edits := diff.Edits(a, b)
	equal := 0
	for _, e := range edits {
		if e.Op == diff.Match {
			equal++
		}
	}
	for i := range a {
		if at >= 0 && at+i < len(b) && a[i] == b[at+i] {
			equal--
		}
	}
	if equal <= 0 {
		return opposite(len(old), max(at, 0), len(lines))
	}
	i, j := 0, 0
	for _, e := range edits {
		switch e.Op {
		case diff.Match:
			flush(false)
			out = append(out, pair{i, j})
			i, j = i+1, j+1
		case diff.Delete:
			mine = append(mine, i)
			i++
		default:
			theirs = append(theirs, j)
			j++
		}
	}
	flush(true)
	return out
}

// opposite pairs n lines one for one with those from at up to end.
func opposite(n, at, end int) []pair {
	out := make([]pair, n)
	for i := range out {
		out[i] = pair{i, at + i}
		if at+i >= end {
			out[i].theirs = -1
		}
	}
	return out
}

// differs words each pair that is not the same bytes.
func (s *search) differs(old []string, pairs []pair) []string {
	var out []string
	for _, p := range pairs {
		switch {
		case p.theirs < 0:
			out = append(out, fmt.Sprintf("%s's line %s is not there", s.name, fail.Quote(old[p.mine])))
		case p.mine < 0:
			out = append(out, fmt.Sprintf("line %d: %s leaves out %s", p.theirs+1, s.name, fail.Quote(s.file.Line(p.theirs))))
		default:
			if have, want := s.file.Line(p.theirs), old[p.mine]; have != want {
				out = append(out, fmt.Sprintf("line %d: %s", p.theirs+1, difference(have, want, s.name)))
			}
		}
	}
	return out
}

// difference names how the file's line differs from that of the hunk, which it calls name.
func difference(have, want, name string) string {
	a, x := dent(have)
	b, y := dent(want)
	trim := func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }
	switch {
	case x == y:
		return fmt.Sprintf("indentation: the file has %s, %s %s", fail.Quote(a), name, fail.Quote(b))
	case trim(have) == trim(want):
		return fmt.Sprintf("trailing white space: the file has %s, %s %s", fail.Quote(have[len(trim(have)):]), name, fail.Quote(want[len(trim(want)):]))
	case match.Same(patch.Whitespace, have, want):
		return "indentation and trailing white space: the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
	case match.Same(patch.Unicode, have, want):
		return "typography (quotes, dashes, spaces, accents): the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
	}
	return "a changed line: the file has " + fail.Quote(have) + ", " + name + " " + fail.Quote(want)
}

// rewrite makes the hunk that says the same with the file's own lines.
func (s *search) rewrite(old []string, pairs []pair) {
	same := 0.0
	dents := map[string]string{}
	for _, p := range pairs {
		if p.mine >= 0 && p.theirs >= 0 {
			have, want := s.file.Line(p.theirs), old[p.mine]
			if match.Same(patch.Unicode, have, want) {
				same += weight(want)
				a, rest := dent(want)
				b, _ := dent(have)
				if rest != "" {
					dents[a] = b
				}
			}
		}
	}
	if len(pairs) > 2 && same < s.total/3 {
		return
	}
	c := *s.h
	c.Lines, c.Blank = nil, 0
	dented := shift{seen: dents, rule: shiftRule(dents)}
	next := 0 // the next pair
	theirs := func(mark byte, n int) { c.Lines = append(c.Lines, patch.Line(string(mark)+s.file.Line(n))) }
	extra := func() {
		for ; next < len(pairs) && pairs[next].mine < 0; next++ {
			theirs(' ', pairs[next].theirs)
		}
	}
	for _, l := range s.h.Lines {
		if !l.Old() {
			text, ok := dented.try(l.Text())
			if !ok {
				text = l.Text()
			}
			c.Lines = append(c.Lines, patch.Line("+"+text))
			continue
		}
		extra()
		switch p := pairs[next]; {
		case p.theirs >= 0:
			theirs(l.Mark(), p.theirs)
		case l.Mark() == '-':
			return // a removal with nothing to remove would be lost without a word
		}
		next++
	}
	extra()
	s.corrected = &c
}

// correct prints the corrected hunks that have exactly one place, with more context where they need it.
func (p *placer) correct(open []*search, show func(patch.Hunk) (string, bool)) {
	x := match.NewIndex(match.NewDoc(p.file), patch.Exact, len(open))
	type offer struct {
		s *search
		h patch.Hunk
		n int
	}
	var offers []offer
	for _, s := range open {
		if s.corrected == nil {
			continue
		}
		if h := s.widened(0); s.certain(h) && s.offer(h, show) {
			continue
		}
		for _, around := range []int{0, 1, 3, 8} {
			h := s.widened(around)
			offers = append(offers, offer{s, h, x.Add(slices.Values(h.Old()))})
		}
	}
	if len(offers) == 0 {
		return
	}
	x.Build()
	for _, o := range offers {
		if o.s.err.Nearest.Corrected != "" || o.n == 0 || x.Count(o.n) != 1 {
			continue
		}
		o.s.offer(o.h, show)
	}
}

// offer prints the corrected hunk h, unless that cannot be or is too long.
func (s *search) offer(h patch.Hunk, show func(patch.Hunk) (string, bool)) bool {
	out, ok := show(h)
	if !ok || len(out) > maxCorrected {
		return false
	}
	s.err.Nearest.Corrected = out
	s.err.Hint = "Send the corrected hunk instead, if the lines that it removes are the ones you mean."
	return true
}

// certain reports whether h has the very lines that it covers, and one that stands there alone, so that it has one place.
func (s *search) certain(h patch.Hunk) bool {
	lines := fileLines(s.file, s.from, s.to)
	for n := s.from; n < s.to; n++ {
		if s.sole[n] {
			return slices.Equal(h.Old(), lines)
		}
	}
	return false
}

// widened is the corrected hunk with so many lines more around it.
func (s *search) widened(around int) patch.Hunk {
	h := *s.corrected
	h.Anchors = nil
	from, to := max(0, s.from-around), min(s.file.Len(), s.to+around)
	if h.AtEnd || h.OldOpen || h.NewOpen {
		to = s.to
	}
	var lines []patch.Line
	for n := from; n < s.from; n++ {
		lines = append(lines, patch.Line(" "+s.file.Line(n)))
	}
	lines = append(lines, h.Lines...)
	for n := s.to; n < to; n++ {
		lines = append(lines, patch.Line(" "+s.file.Line(n)))
	}
	h.Lines = lines
	return h
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
