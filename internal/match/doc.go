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

	"github.com/emend-dev/emend/internal/text"
)

// ErrLimit says that edits disturb one another so much that placing them is no longer linear.
var ErrLimit = errors.New("the edits rewrite each other's surroundings too many times")

// Slot names a line of a Doc for good: a line of the file by its number from 0, an inserted line by a number above
// the file's length. The file's length itself is End, and Begin is before the first line.
type Slot = int

// Begin is the slot before the first line.
const Begin Slot = -1

// Doc is a list of lines that starts out as a file and is edited in place. Beside the text it costs two
// bits a line, and nothing until the first edit.
type Doc struct {
	file *text.Lines
	// next and prev hold the neighbours that are not simply one up or one down; moved has a bit for every line
	// of the file that is in one of them, to keep walks off the maps.
	next, prev map[Slot]Slot
	moved      []uint64

	gone  []uint64 // a bit for every line of the file that was taken out
	added []string // the inserted lines
	ends  []string // their line ends

	indexes []*Index
	work    int // steps that edits have cost so far
	limit   int // and how many they may
}

// NewDoc begins with the lines of file.
func NewDoc(file *text.Lines) *Doc {
	return &Doc{file: file, limit: 1<<16 + 32*file.Len()}
}

// File is the text the Doc began with.
func (d *Doc) File() *text.Lines { return d.file }

// End is the slot after the last line.
func (d *Doc) End() Slot { return d.file.Len() }

// Inserted reports whether s is a line that an edit wrote.
func (d *Doc) Inserted(s Slot) bool { return s > d.file.Len() }

// Line is the text of the line s.
func (d *Doc) Line(s Slot) string {
	if d.Inserted(s) {
		return d.added[s-d.file.Len()-1]
	}
	return d.file.Line(s)
}

// LineEnd is the line end of the line s.
func (d *Doc) LineEnd(s Slot) string {
	if d.Inserted(s) {
		return d.ends[s-d.file.Len()-1]
	}
	return d.file.End(s)
}

// Next is the slot after s.
func (d *Doc) Next(s Slot) Slot {
	if d.plain(s) {
		return s + 1
	}
	if n, ok := d.next[s]; ok {
		return n
	}
	return s + 1
}

// Prev is the slot before s.
func (d *Doc) Prev(s Slot) Slot {
	if d.plain(s) {
		return s - 1
	}
	if p, ok := d.prev[s]; ok {
		return p
	}
	return s - 1
}

// plain reports whether s is known to have the neighbours that it had in the file.
func (d *Doc) plain(s Slot) bool {
	if d.moved == nil {
		return true
	}
	return s >= 0 && s < d.file.Len() && d.moved[s>>6]&(1<<(s&63)) == 0
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

// Origin is the line of the file where s stands: its own number, or for an inserted line that of the next line
// that came from the file.
func (d *Doc) Origin(s Slot) int {
	for d.Inserted(s) {
		s = d.Next(s)
	}
	return s
}

// At is the slot of line n of the file, or when that was taken out of the next one still there.
func (d *Doc) At(n int) Slot {
	for n < d.file.Len() && d.gone != nil && d.gone[n>>6]&(1<<(n&63)) != 0 {
		n++
	}
	return n
}

// Fresh is the slot that the next inserted line will get.
func (d *Doc) Fresh() Slot { return d.file.Len() + len(d.added) + 1 }

// Settle lets go of every index: no more places will be asked for.
func (d *Doc) Settle() { d.indexes = nil }

// Insert is a line to write: its text and its line end.
type Insert struct{ Text, End string }

// Replace takes out the n lines after prev, puts ins in their place, and brings every index up to date. It
// returns [ErrLimit] when that has become too costly; the Doc is then of no further use.
func (d *Doc) Replace(prev Slot, n int, ins []Insert) error {
	d.begin()
	after := d.Next(prev)
	for range n {
		if !d.Inserted(after) {
			d.gone[after>>6] |= 1 << (after & 63)
		}
		for _, x := range d.indexes {
			x.forget(after)
		}
		after = d.Next(after)
	}
	last := prev
	for _, in := range ins {
		d.added = append(d.added, in.Text)
		d.ends = append(d.ends, in.End)
		s := d.file.Len() + len(d.added)
		d.link(last, s)
		last = s
	}
	d.link(last, after)
	for _, x := range d.indexes {
		x.resume(prev, after)
	}
	if d.work > d.limit {
		return ErrLimit
	}
	return nil
}

// begin makes room for edits.
func (d *Doc) begin() {
	if d.moved == nil {
		d.next, d.prev = map[Slot]Slot{}, map[Slot]Slot{}
		d.moved, d.gone = make([]uint64, d.file.Len()/64+1), make([]uint64, d.file.Len()/64+1)
	}
}

func (d *Doc) link(a, b Slot) {
	d.next[a], d.prev[b] = b, a
	for _, s := range [2]Slot{a, b} {
		if s >= 0 && s < d.file.Len() {
			d.moved[s>>6] |= 1 << (s & 63)
		}
	}
}

// Edit is a difference between the file and the Doc: lines A0 up to A1 of the file became the slots New.
type Edit struct {
	A0, A1 int
	New    []Slot
}

// Edits lists the differences in file order, next to one another only where a line of the file stands between.
func (d *Doc) Edits() []Edit {
	var out []Edit
	at := 0 // the next line of the file not yet accounted for
	for s := d.Next(Begin); ; {
		e := Edit{A0: at}
		for ; d.Inserted(s); s = d.Next(s) {
			e.New = append(e.New, s)
		}
		if e.A1 = s; e.A1 > e.A0 || len(e.New) > 0 {
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
	for d.Next(s) == s+1 && s+1 < d.End() {
		s++
		if d.moved == nil {
			return d.End() - 1
		}
		for s&63 == 0 && s+64 < d.End() && d.moved[s>>6] == 0 { // nothing happened in these 64 lines
			s += 64
		}
	}
	return s
}
