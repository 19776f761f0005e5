package change

import (
	"path"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/patch"
)

// maxHunks is how many hunks of a file the log lists.
const maxHunks = 200

// net is the effect of a plan on every place that it names: the steps of a plan follow one another, a commit happens
// at once.
type netEffect struct {
	prefix    string // the way from the top of the tree to the root
	sums      map[guard.Identity]string
	changes   []commit.Change
	index     map[guard.Identity]int
	states    []placeState
	steps     []stepEnds // for each step of the plan
	permanent bool       // keep nothing of what is deleted
}

// place is what the steps so far leave at a place.
type placeState struct {
	exists    bool
	content   string
	sum       string
	from      int  // the change whose old file the content comes from, -1 for a new one
	unchanged bool // it is that old file, to the byte
	exec      bool
	fromSlot  string // the kept file that comes back instead of a content
	modeSlot  string // the kept file that lends its mode and owner, where no change does
	touchNow  bool
}

// ends are the changes at the two ends of a step; the second only for a move.
type stepEnds struct{ source, dest int }

func newNetEffect(steps []plan.Step, prefix string, sums map[guard.Identity]string, forget bool) *netEffect {
	n := &netEffect{prefix: prefix, sums: sums, index: map[guard.Identity]int{}, permanent: forget}
	for i := range steps {
		n.addStep(&steps[i])
	}
	n.finish()
	return n
}

func (n *netEffect) addStep(s *plan.Step) {
	end := stepEnds{n.changeAt(s.Source), -1}
	here := &n.states[end.source]
	switch s.Op {
	case patch.Add:
		from := -1
		if old := n.changes[end.source].Old; old != nil && old.Mode.IsRegular() {
			from = end.source // what is replaced lends its mode and owner
		}
		*here = placeState{exists: true, content: s.After, sum: s.AfterSum, from: from, exec: s.Exec, fromSlot: s.FromHistory, modeSlot: s.ModeOfKept, touchNow: s.SetTime}
	case patch.Update:
		n.setContent(here, s)
		if s.ModeFrom != nil {
			from := n.changeAt(*s.ModeFrom) // which may move the places
			n.states[end.source].from = from
		}
	case patch.Delete:
		*here = placeState{from: -1}
	case patch.Move:
		end.dest = n.changeAt(s.Dest)
		moved := n.states[end.source]
		n.setContent(&moved, s)
		n.states[end.source] = placeState{from: -1}
		n.states[end.dest] = moved
	}
	n.steps = append(n.steps, end)
}

// of is the index of the change at the place of f.
func (n *netEffect) changeAt(f plan.File) int {
	e := f.Handle.(guard.Entry)
	i, ok := n.index[e.Place]
	if !ok {
		i = len(n.changes)
		n.index[e.Place] = i
		n.changes = append(n.changes, n.newChange(e))
		n.states = append(n.states, n.initialState(e, i))
	}
	return i
}

func (n *netEffect) newChange(e guard.Entry) commit.Change {
	c := commit.Change{Path: path.Join(n.prefix, e.Rel), Missing: strings.Count(e.Place.Name, "/"),
		Parent: vfs.ID{Dev: e.Place.Dev, Ino: e.Place.Ino}}
	if e.Kind == guard.Missing {
		return c
	}
	c.Old = &commit.Old{Sum: n.sums[e.Place], Link: e.Target, Info: vfs.Info{ID: vfs.ID{Dev: e.File.Dev, Ino: e.File.Ino},
		Mode: e.Mode, Size: e.Size, ModTime: e.ModTime, Links: e.Links}}
	return c
}

func (n *netEffect) initialState(e guard.Entry, i int) placeState {
	if e.Kind == guard.Missing {
		return placeState{from: -1}
	}
	return placeState{exists: true, sum: n.sums[e.Place], from: i, unchanged: true}
}

// edit gives a place the content that a step leaves.
func (n *netEffect) setContent(p *placeState, s *plan.Step) {
	p.unchanged = p.unchanged && s.AfterSum == s.BeforeSum && s.FromHistory == ""
	p.content, p.sum = s.After, s.AfterSum
	p.fromSlot, p.touchNow = s.FromHistory, s.SetTime
}

// settle turns what the places have at the end into changes.
func (n *netEffect) finish() {
	moved := map[int]bool{}
	for i := range n.states {
		p, c := &n.states[i], &n.changes[i]
		switch {
		case p.exists && p.unchanged && p.from == i:
			c.Old = nil // as it was: there is nothing to do, and nothing to check
		case !p.exists && n.permanent:
			c.Discard = true
		case p.exists:
			move := p.unchanged && c.Old == nil && !n.states[p.from].exists && !moved[p.from]
			if move {
				moved[p.from] = true
			}
			c.New = &commit.New{Content: p.content, Sum: p.sum, From: p.from, Move: move, Exec: p.exec, FromSlot: p.fromSlot, LikeSlot: p.modeSlot, TouchNow: p.touchNow}
		}
	}
}

// ops is what the log says was asked for.
func (n *netEffect) ops(steps []plan.Step) []audit.Op {
	out := make([]audit.Op, len(steps))
	for i := range steps {
		s := &steps[i]
		out[i] = audit.Op{Operation: s.Op.String(), Path: path.Join(n.prefix, s.Path), Before: s.BeforeSum,
			After: s.AfterSum, Size: max(int64(len(s.After)), s.Size)}
		if s.Op == patch.Move {
			out[i].ToPath = path.Join(n.prefix, s.To)
		}
		out[i].Hunks, out[i].HunksMore = placedHunks(s.Hunks)
	}
	return out
}

// landed is where hunks landed, for the log, and how many more there are. What was there already did not land.
func placedHunks(hunks []plan.Placed) (out []audit.Hunk, more int) {
	for _, h := range hunks {
		switch {
		case h.Skipped:
		case len(out) == maxHunks:
			more++
		default:
			out = append(out, audit.Hunk{Line: h.Line, Rung: h.Rung.String()})
		}
	}
	return out, more
}

// trashed names, for each step, what it deleted or overwrote.
func (n *netEffect) trashed(steps []plan.Step, slots []string) []string {
	out := make([]string, len(steps))
	for i, end := range n.steps {
		switch {
		case steps[i].Op == patch.Delete:
			out[i] = slots[end.source]
		case steps[i].Replaces != nil && end.dest >= 0:
			out[i] = slots[end.dest]
		case steps[i].Replaces != nil:
			out[i] = slots[end.source]
		}
	}
	return out
}
