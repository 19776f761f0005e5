package change

import (
	"cmp"
	"path"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/patch"
)

// maxHunks limits the hunks of a file that the log lists.
const maxHunks = 200

// netEffect reduces the steps of a plan, which follow one another, to one change for each place on disk, because a
// commit makes all changes at once.
type netEffect struct {
	prefix    string // path from the top of the tree to the root
	sums      map[guard.Identity]string
	changes   []commit.Change
	index     map[guard.Identity]int
	states    []placeState
	steps     []stepEnds // the places of each step of the plan
	permanent bool       // keep no copy of deleted files
}

// placeState is the state of a place after the steps so far.
type placeState struct {
	exists    bool
	content   string
	sum       string
	from      int  // index of the change whose old file gives the content or the mode; -1 for none
	unchanged bool // the content is that of the old file
	exec      bool
	mode      patch.Mode // what becomes of the executable bit of the file that gives the mode
	fromSlot  string     // slot of the kept file that gives the content
	modeSlot  string     // slot of the kept file that gives mode and owner, if no old file does
	touchNow  bool
}

// stepEnds are the indexes of the changes at the source and the destination of a step. dest is -1 unless the step is a
// move.
type stepEnds struct{ source, dest int }

// newNetEffect applies the steps in their order. sums holds the hashes of the files that the plan read.
func newNetEffect(steps []plan.Step, prefix string, sums map[guard.Identity]string, permanent bool) *netEffect {
	n := &netEffect{prefix: prefix, sums: sums, index: map[guard.Identity]int{}, permanent: permanent}
	for i := range steps {
		n.addStep(&steps[i])
	}
	n.finish()
	return n
}

func (n *netEffect) addStep(s *plan.Step) {
	ends := stepEnds{n.changeAt(s.Source), -1}
	state := &n.states[ends.source]
	switch s.Op {
	case patch.Add:
		from := -1
		if old := n.changes[ends.source].Old; old != nil && old.Mode.IsRegular() {
			from = ends.source // the replaced file gives its mode and owner
		}
		*state = placeState{exists: true, content: s.After, sum: s.AfterSum, from: from, exec: s.Exec, fromSlot: s.FromHistory, modeSlot: s.ModeOfKept, touchNow: s.SetTime}
	case patch.Update:
		n.setContent(state, s)
		if s.ModeFrom != nil {
			from := n.changeAt(*s.ModeFrom) // may reallocate n.states, so that state would be stale
			n.states[ends.source].from = from
		}
	case patch.Delete:
		*state = placeState{from: -1}
	case patch.Move:
		ends.dest = n.changeAt(s.Dest)
		moved := n.states[ends.source]
		n.setContent(&moved, s)
		n.states[ends.source] = placeState{from: -1}
		n.states[ends.dest] = moved
	}
	n.steps = append(n.steps, ends)
}

// changeAt returns the index of the change at the place of f, and begins the change if there is none.
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
		Mode: e.Mode, Size: e.Size, ModTime: e.ModTime, ChangeTime: e.ChangeTime, Links: e.Links}}
	return c
}

func (n *netEffect) initialState(e guard.Entry, i int) placeState {
	if e.Kind == guard.Missing {
		return placeState{from: -1}
	}
	return placeState{exists: true, sum: n.sums[e.Place], from: i, unchanged: true}
}

// setContent gives the state the content that step s leaves.
func (n *netEffect) setContent(p *placeState, s *plan.Step) {
	p.unchanged = p.unchanged && s.AfterSum == s.BeforeSum && s.FromHistory == "" && s.Mode == patch.KeepMode
	p.mode = cmp.Or(s.Mode, p.mode)
	p.exec = s.Mode == patch.Executable || p.exec && s.Mode == patch.KeepMode
	p.content, p.sum = s.After, s.AfterSum
	p.fromSlot, p.touchNow = s.FromHistory, s.SetTime
}

// finish turns the final states into changes.
func (n *netEffect) finish() {
	moved := map[int]bool{}
	for i := range n.states {
		p, c := &n.states[i], &n.changes[i]
		switch {
		case p.exists && p.unchanged && p.from == i:
			c.Old = nil // unchanged: nothing to do and nothing to check
		case !p.exists && n.permanent:
			c.Discard = true
		case p.exists:
			move := p.unchanged && c.Old == nil && !n.states[p.from].exists && !moved[p.from]
			if move {
				moved[p.from] = true
			}
			c.New = &commit.New{Content: p.content, Sum: p.sum, From: p.from, Move: move, Exec: p.exec, Mode: p.mode, FromSlot: p.fromSlot, LikeSlot: p.modeSlot, TouchNow: p.touchNow}
		}
	}
}

// ops returns the operations of the plan for the log.
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

// placedHunks returns the places of the first hunks for the log, and the number of the others. It leaves out hunks that
// were already applied.
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

// trashed returns, for each step, the slot of the file that the step deleted or overwrote; "" for none.
func (n *netEffect) trashed(steps []plan.Step, slots []string) []string {
	out := make([]string, len(steps))
	for i, ends := range n.steps {
		switch {
		case steps[i].Op == patch.Delete:
			out[i] = slots[ends.source]
		case steps[i].Replaces != nil && ends.dest >= 0:
			out[i] = slots[ends.dest]
		case steps[i].Replaces != nil:
			out[i] = slots[ends.source]
		}
	}
	return out
}
