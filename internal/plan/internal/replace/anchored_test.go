package replace

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// TestAnchored: lines are replaced, inserted and deleted by their names, with the line ends of the file.
func TestAnchored(t *testing.T) {
	for _, tt := range []struct {
		before string
		edits  func(at func(int) string) []Edit
		want   string // or the kind of the refusal and a part of its words
	}{
		{"a\nb\nc\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2), New: "B"}} }, "a\nB\nc\n"},
		{"a\nb\nc\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2), New: "B\n"}} }, "a\nB\nc\n"},
		{"a\nb\nc\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2), New: "\n"}} }, "a\n\nc\n"},
		{"a\nb\nc\n", func(at func(int) string) []Edit { return []Edit{{Line: at(1), EndLine: at(2), New: "x\ny\nz"}} }, "x\ny\nz\nc\n"},
		{"a\nb\nc\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2), EndLine: at(3)}} }, "a\n"},
		{"a\nb\nc", func(at func(int) string) []Edit { return []Edit{{Line: at(3)}} }, "a\nb\n"},
		{"a\nb", func(at func(int) string) []Edit { return []Edit{{Line: at(2), New: "B\n"}} }, "a\nB"},
		{"a\nb", func(at func(int) string) []Edit { return []Edit{{After: at(2), New: "c"}} }, "a\nb\nc"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{After: at(2), New: "c"}} }, "a\nb\nc\n"},
		{"a\r\nb\r\n", func(at func(int) string) []Edit { return []Edit{{After: at(1), New: "x\ny\n"}} }, "a\r\nx\r\ny\r\nb\r\n"},
		{"a\r\nb\r\nc\r\n", func(at func(int) string) []Edit { return []Edit{{Line: at(1), EndLine: at(2), New: "x\ny\nz"}} }, "x\r\ny\r\nz\r\nc\r\n"},
		{"a\rb\r", func(at func(int) string) []Edit { return []Edit{{Line: at(2), New: "B"}} }, "a\rB\r"},
		{text.BOM + "a\n", func(at func(int) string) []Edit { return []Edit{{After: at(0), New: "first"}, {Line: at(1), New: "A"}} }, text.BOM + "first\nA\n"},
		{"", func(func(int) string) []Edit { return []Edit{{After: "0", New: "first\n"}} }, "first\n"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2), New: at(2) + "|B"}} }, "command_failed begins with its anchor"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{Old: at(2) + "|b", New: "B"}} }, "command_failed begins with its anchor"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2), New: "2:0000|B"}} }, "a\n2:0000|B\n"},
		{"first\n\na\n", func(func(int) string) []Edit { return []Edit{{After: "0", New: "first\n\n"}} }, "command_failed begins with newText already"},
		{text.BOM + "first\r\na\r\n", func(func(int) string) []Edit { return []Edit{{After: "0", New: "first"}} }, "command_failed begins with newText already"},
		{"first\na\n", func(at func(int) string) []Edit { return []Edit{{After: at(0), New: "first"}} }, "first\nfirst\na\n"},
		{"\na\n", func(func(int) string) []Edit { return []Edit{{After: "0", New: "\n"}} }, "\n\na\n"},
		{"a\nb\nc\n", func(at func(int) string) []Edit {
			return []Edit{{After: at(1), New: "1"}, {Line: at(2), New: "B"}, {After: at(2), New: "2"}, {Old: "c", New: "C"}}
		}, "a\n1\nB\n2\nC\n"},
		{"a\nb\nc\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2)}, {After: at(2), New: "2"}} }, "a\n2\nc\n"},
		{"a\nb\nc\n", func(at func(int) string) []Edit {
			return []Edit{{Line: at(1), EndLine: at(2)}, {Line: at(2), New: "B"}}
		}, "overlapping_edits"},
		{"a\nb\nc\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2), New: "x"}, {Old: "b", New: "y"}} }, "overlapping_edits"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{Line: at(3), New: "x"}} }, "stale_file no line of this version"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{Line: at(0), New: "x"}} }, "command_failed lines 0 to 0"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2), EndLine: at(1), New: "x"}} }, "command_failed lines 2 to 1"},
		{"a\nb\n", func(func(int) string) []Edit { return []Edit{{Line: text.Anchor(text.Sum("a\nB\n"), 1), New: "x"}} }, "stale_file no line of this version"},
		{"a\nb\nc\n", func(at func(int) string) []Edit {
			return []Edit{{Line: "1" + strings.TrimPrefix(at(2), "2"), New: "x"}}
		}, "stale_file is another line of it. If you meant that, send 2:"},
		{"a\n", func(func(int) string) []Edit { return []Edit{{Line: "1", New: "x"}} }, "command_failed no anchor"},
		{"a\n", func(func(int) string) []Edit { return []Edit{{Line: "-1:abcd", New: "x"}} }, "command_failed no anchor"},
		{"a\n", func(at func(int) string) []Edit { return []Edit{{Line: at(1), After: at(1), New: "x"}} }, "command_failed line and after"},
		{"a\n", func(at func(int) string) []Edit { return []Edit{{EndLine: at(1), New: "x"}} }, "command_failed endLine and no line"},
		{"a\n", func(at func(int) string) []Edit { return []Edit{{Line: at(1), Old: "a", New: "x"}} }, "command_failed names lines and has an oldText"},
		{"a\n", func(at func(int) string) []Edit { return []Edit{{Line: at(1), Count: 2, New: "x"}} }, "command_failed names lines and has expectedOccurrences"},
		{"a\n", func(at func(int) string) []Edit { return []Edit{{After: at(1), EndLine: at(1), New: "x"}} }, "command_failed endLine and after"},
		{"a\nb|c\n", func(at func(int) string) []Edit {
			return []Edit{{Line: at(2) + "|b|c", New: "x"}, {After: at(1) + "|", New: "y"}}
		}, "a\ny\nx\n"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{Line: at(2) + "|a", New: "x"}} }, "command_failed a line other than"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{Line: at(3) + "|b", New: "x"}} }, "stale_file no line of this version"},
		{"a\nb\n", func(at func(int) string) []Edit { return []Edit{{After: at(1), New: "x"}, {After: at(1), New: "y"}} }, "overlapping_edits lines below 1 and below 1"},
		{"a\n", func(at func(int) string) []Edit { return []Edit{{After: at(1)}} }, "command_failed nothing to insert"},
		{"a\n", func(at func(int) string) []Edit { return []Edit{{Line: at(1), New: "a"}} }, "command_failed newText already"},
	} {
		edits := tt.edits(func(n int) string { return text.Anchor(text.Sum(tt.before), n) })
		out, err := Run(tt.before, edits, Options{})
		if err == nil {
			if out.After != tt.want {
				t.Errorf("%q %+v: %q, want %q", tt.before, edits, out.After, tt.want)
			}
			checkEdits(t, tt.before, out.After, out.Edits)
			continue
		}
		kind, says, _ := strings.Cut(tt.want, " ")
		if e := fail.All(err)[0]; string(e.Kind) != kind || !strings.Contains(e.Msg+e.Hint, says) || e.Hint == "" {
			t.Errorf("%q %+v: %v %q, want %s", tt.before, edits, err, e.Hint, tt.want)
		}
	}
}

