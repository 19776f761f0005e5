// Package match finds lines in lines. It does no I/O.
//
// A [Doc] is a file's lines under edit. An [Index] knows, for any number of patterns at once, how often and where
// each one stands in a Doc, and keeps knowing it while the Doc is edited. Both are built for texts nobody vouches
// for: time is linear in the lines of the file plus the lines of the patterns, whatever they hold, and where that
// cannot be kept (edits that rewrite each other's surroundings over and over) the answer is [ErrLimit], not a wait.
package match

import (
	"errors"
	"iter"
	"slices"

	"github.com/emend-dev/emend/internal/text"
)

// ErrLimit says that edits disturb one another so much that placing them is no longer linear.
var ErrLimit = errors.New("the edits rewrite each other's surroundings too many times")

// Slot names a line of a Doc for good: a line of the file by its number from 0, an inserted line by a number above
// the file's length. The file's length itself is End, and Begin is before the first line.
type Slot = int

// Begin is the slot before the first line.
const Begin Slot = -1

// Doc is a list of lines that starts out as a file and is edited in place. Beside the text it costs five bits a line
// of the file, from the first edit on, and for an inserted line 32 bytes and up to 256 around it.
type Doc struct {
	file  *text.Lines
	near  near     // nil before the first edit
	gone  []uint64 // a bit for every line of the file that was taken out
	added []inserted
	runs  int // about how many differences to the file there are

	indexes []*Index
	dirty   bool // there are edits that the indexes do not know of
	first   Slot // the slot before the first of them
	after   Slot // and the one after the last
	fresh   Slot // slots from here on are not in the indexes
	work    int  // steps that edits have cost beyond the lines that they name
	limit   int  // and how many they may
}

// inserted is a line that an edit wrote.
type inserted struct {
	text       string
	next, prev uint32 // neighbours, one up so that Begin fits
	origin     uint32 // the line of the file in front of which it was put
	end        uint8  // its line end, in ends
}

// ends are the line ends that an inserted line may have.
var ends = [...]string{text.LF, text.CRLF, text.CR}

// NewDoc begins with the lines of file.
func NewDoc(file *text.Lines) *Doc {
	return &Doc{file: file, limit: 1<<22 + 32*file.Len()}
}

// End is the slot after the last line.
func (d *Doc) End() Slot { return d.file.Len() }

// Inserted reports whether s is a line that an edit wrote.
func (d *Doc) Inserted(s Slot) bool { return s > d.file.Len() }

// ins is the inserted line s.
func (d *Doc) ins(s Slot) *inserted { return &d.added[s-d.file.Len()-1] }

// Line is the text of the line s.
func (d *Doc) Line(s Slot) string {
	if d.Inserted(s) {
		return d.ins(s).text
	}
	return d.file.Line(s)
}

// LineEnd is the line end of the line s.
func (d *Doc) LineEnd(s Slot) string {
	if d.Inserted(s) {
		return ends[d.ins(s).end]
	}
	return d.file.End(s)
}

// Next is the slot after s.
func (d *Doc) Next(s Slot) Slot {
	if d.near == nil {
		return s + 1
	}
	if d.Inserted(s) {
		return Slot(d.ins(s).next) - 1
	}
	if p := d.near.at(s); p != nil && p.next != 0 {
		return Slot(p.next) - 2
	}
	return s + 1
}

// Prev is the slot before s.
func (d *Doc) Prev(s Slot) Slot {
	if d.near == nil {
		return s - 1
	}
	if d.Inserted(s) {
		return Slot(d.ins(s).prev) - 1
	}
	if p := d.near.at(s); p != nil && p.prev != 0 {
		return Slot(p.prev) - 2
	}
	return s - 1
}

// From walks the slots from s to the end.
func (d *Doc) From(s Slot) iter.Seq[Slot] {
	return func(yield func(Slot) bool) {
		for end := d.End(); s != end; s = d.Next(s) {
			if !yield(s) {
				return
			}
		}
	}
}

// Back is the slot n lines before s, or Begin when there are not so many.
func (d *Doc) Back(s Slot, n int) Slot {
	for ; n > 0 && s != Begin; n-- {
		s = d.Prev(s)
	}
	return s
}

