package draft

import (
	"context"

	"znkr.io/diff"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// block says that lines a0 up to a1 of the old text become lines b0 up to b1 of the new one, and how much context it
// has.
type block struct {
	a0, a1, b0, b1 int
	context        int
}

// drafter makes the section of one updated file.
type drafter struct {
	d        *dialect.Dialect
	c        *Change
	old, new *text.Lines
	blocks   []block
}

// minimalLines bounds the lines that a pair of files may have for the shortest diff there is; for larger ones the
// library may trade a few lines for time.
const minimalLines = 10_000

func updated(d *dialect.Dialect, c *Change, around int) (patch.Section, error) {
	w := &drafter{d: d, c: c, old: text.Split(c.Old), new: text.Split(c.New)}
	if bytesCount(d) {
		w.old, w.new = text.SplitLF(c.Old), text.SplitLF(c.New)
	}
	w.compare(around)
	if len(w.blocks) == 0 { // the lines are the same, the bytes are not
		return patch.Section{}, inexpressible(c.Old, c.New)
	}
	for {
		s, owners := w.section()
		bad, err := w.prove(s, owners, false)
		if err == nil {
			return s, nil
		}
		if !w.widen(owners, bad) {
			if _, again := w.prove(s, owners, true); again == nil {
				return s, nil
			}
			return patch.Section{}, err
		}
	}
}

// compare finds the changed blocks.
func (w *drafter) compare(around int) {
	var opts []diff.Option
	if w.old.Len()+w.new.Len() <= minimalLines {
		opts = append(opts, diff.Minimal())
	}
	opts = append(opts, diff.Context(0))
	for _, h := range diff.Hunks(w.comparable(w.old), w.comparable(w.new), opts...) {
		w.blocks = append(w.blocks, block{h.PosX, h.EndX, h.PosY, h.EndY, around})
	}
}

// comparable returns the lines as the diff compares them: if the files differ in having a newline at the end, so do
// their last lines.
func (w *drafter) comparable(l *text.Lines) []string {
	out := make([]string, l.Len())
	for i := range out {
		out[i] = l.Line(i)
	}
	if l.Open() && w.old.Open() != w.new.Open() {
		out[len(out)-1] += "\n"
	}
	return out
}

// section makes hunks of the blocks; owners are the blocks of each. Blocks whose context meets share a hunk.
func (w *drafter) section() (patch.Section, [][]int) {
	s := patch.Section{Op: patch.Update, Path: w.c.Path}
	var owners [][]int
	reach := -1
	for i, b := range w.blocks {
		if i > 0 && b.a0-b.context <= reach {
			owners[len(owners)-1] = append(owners[len(owners)-1], i)
		} else {
			owners = append(owners, []int{i})
		}
		reach = max(reach, b.a1+b.context)
	}
	for _, o := range owners {
		s.Hunks = append(s.Hunks, w.hunk(o))
	}
	return s, owners
}

// oldFrom and oldTo return the old lines that a hunk of the blocks o covers.
func (w *drafter) oldFrom(o []int) int {
	from := w.old.Len()
	for _, i := range o {
		from = min(from, max(0, w.blocks[i].a0-w.blocks[i].context))
	}
	return from
}

func (w *drafter) oldTo(o []int) int {
	to := 0
	for _, i := range o {
		to = max(to, min(w.old.Len(), w.blocks[i].a1+w.blocks[i].context))
	}
	return to
}

func (w *drafter) hunk(o []int) patch.Hunk {
	var h patch.Hunk
	at, to := w.oldFrom(o), w.oldTo(o)
	keep := func(to int) {
		for ; at < to; at++ {
			h.Lines = append(h.Lines, patch.Line(" "+w.old.Line(at)))
		}
	}
	if w.old.OnlyLF() {
		h.At = at + 1
	}
	newEnd := 0
	for _, i := range o {
		b := w.blocks[i]
		keep(b.a0)
		for ; at < b.a1; at++ {
			h.Lines = append(h.Lines, patch.Line("-"+w.old.Line(at)))
		}
		for j := b.b0; j < b.b1; j++ {
			h.Lines = append(h.Lines, patch.Line("+"+w.new.Line(j)))
		}
		newEnd = b.b1 + (to - b.a1)
	}
	keep(to)
	w.openEnds(&h, to == w.old.Len(), newEnd == w.new.Len())
	return h
}

// openEnds sets the markers for the last newline if this hunk adds or removes it.
func (w *drafter) openEnds(h *patch.Hunk, oldLast, newLast bool) {
	if w.old.OnlyLF() {
		h.OldOpen, h.NewOpen = oldLast && w.old.Open() && len(h.Old()) > 0, newLast && w.new.Open() && len(h.New()) > 0
		return
	}
	if w.old.Open() == w.new.Open() || w.new.Len() == 0 || w.d.Rules(dialect.Options{}).FinalNewline && !w.new.Open() {
		return
	}
	h.OldOpen = oldLast && w.old.Open()
	h.NewOpen = newLast && w.new.Open()
}

// prove applies the printed section and returns which hunks need more context. Unless numbered is set, the numbers of its lines count
// for nothing, so that the patch also applies to a file that has grown elsewhere.
func (w *drafter) prove(s patch.Section, owners [][]int, numbered bool) (bad []int, err error) {
	back, err := reparse(w.d, s)
	if err != nil {
		return hunksIn(err, len(owners)), err
	}
	for k := range back.Hunks {
		if !numbered {
			back.Hunks[k].At = 0
		}
	}
	p, err := plan.Build(context.Background(), patch.Patch{Sections: []patch.Section{back}},
		w.d.Rules(dialect.Options{}), plan.Memory{w.c.Path: w.c.Old}, plan.Options{})
	if err != nil {
		return hunksIn(err, len(owners)), err
	}
	step := p.Steps[0]
	for k, h := range step.Hunks {
		if len(step.Hunks) == len(owners) && h.Line != w.oldFrom(owners[k])+1 {
			bad = append(bad, k)
		}
	}
	if len(bad) > 0 {
		return bad, cannot(0, "a hunk would apply in another place, however much context it has")
	}
	if step.After != w.c.New {
		return nil, inexpressible(step.After, w.c.New)
	}
	return nil, nil
}

// hunksIn returns the numbers, from 0, of the hunks that err is about: all n of them if they disturb each other.
func hunksIn(err error, n int) []int {
	var out []int
	for _, e := range fail.All(err) {
		if e.Hunk > 0 {
			out = append(out, e.Hunk-1)
		}
		if e.Reason == fail.Limit {
			for k := range n {
				out = append(out, k)
			}
		}
	}
	return out
}

// widen gives the blocks of the bad hunks more context, and reports whether there was any left.
func (w *drafter) widen(owners [][]int, bad []int) bool {
	grown := false
	for _, k := range bad {
		if k >= len(owners) || w.oldFrom(owners[k]) == 0 && w.oldTo(owners[k]) == w.old.Len() {
			continue
		}
		grown = true
		first, last := owners[k][0], owners[k][len(owners[k])-1]
		for _, i := range []int{first, last} {
			b := &w.blocks[i]
			b.context += max(1, b.context/2)
			if first == last {
				break
			}
		}
	}
	return grown
}
