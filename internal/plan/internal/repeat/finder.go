package repeat

import "github.com/emend-dev/emend/internal/plan/internal/place"

// Mode says what becomes of a hunk that is already applied.
type Mode uint8

const (
	// Ignore: nothing is looked for, since earlier sections wrote the text.
	Ignore Mode = iota
	// Tell: the hunk is refused, and the refusal says that it is applied. If the whole section is applied, this includes
	// hunks whose old lines are still there.
	Tell
	// Skip: the hunk is left out.
	Skip
	// SkipEdges: the hunk is left out. If the whole section is applied, this includes hunks whose old lines are still there.
	SkipEdges
)

// Proof grades the evidence that something is already applied.
type Proof uint8

const (
	// None: it is not applied, or nothing shows it.
	None Proof = iota
	// Weak: its old lines are still there, or its context is on one side only. It counts when everything else is applied too.
	Weak
	// Strong: its old lines are nowhere, and its new ones show that they are its outcome.
	Strong
)

// outcome is where the new lines of a hunk stand: lines from up to to of the file, of which changed are those that the
// hunk changes.
type outcome struct {
	proof     Proof
	from, to  int
	changed   [2]int
	twin      int  // the earlier hunk that says the same, from 1; 0 for none
	anchored  bool // Weak, with context on one side only, below an anchor of the hunk
	lone      bool // the same without an anchor: it does not count unless another hunk is anchored or surely applied
	elsewhere bool // the hunk has its place, and its new lines stand somewhere too
}

// finder looks for the outcomes of the hunks of one section.
type finder struct {
	*place.Placement
	found []outcome      // by hunk
	first map[string]int // by keyOf: the first hunk that has its place
	all   bool           // every hunk is already applied
	times map[string]int // by old line of a hunk without a place, folded: how often it stands in the file; see count
}

// candidate is a hunk whose outcome is looked for.
type candidate struct {
	hunk    int
	nowhere bool // its old lines were not in the file before any hunk was applied
}
