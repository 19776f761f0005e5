package place

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Placement is the hunks of one section in one file: where each goes, or why it goes nowhere.
type Placement struct {
	File  *text.Lines
	Hunks []patch.Hunk
	Rules dialect.Rules
	Spots []Spot // by hunk

	doc      *match.Doc
	oldLines int // the lines of all hunks that must be in the file

	forms       [][]form // by hunk, the preferred form first
	firstForm   []uint32 // by hunk: how many forms the hunks before it have
	allHunks    []int    // see every
	indexes     map[patch.Rung]*index
	anchors     map[int]match.Anchor               // by hunk, where they were needed
	anchorLines map[patch.Rung]map[string][]uint32 // by anchor: the lines that equal it; see equals

	wrote         []writtenRun              // what hunks wrote, in the order of writing
	lastAdded     map[match.Slot]match.Slot // see addAfter
	removed       []removedRun              // the lines of the file that are gone, in the order of removal; sorted once all hunks are applied
	listings      int                       // refusals that listed their places
	pendingPlaces map[int][]fail.Place      // by hunk, while it is pending
	tabs          indent.Tabs               // what hunks that prove no tab width go by
	plain         string                    // the typography that other hunks of the section show not to be meant
	typography    map[rune]bool             // in the file; see usesTypography
	added         map[rune]bool             // see addsPlainly
	firstSame     map[string]int            // by Key: the first hunk that says so; see sameBefore
	fileStep      int                       // see step
	stepKnown     bool
	joinedKnown   bool
	fileJoined    bool
	typesetKnown  bool
	typeset       bool        // see oldTypeset
	scopeWork     int         // bytes of the lines that were looked at for scopes, see scopesCost
	rivals        map[int]int // see findRivals
	limit         error
	traced        bool // Spots note the line of the file for every line of a hunk
	numbered      bool // AtNumbers found the places
	asMade        bool // the file is the one that the patch was made from
}

// Spot is where a hunk goes, or why it goes nowhere.
type Spot struct {
	Err     *fail.Error
	Applied bool // the hunk's change is made in the text
	// The place covers the lines of the file from Start up to but not including Stop, from 0.
	Start, Stop int
	Early       bool // the hunk has places, but only before the cursor
	OffAnchor   bool // the hunk has a place, but its anchors lead elsewhere
	Doubles     bool // what the hunk adds stands beside its place already
	Twin        int  // with Doubles: the hunk of this patch that wrote it, from 1; 0 if it was there

	placed        bool
	skipped       bool // the hunk's outcome is there already: it is left out
	pending       bool // there are several places, and nothing has decided yet
	anchorTaken   bool // an earlier hunk took the line of the anchor that the hunk was to follow
	form          form
	rung          patch.Rung
	first         match.Slot // the first line of the place; for additions alone the slot that they go before
	others        int        // how many other places there are
	initialPlaces int        // how many places there were before any hunk was applied
	rival         int        // with an overlap: the number of the other hunk, from 1; 0 where it is not known
	tabs          indent.Tabs
	moved         *indent.Seen // set if only its context was moved
	plain         string       // see notMeant
	double        [2]int       // with Doubles: the lines of the file that stand there
	lines         []int        // where the placement is traced: see HunkPlace.Lines
}

// index is an index of the hunks' forms on one rung.
type index struct {
	*match.Index
	patterns []uint32        // by form, see Placement.pattern; absent where the hunk is not in the index
	initial  []occurrence    // by pattern: where it stood before any hunk was applied
	lasts    [][2]match.Slot // see match.Index.Lasts; read when first needed
}

// occurrence says how often a pattern stood in the text, and where if only once.
type occurrence struct {
	n     int
	first match.Slot
}

// writtenRun says that hunk wrote the slots from slot on, up to those of the next writtenRun.
type writtenRun struct {
	slot     uint32
	hunk     int32
	replaces uint32 // the first line of the file that the run replaces, from 1; 0 if it only adds lines
}

// removedRun says that hunk removed lines from up to to of the file.
type removedRun struct{ from, to, hunk int }

func newPlacement(file *text.Lines, hunks []patch.Hunk, r dialect.Rules) *Placement {
	hunks = withoutCR(file, hunks)
	p := &Placement{File: file, doc: match.NewDoc(file), Hunks: hunks, Rules: r, Spots: make([]Spot, len(hunks)),
		forms: make([][]form, len(hunks)), firstForm: make([]uint32, len(hunks)+1), pendingPlaces: map[int][]fail.Place{},
		indexes: map[patch.Rung]*index{}, anchors: map[int]match.Anchor{}}
	added := 0
	for k := range hunks {
		p.forms[k] = formsOf(&hunks[k], r)
		p.firstForm[k+1] = p.firstForm[k] + uint32(len(p.forms[k]))
		for _, l := range hunks[k].Lines {
			if l.Mark() == '+' {
				added++
			}
		}
		p.oldLines += len(hunks[k].Lines)
	}
	p.oldLines -= added
	p.doc.Reserve(added)
	p.wrote, p.removed = make([]writtenRun, 0, len(hunks)), make([]removedRun, 0, len(hunks))
	return p
}

// withoutCR drops the CR at the end of the lines of each hunk that has one on every line, if every line of the file ends
// in CRLF. There the CR of the hunk is part of the line end.
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

// additions reports whether hunk k has nothing to look for: no old lines, and no adjoining anchor.
func (p *Placement) additions(k int) bool { return p.forms[k][0].empty(&p.Hunks[k]) }

// all lists the numbers of all hunks.
func (p *Placement) all() []int {
	if p.allHunks == nil {
		p.allHunks = make([]int, len(p.Hunks))
		for k := range p.allHunks {
			p.allHunks[k] = k
		}
	}
	return p.allHunks
}

// Loosest returns the last rung on which lines may match.
func (p *Placement) Loosest() patch.Rung { return p.Rules.Ladder[len(p.Rules.Ladder)-1] }

// Cuts lists the different numbers of last lines that hunk k may do without, the preferred one first.
func (p *Placement) Cuts(k int) (out []int) {
	for _, f := range p.forms[k] {
		if !slices.Contains(out, f.cut) {
			out = append(out, f.cut)
		}
	}
	return out
}

// Lines returns the lines of hunk k without the last cut.
func (p *Placement) Lines(k, cut int) []patch.Line { return form{cut: cut}.of(&p.Hunks[k]) }

// AsPlaced returns the lines of hunk k in the form in which it has its place.
func (p *Placement) AsPlaced(k int) []patch.Line { return p.Spots[k].form.of(&p.Hunks[k]) }

// Changed returns the lines of the file, from up to to, that hunk k changes; the two are equal if it only adds lines.
func (p *Placement) Changed(k int) (from, to int) {
	s := &p.Spots[k]
	above, below := Context(p.AsPlaced(k))
	from = min(s.Start+above, s.Stop)
	return from, max(from, s.Stop-below)
}

// Context counts the lines of context before the first change of a hunk and after the last.
func Context(lines []patch.Line) (above, below int) {
	for above < len(lines) && lines[above].Mark() == ' ' {
		above++
	}
	for below < len(lines)-above && lines[len(lines)-1-below].Mark() == ' ' {
		below++
	}
	return above, below
}

// Skip leaves out hunk k, whose outcome is lines start up to stop of the file already.
func (p *Placement) Skip(k, start, stop int) {
	p.Spots[k] = Spot{skipped: true, rung: patch.Exact, Start: start, Stop: stop}
}

// Stop frees the indexes: no place is looked for any more.
func (p *Placement) Stop() {
	p.doc.DropIndexes()
	p.indexes = map[patch.Rung]*index{}
}
