package place

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Claim is a place for a hunk of these lines that do not all stand there byte for byte: the lines of the file from From
// up to To.
type Claim struct {
	Lines    []patch.Line
	From, To int
	Gaps     bool // the place lacks a line of the hunk, or has one that the hunk leaves out
}

// sign is a run of lines that speaks against a claim if it stands at another place.
type sign struct {
	kind         signKind
	claim, id    int
	above, below []string // context
	removed      []string
}

type signKind uint8

// The kinds of signs. Those with context alone may be what is left where lines were removed.
const (
	changedLines signKind = iota // lines that the hunk changes, with the line of context above and the one below
	removedLines                 // removed lines alone
	nearContext                  // the context above and below removed lines, one below the other
	allContext                   // all context of a hunk, one line below the other, as above
)

// Rivals returns for each claim a line, from 1, of another place that has, byte for byte, what the claimed one lacks; 0 if there is none.
// A place lacks
//
//   - lines that the hunk changes, with the line of context right above and the one right below, if these do not stand there
//     but for typography. If they do but the place has gaps, another place that has them too is a rival;
//   - removed lines, if they are indented otherwise there and the context is not;
//   - context around lines that the hunk removes, if it does not stand there but for typography. A place that has it without these
//     lines is a rival, also one within the claimed place: they may be gone from there. So is a place that has all context of the hunk, one
//     line below the other, where the claimed one lacks a line of it.
//
// Where the file has what the hunk leaves, apart from white space and typography, the hunk may be applied there.
//
// What stands in one of the taken places is no rival: another hunk means it. It reads the file at most four times. Unknown stands for a claim
// that would take too long: hunks of thousands of lines that are alike.
func Rivals(file *text.Lines, claims, taken []Claim) []int {
	out := make([]int, len(claims))
	left := maxCompared
	var signs []sign
	for i, c := range claims {
		straight := c.standsStraight(file, &left)
		for s := range c.signs {
			if s.claim = i; (straight || s.kind != removedLines) && !c.answers(file, s, &left) {
				signs = append(signs, s)
			}
			if left < 0 {
				out[i] = Unknown
				break
			}
		}
	}
	doc := match.NewDoc(file)
	markOutcomes(doc, claims, out)
	if len(signs) == 0 {
		return out
	}
	x := match.NewIndex(doc, patch.Exact, len(signs))
	for i := range signs {
		signs[i].id = x.Add(slices.Values(signs[i].lines()))
	}
	x.Build()
	var lasts [][2]match.Slot
	looks := 0
	for _, s := range signs {
		c, lines := claims[s.claim], s.lines()
		others := x.Count(s.id)
		if out[s.claim] != 0 || others == 0 {
			continue
		}
		here := c.count(file, lines, same, &left)
		if s.kind >= nearContext {
			here = min(here, c.shows(lines, &left))
		}
		others -= here
		if others > 0 && looks < maxTaken {
			looks++
			for _, t := range taken {
				if t.From != c.From || t.To != c.To {
					others -= t.count(file, lines, same, &left)
				}
			}
		}
		if left < 0 {
			out[s.claim] = Unknown
			continue
		}
		if others <= 0 {
			continue
		}
		if lasts == nil {
			lasts = x.LastPlaces()
		}
		last := lasts[s.id][0]
		if but := lasts[s.id][1]; here > 0 && c.From <= last && last < c.To && but != match.Begin {
			last = but
		}
		out[s.claim] = last - len(lines) + 2
	}
	return out
}

