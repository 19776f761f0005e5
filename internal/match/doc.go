// Package match finds lines in lines. It does no I/O.
//
// A [Doc] is the lines of a file under edit. An [Index] knows how often and where each of many patterns stands in a Doc, and
// stays up to date while the Doc is edited. Both are built for untrusted input: they take time linear in the lines of the
// file plus the lines of the patterns, whatever these hold. Where that is not possible, because edits rewrite each other's
// surroundings over and over, the answer is [ErrLimit], not a wait.
package match

import (
	"errors"
	"iter"
	"slices"

	"github.com/emend-dev/emend/internal/text"
)

// ErrLimit says that edits disturb one another so often that placing them is no longer linear.
var ErrLimit = errors.New("the edits rewrite each other's surroundings too many times")

// Slot identifies a line of a Doc for as long as the Doc lives: a line of the file by its number from 0, an inserted
// line by a number above the length of the file. The length itself is End, and Begin is before the first line.
type Slot = int

// Begin is the slot before the first line.
const Begin Slot = -1

// Doc is a list of lines that starts as a file and is edited in place. Beside the text it costs five bits for a line of
// the file, from the first edit on, and for an inserted line 32 bytes and up to 256 around it.
type Doc struct {
	file       *text.Lines
	neighbours neighbours // nil before the first edit
	removed    []uint64   // by line of the file: one bit
	added      []inserted
	changes    int // about how many differences to the file there are

	indexes   []*Index
	dirty     bool // the indexes do not know the latest edits
	first     Slot // the slot before the first edit
	after     Slot // the slot after the last of them
	unindexed Slot // slots from here on are not in the indexes
	work      int  // steps that edits have cost beyond the lines that they name
	limit     int  // how many steps they may cost
}

// inserted is a line that an edit wrote.
type inserted struct {
	text       string
	next, prev uint32 // the slots around it plus one, so that Begin fits
	origin     uint32 // the line of the file before which it was inserted
	end        uint8  // its line end, in ends
}

// ends are the line ends that an inserted line may have.
var ends = [...]string{text.LF, text.CRLF, text.CR}

// NewDoc returns a Doc with the lines of file.
func NewDoc(file *text.Lines) *Doc {
	return &Doc{file: file, limit: 1<<22 + 32*file.Len()}
}

// End returns the slot after the last line.
func (d *Doc) End() Slot { return d.file.Len() }

// Inserted reports whether s is a line that an edit wrote.
func (d *Doc) Inserted(s Slot) bool { return s > d.file.Len() }

func (d *Doc) insertedLine(s Slot) *inserted { return &d.added[s-d.file.Len()-1] }

// Line returns the text of line s.
func (d *Doc) Line(s Slot) string {
	if d.Inserted(s) {
		return d.insertedLine(s).text
	}
	return d.file.Line(s)
}

// LineEnd returns the line end of line s.
func (d *Doc) LineEnd(s Slot) string {
	if d.Inserted(s) {
		return ends[d.insertedLine(s).end]
	}
	return d.file.End(s)
}

// Next returns the slot after s.
func (d *Doc) Next(s Slot) Slot {
	if d.neighbours == nil {
		return s + 1
	}
	if d.Inserted(s) {
		return Slot(d.insertedLine(s).next) - 1
	}
	if p := d.neighbours.at(s); p != nil && p.next != 0 {
		return Slot(p.next) - 2
	}
	return s + 1
}

// Prev returns the slot before s.
func (d *Doc) Prev(s Slot) Slot {
	if d.neighbours == nil {
		return s - 1
	}
	if d.Inserted(s) {
		return Slot(d.insertedLine(s).prev) - 1
	}
	if p := d.neighbours.at(s); p != nil && p.prev != 0 {
		return Slot(p.prev) - 2
	}
	return s - 1
}

// From yields the slots from s to the end.
func (d *Doc) From(s Slot) iter.Seq[Slot] {
	return func(yield func(Slot) bool) {
		for end := d.End(); s != end; s = d.Next(s) {
			if !yield(s) {
				return
			}
		}
	}
}

// Back returns the slot n lines before s, or Begin if there are fewer.
func (d *Doc) Back(s Slot, n int) Slot {
	for ; n > 0 && s != Begin; n-- {
		s = d.Prev(s)
	}
	return s
}

// Origin returns the line of the file where s stands: its own number, or that of the line before which it was inserted.
func (d *Doc) Origin(s Slot) int {
	if d.Inserted(s) {
		return int(d.insertedLine(s).origin)
	}
	return s
}

