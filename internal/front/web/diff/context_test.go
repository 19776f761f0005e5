package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// unified returns the diff of one file, as emend keeps it.
func unified(before, after string) string {
	return report.Diff(&plan.Step{Op: patch.Update, Path: "a.go", Before: before, After: after, Edits: text.Between(before, after)})
}

// sides returns the text of the rows before and after a change, by their numbers.
func sides(t *testing.T, f *File) (old, new map[int]string) {
	t.Helper()
	old, new = map[int]string{}, map[int]string{}
	for _, r := range f.Rows(0, f.Len(false), false) {
		var line strings.Builder
		for _, run := range r.Left.Runs {
			for _, p := range run.Parts {
				line.WriteString(p.Text)
			}
		}
		if r.Old > 0 {
			old[r.Old] = line.String()
		}
		if r.New > 0 {
			new[r.New] = line.String()
		}
	}
	return old, new
}

// TestAddContext widens the hunks of random changes. Each line shown has its own number and text on both sides, as many lines as
// were asked for stand around each change, and the counts stay the same.
func TestAddContext(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		var before, after []string
		for i := range random.IntN(60) {
			line := fmt.Sprintf("line %d", i)
			before = append(before, line)
			switch random.IntN(12) {
			case 0:
			case 1:
				after = append(after, line+" changed")
			case 2:
				after = append(after, "new", line)
			default:
				after = append(after, line)
			}
		}
		a, b := strings.Join(before, "\n"), strings.Join(after, "\n")
		if round%2 == 0 {
			a, b = a+"\n", b+"\n"
		}
		d := unified(a, b)
		was := Parse(d)
		for _, n := range []int{1, 3, 10, 1 << 30} {
			f := Parse(d)
			f.AddContext(b, n)
			if f.Added != was.Added || f.Removed != was.Removed {
				t.Fatalf("context %d: +%d −%d, and was +%d −%d\n%s", n, f.Added, f.Removed, was.Added, was.Removed, d)
			}
			old, new := sides(t, f)
			for number, line := range old {
				if before[number-1] != line {
					t.Fatalf("context %d: line %d before is %q, not %q\n%s", n, number, line, before[number-1], d)
				}
			}
			for number, line := range new {
				if after[number-1] != line {
					t.Fatalf("context %d: line %d after is %q, not %q\n%s", n, number, line, after[number-1], d)
				}
			}
			if n == 1<<30 && f.Added+f.Removed > 0 && (len(old) != len(before) || len(new) != len(after)) {
				t.Fatalf("%d and %d of %d and %d lines\n%s", len(old), len(new), len(before), len(after), d)
			}
			again := Parse(textOf(f))
			if x, y := sides(t, again); len(x) != len(old) || len(y) != len(new) || again.Added != f.Added {
				t.Fatalf("context %d: the headers of the hunks do not fit to their lines:\n%s", n, textOf(f))
			}
		}
	}
}

// textOf writes the hunks of a file again.
func textOf(f *File) string {
	var b strings.Builder
	b.WriteString("--- a/a.go\n+++ b/a.go\n")
	for _, l := range f.lines {
		b.WriteString(map[Kind]string{Same: " ", Add: "+", Del: "-"}[l.kind] + l.text + "\n")
		if l.noNewline {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
	return b.String()
}

// TestAddContextOfAnother: a text that the diff does not lead to changes nothing.
func TestAddContextOfAnother(t *testing.T) {
	d := unified("a\nb\nc\n", "a\nB\nc\n")
	for _, other := range []string{"", "a\n", "x\ny\nz\nb\n", "a\nb\nc\n"} {
		f := Parse(d)
		f.AddContext(other, 10)
		if textOf(f) != textOf(Parse(d)) {
			t.Errorf("%q: %s", other, textOf(f))
		}
	}
}

func TestNameFunctions(t *testing.T) {
	var lines []string
	for i := range 12 {
		lines = append(lines, fmt.Sprintf("func f%d() {", i), "\tone()", "\ttwo()", "", "\tthree()", "\tfour()", "\tfive()", "}")
	}
	before := strings.Join(lines, "\n") + "\n"
	after := strings.Replace(before, "func f5() {\n\tone()\n\ttwo()\n\n\tthree()\n\tfour()\n\tfive()", "func f5() {\n\tone()\n\ttwo()\n\n\tthree()\n\tfour()\n\tsix()", 1)
	f := Parse(unified(before, after))
	f.NameFunctions(after)
	if got := f.lines[0].text; !strings.HasSuffix(got, "@@ func f5() {") {
		t.Errorf("the hunk is called %q", got)
	}
	f.NameFunctions(after)
	if got := f.lines[0].text; strings.Count(got, "func") != 1 {
		t.Errorf("named twice: %q", got)
	}
}

func TestHideSpace(t *testing.T) {
	for name, c := range map[string]struct {
		before, after  string
		added, removed int
		hunks          int
	}{
		"indentation":          {"a\nb\nc\n", "a\n\tb\nc\n", 0, 0, 0},
		"at the end":           {"a\nb\nc\n", "a\nb  \nc\n", 0, 0, 0},
		"one of two":           {"a\nb\nc\nd\n", "a\n b\nX\nd\n", 1, 1, 1},
		"wrapped in a block":   {"a\nb\nc\n", "if x {\n\ta\n\tb\n\tc\n}\n", 2, 0, 1},
		"two hunks":            {strings.Repeat("x\n", 20) + "a\n" + strings.Repeat("y\n", 20) + "b\n", strings.Repeat("x\n", 20) + " a\n" + strings.Repeat("y\n", 20) + "B\n", 1, 1, 1},
		"an empty line":        {"a\nb\n", "a\n\nb\n", 1, 0, 1},
		"nothing":              {"a\n", "b\n", 1, 1, 1},
		"the order is kept":    {"a\nb\n", "b \na \n", 1, 1, 1},
		"words grown together": {"a b\n", "ab\n", 0, 0, 0},
	} {
		f := Parse(unified(c.before, c.after))
		f.HideSpace()
		hunks := 0
		for _, l := range f.lines {
			if l.kind == Hunk {
				hunks++
			}
		}
		if f.Added != c.added || f.Removed != c.removed || hunks != c.hunks {
			t.Errorf("%s: +%d −%d in %d hunks, want +%d −%d in %d\n%s", name, f.Added, f.Removed, hunks, c.added, c.removed, c.hunks, textOf(f))
		}
		before, after := strings.Split(c.before, "\n"), strings.Split(c.after, "\n")
		old, new := sides(t, f)
		for number, line := range new {
			if after[number-1] != line {
				t.Errorf("%s: line %d after is %q, not %q", name, number, line, after[number-1])
			}
		}
		for number, line := range old {
			if strings.Join(strings.Fields(before[number-1]), "") != strings.Join(strings.Fields(line), "") {
				t.Errorf("%s: line %d before is %q, not %q", name, number, line, before[number-1])
			}
		}
		if !slices.IsSortedFunc(f.Rows(0, f.Len(false), false), compareShown) {
			t.Errorf("%s: rows out of order", name)
		}
	}
}

// compareShown orders rows by their numbers, as far as both have one.
func compareShown(a, b Row) int {
	if a.New > 0 && b.New > 0 {
		return a.New - b.New
	}
	if a.Old > 0 && b.Old > 0 {
		return a.Old - b.Old
	}
	return 0
}
