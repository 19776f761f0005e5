package text

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkBetween: the lines of after that edits name, in the place of those of before, give after.
func checkBetween(t *testing.T, before, after string, edits []Change) {
	t.Helper()
	a, b := Split(before), Split(after)
	got, at, to := "", 0, 0
	for i, e := range edits {
		if e.A0 > e.A1 || e.B0 > e.B1 || e.A1 > a.Len() || e.B1 > b.Len() || e.A0 < at && i > 0 || e.B0 < to && i > 0 {
			t.Fatalf("edit %d of %v is out of order\n%q\n%q", i, edits, before, after)
		}
		from, with := a.Offset(e.A0), b.Raw(e.B0, e.B1)
		if e.A0 == 0 && e.B0 == 0 {
			from, with = 0, after[:b.Offset(e.B1)]
		}
		start := 0
		if i > 0 {
			start = a.Offset(at)
		}
		got += before[start:from] + with
		at, to = e.A1, e.B1
	}
	if len(edits) == 0 {
		got = before
	} else {
		got += before[a.Offset(at):]
	}
	if got != after {
		t.Fatalf("%v make %q\nof %q,\nnot %q", edits, got, before, after)
	}
}

func TestBetween(t *testing.T) {
	const bom = BOM
	tests := []struct{ before, after, want string }{
		{"", "", "[]"},
		{"a\n", "a\n", "[]"},
		{"", "a\n", "[{0 0 0 1}]"},
		{"a\n", "", "[{0 1 0 0}]"},
		{"a\nb\nc\n", "a\nx\nc\n", "[{1 2 1 2}]"},
		{"a\nb\nc\n", "b\nc\nd\n", "[{0 1 0 0} {3 3 2 3}]"},
		{"a\nb", "a\nb\n", "[{1 2 1 2}]"},
		{"a\nb\n", "a\r\nb\n", "[{0 1 0 1}]"},
		{"a\n", bom + "a\n", "[{0 1 0 1}]"},
		{bom, "", "[{0 0 0 0}]"},
		{bom + "a\nb\n", "a\nx\n", "[{0 2 0 2}]"},
		{bom + "a\nb\nc\n", "a\nb\nx\n", "[{0 1 0 1} {2 3 2 3}]"},
		{"\x00\x01\n\xff", "\x00\n\xff", "[{0 1 0 1}]"},
	}
	for _, tt := range tests {
		got := Between(tt.before, tt.after)
		if fmt.Sprint(got) != tt.want {
			t.Errorf("Between(%q, %q) = %v, want %s", tt.before, tt.after, got, tt.want)
		}
		checkBetween(t, tt.before, tt.after, got)
	}
}

// FuzzBetween: see checkBetween.
func FuzzBetween(f *testing.F) {
	for _, s := range []string{"", "a", "a\nb\n", "a\r\nb\rc\n\n", BOM + "x\r", "\r\r\n\n\r"} {
		f.Add(s, "a\nb\n")
		f.Add("x\r\n"+s, BOM+s)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		edits := Between(before, after)
		if before == after && len(edits) > 0 {
			t.Fatalf("%v for %q and itself", edits, before)
		}
		checkBetween(t, before, after, edits)
	})
}

// A few changes in a large text are found as such, though not as the shortest difference there is.
func TestBetweenLarge(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "func f%d() {\n\tif x {\n\t\treturn %d\n\t}\n}\n\n", i, i%7)
	}
	before := b.String()
	lines := strings.SplitAfter(before, "\n")
	for i := 100; i < len(lines); i += 1000 {
		switch i / 1000 % 3 {
		case 0:
			lines[i] = "changed\n"
		case 1:
			lines[i] = ""
		default:
			lines[i] += "}\n\n"
		}
	}
	after := strings.Join(lines, "")
	edits := Between(before, after)
	checkBetween(t, before, after, edits)
	n := 0
	for _, e := range edits {
		n += e.A1 - e.A0 + e.B1 - e.B0
	}
	if n > 150 { // the shortest has 100
		t.Errorf("%d lines in %d edits", n, len(edits))
	}
}

// FuzzDiff: the changes make one of the other, and what lies between them is equal.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc", "b\nc\nd")
	f.Add("", "a")
	f.Fuzz(func(t *testing.T, one, other string) {
		a, b := strings.Split(one, "\n"), strings.Split(other, "\n")
		var got []string
		at := 0
		for i, c := range Diff(a, b) {
			if i > 0 && c.A0 <= at {
				t.Fatalf("no unchanged line before change %d", i)
			}
			got = append(append(got, a[at:c.A0]...), b[c.B0:c.B1]...)
			at = c.A1
		}
		if got = append(got, a[at:]...); !slices.Equal(got, b) {
			t.Fatalf("%q makes %q of %q", got, other, one)
		}
	})
}

func BenchmarkBetween(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	random := func(n int) string {
		var s strings.Builder
		for range n {
			s.WriteString([]string{"a\n", "b\n", "c\n"}[rng.IntN(3)])
		}
		return s.String()
	}
	for _, n := range []int{1 << 12, 1 << 15, 1 << 18, 1 << 20, 1 << 22} {
		x, y := random(n), random(n)
		b.Run(fmt.Sprintf("random/lines=%d", n), func(b *testing.B) {
			for b.Loop() {
				Between(x, y)
			}
		})
	}
	var code strings.Builder
	for i := range 1 << 18 {
		fmt.Fprintf(&code, "\tvalue%d := compute(%d, \"name %d\")\n", i, i*7919%(1<<18), i)
	}
	src := code.String()
	other := regexp.MustCompile(`(?m)^(\tvalue\d*000) := compute\(`).ReplaceAllString(src, "$1 := computed(")
	b.Run("code", func(b *testing.B) {
		for b.Loop() {
			Between(src, other)
		}
	})
	all := strings.ReplaceAll(src, "compute", "computed")
	b.Run("every line", func(b *testing.B) {
		for b.Loop() {
			Between(src, all)
		}
	})
}