// SlotOf returns the slot of line n of the file. If that line was removed it returns that of the next one still there.
func (d *Doc) SlotOf(n int) Slot {
	for n < d.file.Len() && d.Removed(n) {
		n++
	}
	return n
}

// Removed reports whether line s was removed. An inserted line never is.
func (d *Doc) Removed(s Slot) bool {
	return d.removed != nil && s >= 0 && s < d.file.Len() && d.removed[s>>6]&(1<<(s&63)) != 0
}

// NextSlot returns the slot that the next inserted line will get.
func (d *Doc) NextSlot() Slot { return d.file.Len() + len(d.added) + 1 }

// DropIndexes detaches every index: no more places are looked for.
func (d *Doc) DropIndexes() { d.indexes = nil }

// DropIndex detaches x.
func (d *Doc) DropIndex(x *Index) {
	d.indexes = slices.DeleteFunc(d.indexes, func(y *Index) bool { return x == y })
}

// Remove removes the n lines of the file after prev. The indexes learn of it with [Doc.Flush].
func (d *Doc) Remove(prev Slot, n int) {
	if n == 0 {
		return
	}
	after := d.beginEdit(prev)
	for range n {
		for _, x := range d.indexes {
			x.removePlaces(after)
		}
		d.removed[after>>6] |= 1 << (after & 63)
		after = d.Next(after)
	}
	d.link(prev, after)
	d.after = after
}

// Reserve makes room for n inserted lines.
func (d *Doc) Reserve(n int) { d.added = slices.Grow(d.added, n) }

// Insert inserts a line with the given line end after prev and returns its slot. The indexes learn of it with
// [Doc.Flush].
func (d *Doc) Insert(prev Slot, line, end string) Slot {
	after := d.beginEdit(prev)
	s := d.NextSlot()
	d.added = append(d.added, inserted{text: line, end: uint8(slices.Index(ends[:], end)), origin: uint32(d.Origin(after))})
	d.link(prev, s)
	d.link(s, after)
	d.after = after
	return s
}

// beginEdit prepares an edit after prev and returns the slot that follows now. The edits between two calls of Flush must
// go down the Doc.
func (d *Doc) beginEdit(prev Slot) Slot {
	if d.neighbours == nil {
		d.neighbours, d.removed = newNeighbours(d.file.Len()), make([]uint64, d.file.Len()/64+1)
	}
	if !d.dirty {
		d.dirty, d.first, d.unindexed = true, prev, d.NextSlot()
	}
	after := d.Next(prev)
	if after == prev+1 {
		d.changes++
	}
	return after
}

func (d *Doc) link(a, b Slot) {
	if d.Inserted(a) {
		d.insertedLine(a).next = uint32(b + 1)
	} else {
		d.neighbours.ensure(a).next = uint32(b + 2)
	}
	if d.Inserted(b) {
		d.insertedLine(b).prev = uint32(a + 1)
	} else {
		d.neighbours.ensure(b).prev = uint32(a + 2)
	}
}

// Flush tells every index about the edits since the last call. It returns [ErrLimit] if that has become too costly; the
// Doc cannot be used afterwards.
func (d *Doc) Flush() error {
	if !d.dirty {
		return nil
	}
	d.dirty = false
	for _, x := range d.indexes {
		x.resume(d.first, d.after, d.unindexed)
	}
	if d.work > d.limit {
		return ErrLimit
	}
	return nil
}

// Edit is a difference between the file and the Doc: lines A0 up to A1 of the file became the N slots from New on.
type Edit struct {
	A0, A1 int
	New    Slot
	N      int
}

// Edits lists the differences in file order, with a line of the file between any two.
func (d *Doc) Edits() []Edit {
	out := make([]Edit, 0, d.changes)
	at := 0 // the next line of the file not yet accounted for
	for s := d.Next(Begin); ; {
		e := Edit{A0: at, New: s}
		for ; d.Inserted(s); s = d.Next(s) {
			e.N++
		}
		if e.A1 = s; e.A1 > e.A0 || e.N > 0 {
			out = append(out, e)
		}
		if s == d.End() {
			return out
		}
		s = d.endOfUnchanged(s)
		at = s + 1
		s = d.Next(s)
	}
}

// endOfUnchanged returns the last line of the run from s on whose lines follow each other as in the file.
func (d *Doc) endOfUnchanged(s Slot) Slot {
	if d.neighbours == nil {
		return d.End() - 1
	}
	for d.Next(s) == s+1 && s+1 < d.End() {
		s++
		for (s+1)%perBlock == 0 && s+perBlock < d.End() && d.neighbours[(s+1)/perBlock] == nil { // nothing happened in these lines
			s += perBlock
		}
	}
	return s
}