// markOutcomes sets a line for each claim of a hunk that replaces lines, if what it leaves is in the file.
func markOutcomes(doc *match.Doc, claims []Claim, out []int) {
	x := match.NewIndex(doc, patch.Unicode, len(claims))
	news, ids := make([][]string, len(claims)), make([]int, len(claims))
	for i, c := range claims {
		if h := (patch.Hunk{Lines: c.Lines}); slices.ContainsFunc(c.Lines, removesWords) && slices.ContainsFunc(c.Lines, addsWords) {
			news[i] = h.New()
			ids[i] = x.Add(slices.Values(news[i]))
		}
	}
	if !slices.ContainsFunc(ids, func(id int) bool { return id > 0 }) {
		return
	}
	x.Build()
	var lasts [][2]match.Slot
	for i, id := range ids {
		if id == 0 || out[i] != 0 || x.Count(id) == 0 {
			continue
		}
		if lasts == nil {
			lasts = x.LastPlaces()
		}
		out[i] = lasts[id][0] - len(news[i]) + 2
	}
}

func addsWords(l patch.Line) bool { return l.Mark() == '+' && TextHasWords(l.Text()) }

func (s sign) lines() []string { return slices.Concat(s.above, s.removed, s.below) }

// signs yields what must not stand at another place.
func (c Claim) signs(yield func(sign) bool) {
	for from := 0; from < len(c.Lines); from++ {
		if c.Lines[from].Mark() == ' ' {
			continue
		}
		to := from
		var removed []string
		for ; to < len(c.Lines) && c.Lines[to].Mark() != ' '; to++ {
			if c.Lines[to].Mark() == '-' {
				removed = append(removed, c.Lines[to].Text())
			}
		}
		above, below := contextAbove(c.Lines[:from]), contextBelow(c.Lines[to:])
		near := sign{above: above[max(0, len(above)-1):], removed: removed, below: below[:min(1, len(below))]}
		if slices.ContainsFunc(removed, TextHasWords) || len(removed) == 0 && near.tellsPlace() {
			if !yield(near) {
				return
			}
		}
		if slices.ContainsFunc(removed, TextHasWords) && !yield(sign{kind: removedLines, removed: removed}) {
			return
		}
		if gone := (sign{kind: nearContext, above: above, below: below}); slices.ContainsFunc(removed, TextHasWords) && len(above) > 0 && len(below) > 0 && slices.ContainsFunc(gone.lines(), TextHasWords) {
			if !yield(gone) {
				return
			}
		}
		from = to
	}
	if all := (sign{kind: allContext, above: c.context()}); slices.ContainsFunc(c.Lines, removesWords) && slices.ContainsFunc(all.above, TextHasWords) {
		yield(all)
	}
}

func removesWords(l patch.Line) bool { return l.Mark() == '-' && TextHasWords(l.Text()) }

// context returns the lines of context.
func (c Claim) context() (out []string) {
	for _, l := range c.Lines {
		if l.Mark() == ' ' {
			out = append(out, l.Text())
		}
	}
	return out
}

// tellsPlace reports whether a line of context stands on both sides, and one of the two has words.
func (s sign) tellsPlace() bool {
	lines := s.lines()
	return len(s.above) > 0 && len(s.below) > 0 && slices.ContainsFunc(lines, TextHasWords) && !slices.Contains(lines, "")
}

func contextAbove(lines []patch.Line) (out []string) {
	n := len(lines)
	for n > 0 && lines[n-1].Mark() == ' ' {
		n--
	}
	return contextBelow(lines[n:])
}

func contextBelow(lines []patch.Line) (out []string) {
	for _, l := range lines {
		if l.Mark() != ' ' {
			break
		}
		out = append(out, l.Text())
	}
	return out
}

// answers reports whether the claimed place has itself what s looks for elsewhere.
func (c Claim) answers(file *text.Lines, s sign, left *int) bool {
	switch s.kind {
	case removedLines:
		return c.count(file, s.removed, alike, left) > 0
	case allContext:
		return c.hasInOrder(file, s.above, left)
	case nearContext:
		return c.count(file, s.above, alike, left) > 0 && c.count(file, s.below, alike, left) > 0 && c.count(file, s.lines(), alike, left) <= c.shows(s.lines(), left)
	}
	return c.count(file, s.lines(), alike, left) > 0 && !(c.Gaps && len(s.removed) > 0)
}

// Unknown says that it was not found out whether a claim has a rival.
const Unknown = -1

