package suggest

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// search is the search for the place that one hunk nearly fits.
type search struct {
	file *text.Lines
	hunk *patch.Hunk
	err  *fail.Error
	name string // what differences call the hunk

	lines    []patch.Line // of the hunk, without the line numbers that stand in front of them
	numbered string       // the first line with its number, if they have any
	old      []string     // the lines that are to be in the file
	keys     []string     // the old lines, folded
	removed  []bool       // by old line: the hunk removes it
	parts    []part
	tabs     indent.Tabs
	last     bool // it is the last hunk of its section
	partial  bool // the first and the last line may be parts of lines
	unmarked bool // the author marked no line as one that goes, comes or stays

	stands  map[string][]int // by key with words: the lines of the file that equal it, unless they are many
	unique  map[int]bool     // lines of the file that equal no other line on any rung
	addsNew bool             // a line that it adds is not in the file on any rung, so that its outcome is not
	moved   *indent.Seen     // set if only its context was moved
	stray   patch.Line       // a line that it adds and that is in the file with its mark, if there is one

	texts map[string]bool // whether the file has something; see fileHas
	step  int             // see indent.Step

	alignments []alignment // where the hunk nearly fits, the best one first
	alone      bool        // no other place is nearly as good

	corrected *patch.Hunk // what would apply, before it is proved
	from, to  int         // the lines of the file that it covers
}

// part is a run of old lines without an ellipsis, from up to to.
type part struct {
	from, to int
	votes    map[int]float64 // by the line of the file where the part would begin
	total    float64         // the votes of all its lines
}

// newSearch prepares the search for h, which the refusal e says is not in the file. name is what differences call the
// hunk.
func newSearch(file *text.Lines, h *patch.Hunk, e *fail.Error, name string) *search {
	s := &search{file: file, hunk: h, err: e, name: name, lines: h.Lines, unique: map[int]bool{}, stands: map[string][]int{}}
	if lines, ok := decode.Numbers(h.Lines); ok {
		s.lines, s.numbered = lines, h.Lines[slices.IndexFunc(h.Lines, patch.Line.Old)].Text()
	}
	from := 0
	for _, l := range s.lines {
		if !l.Old() {
			continue
		}
		if isEllipsis(l) {
			s.addPart(from, len(s.old))
			from = len(s.old) + 1
		}
		s.old, s.keys, s.removed = append(s.old, l.Text()), append(s.keys, match.Fold(patch.Unicode, l.Text())), append(s.removed, l.Mark() == '-')
	}
	s.addPart(from, len(s.old))
	return s
}

func (s *search) addPart(from, to int) {
	if from < to {
		s.parts = append(s.parts, part{from: from, to: to, votes: map[int]float64{}})
	}
}

// alignment is one way to lay a hunk over lines from up to to of the file.
type alignment struct {
	from, to  int
	image     []int  // by old line: the line of the file for which it stands, or nothing
	certain   []bool // by old line: every way that costs about as little has the same line for it
	cost      float64
	complete  bool // all lines are there
	blankGaps bool // all lines are there, with nothing but blank lines in between
	tied      bool // other lines are as similar, and were not tried
}

// nothing is the image of a line that is not in the file.
const nothing = -1

// margin is by how much one alignment must be cheaper than another to be the one that is meant.
const margin = 0.5

// joined returns a followed by b.
func (a alignment) joined(b alignment) alignment {
	out := alignment{from: a.from, to: b.to, cost: a.cost + b.cost, complete: a.complete && b.complete, blankGaps: a.blankGaps && b.blankGaps, tied: a.tied || b.tied, image: slices.Clone(a.image), certain: slices.Clone(a.certain)}
	for i, n := range b.image {
		if n != nothing {
			out.image[i], out.certain[i] = n, b.certain[i]
		}
	}
	return out
}

// samePlace reports whether one of a and b has all the lines of the other.
func (a alignment) samePlace(b alignment) bool { return a.includedIn(b) || b.includedIn(a) }

func (a alignment) includedIn(b alignment) bool {
	for i, n := range a.image {
		if n != nothing && n != b.image[i] {
			return false
		}
	}
	return true
}

func (s *search) newAlignment(cost float64) alignment {
	return alignment{image: slices.Repeat([]int{nothing}, len(s.old)), certain: make([]bool, len(s.old)), cost: cost}
}

// blank reports whether line n of the file is blank.
func (s *search) blank(n int) bool { return strings.TrimSpace(s.file.Line(n)) == "" }

// omitted reports whether old line i is an ellipsis.
func (s *search) omitted(i int) bool {
	for _, p := range s.parts {
		if p.from <= i && i < p.to {
			return false
		}
	}
	return true
}
