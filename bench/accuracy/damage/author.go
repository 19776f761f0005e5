package damage

import (
	"slices"
	"strings"
)

// Form is the way in which a careful author makes a hunk with three lines of context unique.
type Form uint8

const (
	// Wide: by more context.
	Wide Form = iota
	// Anchored: by the line of the class or function above, after "@@"; if that is not enough, by more context.
	Anchored
	// Beside: every hunk has the line above it after "@@", and does not repeat it.
	Beside
)

// contexts are the numbers of context lines that an author tries.
var contexts = []int{3, 4, 6, 9, 14, 22, 40, 80}

// Write returns the patch that a careful author sends for c. It reports false if the form cannot express the change.
func (c *Change) Write(f Form) (*Case, bool) {
	out, known := c.written[f]
	if !known {
		out = c.write(f)
		c.written[f] = out
	}
	if out == nil {
		return nil, false
	}
	fresh := *out
	fresh.Hunks = clone(out.Hunks)
	return &fresh, true
}

func (c *Change) write(f Form) *Case {
	for _, n := range contexts {
		hunks := c.hunks(n)
		if f == Anchored {
			c.anchor(hunks)
		}
		if out := c.sent(f, hunks); c.unique(hunks) {
			if f == Beside && !beside(out.Hunks) {
				return nil
			}
			return out
		}
	}
	return nil
}

func (c *Change) sent(f Form, hunks []Hunk) *Case {
	out := &Case{Kind: "none", Path: c.Path, Read: c.Old, Hunks: hunks, change: c, form: f}
	out.settle()
	return out
}

// hunks returns the change with n lines of context. Blocks whose context meets share a hunk.
func (c *Change) hunks(n int) (out []Hunk) {
	var group []block
	for i, b := range c.blocks {
		group = append(group, b)
		if i == len(c.blocks)-1 || c.blocks[i+1].a0-n > b.a1+n {
			out = append(out, c.hunk(group, n))
			group = nil
		}
	}
	return out
}

func (c *Change) hunk(group []block, n int) Hunk {
	at := max(0, group[0].a0-n)
	h := Hunk{From: at}
	lines := func(mark string, lines []string) {
		for _, l := range lines {
			h.Lines = append(h.Lines, mark+l)
		}
	}
	for _, b := range group {
		lines(" ", c.old[at:b.a0])
		lines("-", c.old[b.a0:b.a1])
		lines("+", c.new[b.b0:b.b1])
		at = b.a1
	}
	h.To = min(len(c.old), at+n)
	lines(" ", c.old[at:h.To])
	return h
}

// unique reports whether every hunk has one place in the text that the hunks before it leave, and it is the right one.
func (c *Change) unique(hunks []Hunk) bool {
	got, ok := applyLiterally(c.old, hunks, true)
	return ok && slices.Equal(got, c.new)
}

// anchor gives every hunk with several places the line above it that distinguishes them, if there is one.
func (c *Change) anchor(hunks []Hunk) {
	for i := range hunks {
		h := &hunks[i]
		if len(places(c.old, h.old())) < 2 {
			continue
		}
		for _, n := range c.headers(h.From) {
			if h.Anchor = strings.TrimSpace(c.old[n]); c.leads(h, n) {
				break
			}
			h.Anchor = ""
		}
	}
}

// headers returns the nearest lines above line n with less and less indentation.
func (c *Change) headers(n int) (out []int) {
	left := 1 << 30
	if n < len(c.old) && strings.TrimSpace(c.old[n]) != "" {
		left = indent(c.old[n]) + 1
	}
	for i := n - 1; i >= 0 && len(out) < 3; i-- {
		if l := c.old[i]; indent(l) < left && strings.ContainsAny(l, "abcdefghijklmnopqrstuvwxyz") {
			left = indent(l)
			out = append(out, i)
		}
	}
	return out
}

// leads reports whether line n of the file is the only one that contains the anchor of h, and h's place is the only one below
// it.
func (c *Change) leads(h *Hunk, n int) bool {
	for i, l := range c.old {
		if i != n && strings.Contains(l, h.Anchor) {
			return false
		}
	}
	at := places(c.old, h.old())
	i, _ := slices.BinarySearch(at, n+1)
	return i == len(at)-1 && at[i] == h.From
}

// beside turns the first line of every hunk into its anchor, and reports whether that is possible.
func beside(hunks []Hunk) bool {
	for i := range hunks {
		h := &hunks[i]
		for len(h.Lines) > 0 && h.Lines[0] == " " {
			h.Lines, h.From = h.Lines[1:], h.From+1
		}
		if len(h.Lines) < 2 || h.Lines[0][0] == '+' || strings.TrimSpace(h.Lines[0][1:]) == "" {
			return false
		}
		h.Anchor = h.Lines[0][1:]
		if h.Lines[0][0] == ' ' {
			h.Lines, h.From = h.Lines[1:], h.From+1
		}
	}
	return true
}

func indent(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }
