// Package damage writes patches for real changes of files, and then damages them the way models do.
//
// It shares nothing with the engine under test. It has its own, simplest implementation of how a patch is written, what it says
// by the letter and what the file must become. It knows no dialects except two texts, an envelope and a unified diff.
package damage

import (
	"slices"
	"strings"

	"znkr.io/diff"
)

// Change is one real change of one file. Both sides are lines that end in LF. It caches results, so only one goroutine at a
// time may use it.
type Change struct {
	Path     string
	Old, New string

	old, new []string
	blocks   []block
	written  map[Form]*Case // results of Write, nil where it reported false

	read, other *words // of the old file, and of the last other one

	// Older returns the file as it was one version before Old. nil if that is not known.
	Older func() (string, bool)
	// Second returns another change of the same version, for damages that need two files. nil if there is none.
	Second func() (*Change, bool)
}

// block: lines a0 up to a1 of the old text became lines b0 up to b1 of the new one.
type block struct{ a0, a1, b0, b1 int }

// small is the number of lines up to which the shortest difference of two texts is computed.
const small = 5000

// NewChange reports false for two texts that are equal, or that a patch of lines cannot express.
func NewChange(path, before, after string) (*Change, bool) {
	if before == after || !plainLines(before) || !plainLines(after) {
		return nil, false
	}
	c := &Change{Path: path, Old: before, New: after, old: split(before), new: split(after), written: map[Form]*Case{}}
	var opts []diff.Option
	if len(c.old)+len(c.new) <= small {
		opts = append(opts, diff.Minimal())
	}
	for _, h := range diff.Hunks(c.old, c.new, append(opts, diff.Context(0))...) {
		c.blocks = append(c.blocks, block{h.PosX, h.EndX, h.PosY, h.EndY})
	}
	return c, len(c.blocks) > 0
}

// plainLines reports whether a text is whole lines with one kind of line end.
func plainLines(s string) bool {
	return strings.HasSuffix(s, "\n") && !strings.ContainsAny(s, "\r\x00\uFEFF")
}

func split(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Hunk is one hunk as it is sent: lines that begin with their mark, and the text after "@@", if any.
type Hunk struct {
	Anchor string
	Lines  []string
	From   int // the line of the author's file that it begins at, from 0
	To     int // the line after its last

	Numbered bool   // it has line numbers after "@@", as in a unified diff
	Off      int    // how many lines these are off
	Counts   [2]int // how many lines the counts of both sides are off
}

// withoutMarks returns the lines of a hunk without those that have one of marks, and without their own marks.
func (h Hunk) withoutMarks(marks string) (out []string) {
	for _, l := range h.Lines {
		if !strings.Contains(marks, l[:1]) {
			out = append(out, l[1:])
		}
	}
	return out
}

func (h Hunk) old() []string { return h.withoutMarks("+") }

// Case is a patch as it is sent, the file that it meets, and the expected file.
type Case struct {
	Kind  string
	Path  string
	Read  string // what its author saw
	Disk  string // the file
	Want  string // the expected file
	Hunks []Hunk
	Way   Way

	wrap   func(text string) string                  // changes the whole text
	spell  []func(hunk int, lines []string) []string // change how the lines of a hunk are written
	slip   func(path string) string                  // changes the path in the header
	second *Case                                     // the other section, if the hunks stand under each other's headers
	lossy  bool                                      // another change would look the same
	lost   bool                                      // a part of the change is not in the text
	open   bool                                      // the text does not tell all of what is meant
	resent bool                                      // hunks of it were applied before
	twin   int                                       // the number of the hunk that stands in the patch again, from 1
	cut    bool                                      // the text ends in the middle of a line or of a hunk, which everybody sees

	unnumbered bool                              // the headings of a unified diff have no numbers
	bareNames  bool                              // its header has the names alone
	misname    func(i int, anchor string) string // how the anchors of edit i are written
	change     *Change
	form       Form
	disk       disk
	at         []int    // by line of the old file: its line now, from 0, or -1
	there      []string // lines of Disk
}

// disk describes the changes that somebody else made to the file meanwhile, outside of the lines that the change removes.
type disk struct {
	lines map[int]string   // by line of the old file: its text now
	above map[int][]string // by line of the old file: lines inserted before it
	gone  map[int]bool     // by line of the old file: it is not there
	made  map[int]bool     // by number of the block: it is applied already
	crlf  bool
}

// settle computes Disk and Want.
func (c *Case) settle() {
	var have, want []string
	both := func(lines ...string) { have, want = append(have, lines...), append(want, lines...) }
	c.at = slices.Repeat([]int{-1}, len(c.change.old))
	at := 0
	keep := func(to int) {
		for ; at < to; at++ {
			both(c.disk.above[at]...)
			if !c.disk.gone[at] {
				c.at[at] = len(have)
				both(c.disk.line(at, c.change.old[at]))
			}
		}
	}
	for i, b := range c.change.blocks {
		keep(b.a0)
		if b.a0 < b.a1 {
			both(c.disk.above[b.a0]...)
		}
		want = append(want, c.change.new[b.b0:b.b1]...)
		if c.disk.made[i] {
			have = append(have, c.change.new[b.b0:b.b1]...)
		} else {
			for n := b.a0; n < b.a1; n++ {
				if n > b.a0 {
					have = append(have, c.disk.above[n]...)
				}
				if !c.disk.gone[n] {
					c.at[n] = len(have)
					have = append(have, c.disk.line(n, c.change.old[n]))
				}
			}
		}
		at = b.a1
	}
	keep(len(c.change.old))
	both(c.disk.above[len(c.change.old)]...)
	c.Disk, c.Want, c.there = join(have), join(want), have
	if c.disk.crlf {
		c.Disk, c.Want = strings.ReplaceAll(c.Disk, "\n", "\r\n"), strings.ReplaceAll(c.Want, "\n", "\r\n")
	}
}

func (d disk) line(n int, was string) string {
	if now, ok := d.lines[n]; ok {
		return now
	}
	return was
}

// shown returns the numbers of the old lines that hunk h shows, in order.
func (h Hunk) shown() (out []int) {
	at := h.From
	for _, l := range h.Lines {
		if l[0] != '+' {
			out = append(out, at)
			at++
		}
	}
	return out
}

// context returns the indexes in h.Lines of its context.
func (h Hunk) context() (out []int) {
	for i, l := range h.Lines {
		if l[0] == ' ' {
			out = append(out, i)
		}
	}
	return out
}

func clone(hunks []Hunk) []Hunk {
	out := slices.Clone(hunks)
	for i := range out {
		out[i].Lines = slices.Clone(out[i].Lines)
	}
	return out
}