// maxCompared bounds how many pairs of lines are compared for all claims of a section.
const maxCompared = 1 << 21

// maxTaken is for how many runs of lines it is looked whether other hunks took the places, which keeps the time linear.
const maxTaken = 64

func same(have, want string) bool { return have == want }

// alike reports whether two lines are equal but for typography and white space at the end.
func alike(have, want string) bool {
	a, _ := indent.Cut(have)
	b, _ := indent.Cut(want)
	return a == b && match.Same(patch.Unicode, have, want)
}

// shows counts how often the hunk itself has lines one below the other among its old ones.
func (c Claim) shows(lines []string, left *int) int {
	old := (&patch.Hunk{Lines: c.Lines}).Old()
	*left -= len(old) // as many are read to list them
	return countRuns(len(old), lines, left, func(n int, want string) bool { return old[n] == want })
}

// count counts how often lines stand at the claimed place, one below the other.
func (c Claim) count(file *text.Lines, lines []string, equal func(have, want string) bool, left *int) int {
	return countRuns(c.To-c.From, lines, left, func(n int, want string) bool { return equal(file.Line(c.From+n), want) })
}

// standsStraight reports whether a line of context with words stands at the claimed place byte for byte.
func (c Claim) standsStraight(file *text.Lines, left *int) bool {
	*left -= c.To - c.From + len(c.Lines)
	there := map[string]bool{}
	for n := c.From; n < c.To; n++ {
		there[file.Line(n)] = true
	}
	return slices.ContainsFunc(c.Lines, func(l patch.Line) bool { return l.Mark() == ' ' && TextHasWords(l.Text()) && there[l.Text()] })
}

// hasInOrder reports whether lines stand at the claimed place, in this order.
func (c Claim) hasInOrder(file *text.Lines, lines []string, left *int) bool {
	*left -= c.To - c.From
	for n := c.From; n < c.To && len(lines) > 0; n++ {
		if alike(file.Line(n), lines[0]) {
			lines = lines[1:]
		}
	}
	return len(lines) == 0
}

// countRuns counts how often lines stand one below the other among so many, until nothing is left to be compared.
func countRuns(among int, lines []string, left *int, equal func(n int, want string) bool) (n int) {
	for at := 0; at+len(lines) <= among && *left >= 0; at++ {
		i := 0
		for i < len(lines) && equal(at+i, lines[i]) {
			i++
		}
		if *left -= i + 1; i == len(lines) {
			n++
		}
	}
	return n
}

// findRivals returns the rivals of the hunks that matched loosely, by hunk, where hunks that match loosely are corrected.
func (p *Placement) findRivals() map[int]int {
	if !p.Rules.Corrects || p.Rules.Place != dialect.Ordered || p.limit != nil {
		return nil
	}
	var claims []Claim
	var taken []Claim
	var who []int
	for k := range p.Spots {
		s := &p.Spots[k]
		if !s.Applied {
			continue
		}
		c := Claim{Lines: p.AsPlaced(k), From: s.Start, To: s.Stop}
		taken = append(taken, c)
		if s.rung > patch.Trailing {
			claims, who = append(claims, c), append(who, k)
		}
	}
	out := map[int]int{}
	for i, line := range Rivals(p.File, claims, taken) {
		if line != 0 {
			out[who[i]] = line
		}
	}
	return out
}

// rivalled refuses hunk k because of the lines from line on.
func (p *Placement) rivalled(k, line int) *fail.Error {
	e := p.notFound(k)
	e.Line = p.Spots[k].Start + 1
	if line == Unknown {
		e.Msg = "its lines match only loosely, and so many are alike that no place can be told from another"
		e.Hint = "Send smaller hunks, with their lines as they stand in the file."
		return e
	}
	e.Msg = fmt.Sprintf("its lines match only loosely, and line %d has those that it changes as they are in the hunk, or had them, or has what it leaves", line)
	e.Hint = RivalHint
	return e
}

// RivalHint says what to do about a rival.
const RivalHint = "Send all lines as they stand at the place that is meant."