// TestAnchoredLaw: edits of lines by their names do what a program does that has the lines in a list; and no anchor of one version
// fits another one.
func TestAnchoredLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var last string
	for range 3000 {
		lines := make([]string, 1+rng.IntN(8))
		for i := range lines {
			lines[i] = fmt.Sprint("line ", rng.IntN(3))
		}
		before := strings.Join(lines, "\n") + "\n"
		sum := text.Sum(before)
		var edits []Edit
		var want strings.Builder
		for n := 1; n <= len(lines); {
			to := n + rng.IntN(min(3, len(lines)-n+1))
			switch rng.IntN(4) {
			case 0:
				edits = append(edits, Edit{Line: text.Anchor(sum, n), EndLine: text.Anchor(sum, to), New: "new\nlines"})
				want.WriteString("new\nlines\n")
			case 1:
				edits = append(edits, Edit{Line: text.Anchor(sum, n), EndLine: text.Anchor(sum, to)})
			case 2:
				edits = append(edits, Edit{After: text.Anchor(sum, to), New: "below"})
				want.WriteString(strings.Join(lines[n-1:to], "\n") + "\nbelow\n")
			default:
				want.WriteString(strings.Join(lines[n-1:to], "\n") + "\n")
			}
			n = to + 1
		}
		if len(edits) == 0 {
			continue
		}
		rng.Shuffle(len(edits), func(i, k int) { edits[i], edits[k] = edits[k], edits[i] })
		out, err := Run(before, edits, Options{})
		if err != nil || out.After != want.String() {
			t.Fatalf("%q %+v: %v %v, want %q", before, edits, out, err, want.String())
		}
		if _, err := Run(last, edits, Options{}); last != before && err == nil {
			t.Fatalf("the names of %q fit %q", before, last)
		}
		last = before
	}
}
