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
type net struct {
	prefix  string // the way from the top of the tree to the root
	sums    map[guard.Identity]string
	changes []commit.Change
	at      map[guard.Identity]int
	places  []place
	steps   []ends // for each step of the plan
	forget  bool   // keep nothing of what is deleted
}

// place is what the steps so far leave at a place.
type place struct {
	there   bool
	content string
	sum     string
	from    int  // the change whose old file the content comes from, -1 for a new one
	same    bool // it is that old file, to the byte
	exec    bool
	back    string // the kept file that comes back instead of a content
	like    string // the kept file that lends its mode and owner, where no change does
	fresh   bool
}

// ends are the changes at the two ends of a step; the second only for a move.
type ends struct{ source, dest int }

func netOf(steps []plan.Step, prefix string, sums map[guard.Identity]string, forget bool) *net {
	n := &net{prefix: prefix, sums: sums, at: map[guard.Identity]int{}, forget: forget}
	for i := range steps {
		n.step(&steps[i])
	}
	n.settle()
	return n
}

func (n *net) step(s *plan.Step) {
	end := ends{n.of(s.Source), -1}
	here := &n.places[end.source]
	switch s.Op {
	case patch.Add:
		from := -1
		if old := n.changes[end.source].Old; old != nil && old.Mode.IsRegular() {
			from = end.source // what is replaced lends its mode and owner
		}
		*here = place{there: true, content: s.After, sum: s.AfterSum, from: from, exec: s.Exec, back: s.FromHistory, like: s.ModeOfKept, fresh: s.SetTime}
	case patch.Update:
		n.edit(here, s)
		if s.ModeFrom != nil {
			from := n.of(*s.ModeFrom) // which may move the places
			n.places[end.source].from = from
		}
	case patch.Delete:
		*here = place{from: -1}
	case patch.Move:
		end.dest = n.of(s.Dest)
		moved := n.places[end.source]
		n.edit(&moved, s)
		n.places[end.source] = place{from: -1}
		n.places[end.dest] = moved
	}
	n.steps = append(n.steps, end)
}

// of is the index of the change at the place of f.
func (n *net) of(f plan.File) int {
	e := f.Handle.(guard.Entry)
	i, ok := n.at[e.Place]
	if !ok {
		i = len(n.changes)
		n.at[e.Place] = i
		n.changes = append(n.changes, n.change(e))
		n.places = append(n.places, n.place(e, i))
	}
	return i
}

func (n *net) change(e guard.Entry) commit.Change {
	c := commit.Change{Path: path.Join(n.prefix, e.Rel), Missing: strings.Count(e.Place.Name, "/"),
		Parent: vfs.ID{Dev: e.Place.Dev, Ino: e.Place.Ino}}
	if e.Kind == guard.Missing {
		return c
	}
	c.Old = &commit.Old{Sum: n.sums[e.Place], Link: e.Target, Info: vfs.Info{ID: vfs.ID{Dev: e.File.Dev, Ino: e.File.Ino},
		Mode: e.Mode, Size: e.Size, ModTime: e.ModTime, Links: e.Links}}
	return c
}

func (n *net) place(e guard.Entry, i int) place {
	if e.Kind == guard.Missing {
		return place{from: -1}
	}
	return place{there: true, sum: n.sums[e.Place], from: i, same: true}
}

// edit gives a place the content that a step leaves.
func (n *net) edit(p *place, s *plan.Step) {
	p.same = p.same && s.AfterSum == s.BeforeSum && s.FromHistory == ""
	p.content, p.sum = s.After, s.AfterSum
	p.back, p.fresh = s.FromHistory, s.SetTime
}

// settle turns what the places have at the end into changes.
func (n *net) settle() {
	lent := map[int]bool{}
	for i := range n.places {
		p, c := &n.places[i], &n.changes[i]
		switch {
		case p.there && p.same && p.from == i:
			c.Old = nil // as it was: there is nothing to do, and nothing to check
		case !p.there && n.forget:
			c.Discard = true
		case p.there:
			whole := p.same && c.Old == nil && !n.places[p.from].there && !lent[p.from]
			if whole {
				lent[p.from] = true
			}
			c.New = &commit.New{Content: p.content, Sum: p.sum, From: p.from, Move: whole, Exec: p.exec, FromSlot: p.back, LikeSlot: p.like, TouchNow: p.fresh}
		}
	}
}

// ops is what the log says was asked for.
func (n *net) ops(steps []plan.Step) []audit.Op {
	out := make([]audit.Op, len(steps))
	for i := range steps {
		s := &steps[i]
		out[i] = audit.Op{Operation: s.Op.String(), Path: path.Join(n.prefix, s.Path), Before: s.BeforeSum,
			After: s.AfterSum, Size: max(int64(len(s.After)), s.Size)}
		if s.Op == patch.Move {
			out[i].ToPath = path.Join(n.prefix, s.To)
		}
		out[i].Hunks, out[i].HunksMore = landed(s.Hunks)
	}
	return out
}

// landed is where hunks landed, for the log, and how many more there are. What was there already did not land.
func landed(hunks []plan.Placed) (out []audit.Hunk, more int) {
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
func (n *net) trashed(steps []plan.Step, slots []string) []string {
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
