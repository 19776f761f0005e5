// Package hunktest makes hunks, files and rules for the tests of plan and its parts.
package hunktest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Rules of the ways to place hunks, by what decides between several places and how loosely lines match.
var (
	Strict  = dialect.Rules{Place: dialect.Unique, Ladder: []patch.Rung{patch.Exact}}
	Ordered = dialect.Rules{Place: dialect.Ordered, Ladder: []patch.Rung{patch.Exact}}
	Cursor  = dialect.Rules{Place: dialect.Cursor, Ladder: []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode}, FinalNewline: true}
	Lenient = dialect.Rules{Place: dialect.Ordered, Ladder: []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode}, Corrects: true}
	Loose   = dialect.Rules{Place: dialect.Ordered, Ladder: []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode}}
)

// Hunk reads the lines of a hunk. "@@ x" adds the anchor x, "$" asks for the end of the file, and "\" says that there is no
// newline after the line before it.
func Hunk(lines ...string) patch.Hunk {
	var h patch.Hunk
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "@@ "):
			h.Anchors = append(h.Anchors, l[3:])
		case l == "$":
			h.AtEnd = true
		case l == "\\":
			switch h.Lines[len(h.Lines)-1].Mark() {
			case '+':
				h.NewOpen = true
			case '-':
				h.OldOpen = true
			default:
				h.OldOpen, h.NewOpen = true, true
			}
		default:
			h.Lines = append(h.Lines, patch.Line(l))
		}
	}
	return h
}

// Adjoin returns h with anchors that adjoin it.
func Adjoin(h patch.Hunk) patch.Hunk { h.How = patch.Adjoin; return h }

// Seek returns h with anchors that the search begins after.
func Seek(h patch.Hunk) patch.Hunk { h.How = patch.Seek; return h }

// Program is a file of two functions that are much alike.
const Program = `package main

import "fmt"

func hello(name string) string {
	if name == "" {
		return "nobody"
	}

	return fmt.Sprintf("hello, %s", name)
}

func bye(name string) string {
	if name == "" {
		return "nothing"
	}

	return fmt.Sprintf("bye, %s", name)
}
`

// Print writes a hunk, as the function does that a plan gets for its dialect.
func Print(h patch.Hunk) (string, bool) {
	var b strings.Builder
	b.WriteString("@@\n")
	for _, l := range h.Lines {
		b.WriteString(string(l) + "\n")
	}
	return b.String(), true
}

// RandomHunk cuts a hunk out of lines, so that most of them match somewhere.
func RandomHunk(rng *rand.Rand, lines []string) patch.Hunk {
	var h patch.Hunk
	if len(lines) == 0 {
		return Hunk("+new")
	}
	i := rng.IntN(len(lines))
	j := min(len(lines), i+1+rng.IntN(4))
	for _, l := range lines[i:j] {
		switch rng.IntN(4) {
		case 0:
			h.Lines = append(h.Lines, patch.Line("-"+l))
		case 1:
			h.Lines = append(h.Lines, patch.Line("+"+[]string{"a", "b", "n"}[rng.IntN(3)]), patch.Line(" "+l))
		default:
			h.Lines = append(h.Lines, patch.Line(" "+l))
		}
	}
	return h
}

// RandomLines makes n lines of one of seven letters.
func RandomLines(rng *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = string(rune('a' + rng.IntN(7)))
	}
	return out
}

// Text joins lines to the text of a file.
func Text(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// CheckEdits fails t unless every line outside of the edits is the same bytes before and after, and bytes are the edits in
// bytes.
func CheckEdits(t *testing.T, before, after string, edits, bytes []text.Change) {
	t.Helper()
	a, b := text.Split(before), text.Split(after)
	inBytes := func(e text.Change) text.Change {
		return text.Change{A0: a.Offset(e.A0), A1: a.Offset(e.A1), B0: b.Offset(e.B0), B1: b.Offset(e.B1)}
	}
	if !slices.EqualFunc(edits, bytes, func(e, bytes text.Change) bool { return inBytes(e) == bytes }) {
		t.Fatalf("edits %v of %q, which make %q, are not %v in bytes", edits, before, after, bytes)
	}
	i, j := 0, 0
	for _, e := range append(edits, text.Change{A0: a.Len(), A1: a.Len(), B0: b.Len(), B1: b.Len()}) {
		if a.Raw(i, e.A0) != b.Raw(j, e.B0) {
			t.Fatalf("edits %v of %q: lines %d-%d differ from %d-%d of %q", edits, before, i, e.A0, j, e.B0, after)
		}
		i, j = e.A1, e.B1
	}
}