// Origin is the line of the file where s stands: its own number, or that of the line in front of which it was put.
func (d *Doc) Origin(s Slot) int {
	if d.Inserted(s) {
		return int(d.ins(s).origin)
	}
	return s
}

// At is the slot of line n of the file, or when that was taken out of the next one still there.
func (d *Doc) At(n int) Slot {
	for n < d.file.Len() && d.Gone(n) {
		n++
	}
	return n
}

// Gone reports whether the line s was taken out. An inserted line never is.
func (d *Doc) Gone(s Slot) bool {
	return d.gone != nil && s >= 0 && s < d.file.Len() && d.gone[s>>6]&(1<<(s&63)) != 0
}

// Fresh is the slot that the next inserted line will get.
func (d *Doc) Fresh() Slot { return d.file.Len() + len(d.added) + 1 }

// Settle lets go of every index: no more places will be asked for.
func (d *Doc) Settle() { d.indexes = nil }

// Drop lets go of one.
func (d *Doc) Drop(x *Index) {
	d.indexes = slices.DeleteFunc(d.indexes, func(y *Index) bool { return x == y })
}

// Remove takes out the n lines of the file after prev. The indexes learn of it with [Doc.Flush].
func (d *Doc) Remove(prev Slot, n int) {
	if n == 0 {
		return
	}
	after := d.touch(prev)
	for range n {
		for _, x := range d.indexes {
			x.forget(after)
		}
		d.gone[after>>6] |= 1 << (after & 63)
		after = d.Next(after)
	}
	d.link(prev, after)
	d.after = after
}

// Reserve makes room for n lines to insert.
func (d *Doc) Reserve(n int) { d.added = slices.Grow(d.added, n) }

// Insert puts a line with the given line end after prev and returns its slot. The indexes learn of it with
// [Doc.Flush].
func (d *Doc) Insert(prev Slot, line, end string) Slot {
	after := d.touch(prev)
	s := d.Fresh()
	d.added = append(d.added, inserted{text: line, end: uint8(slices.Index(ends[:], end)), origin: uint32(d.Origin(after))})
	d.link(prev, s)
	d.link(s, after)
	d.after = after
	return s
}

// touch prepares an edit after prev, and returns the slot that follows now. The edits between two calls of Flush
// must go down the Doc.
func (d *Doc) touch(prev Slot) Slot {
	if d.near == nil {
		d.near, d.gone = newNear(d.file.Len()), make([]uint64, d.file.Len()/64+1)
	}
	if !d.dirty {
		d.dirty, d.first, d.fresh = true, prev, d.Fresh()
	}
	after := d.Next(prev)
	if after == prev+1 {
		d.runs++
	}
	return after
}

func (d *Doc) link(a, b Slot) {
	if d.Inserted(a) {
		d.ins(a).next = uint32(b + 1)
	} else {
		d.near.grow(a).next = uint32(b + 2)
	}
	if d.Inserted(b) {
		d.ins(b).prev = uint32(a + 1)
	} else {
		d.near.grow(b).prev = uint32(a + 2)
	}
}

// Flush brings every index up to date with the edits made since it was last called. It returns [ErrLimit] when that
// has become too costly; the Doc is then of no further use.
func (d *Doc) Flush() error {
	if !d.dirty {
		return nil
	}
	d.dirty = false
	for _, x := range d.indexes {
		x.resume(d.first, d.after, d.fresh)
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

// Edits lists the differences in file order, next to one another only where a line of the file stands between.
func (d *Doc) Edits() []Edit {
	out := make([]Edit, 0, d.runs)
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
		s = d.unmoved(s)
		at = s + 1
		s = d.Next(s)
	}
}

// unmoved is the last line of the run of lines from s on that follow each other as in the file.
func (d *Doc) unmoved(s Slot) Slot {
	if d.near == nil {
		return d.End() - 1
	}
	for d.Next(s) == s+1 && s+1 < d.End() {
		s++
		for (s+1)%perBlock == 0 && s+perBlock < d.End() && d.near[(s+1)/perBlock] == nil { // nothing happened in these lines
			s += perBlock
		}
	}
	return s
}
