package draft

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// apply prints p, reads it back and plans it on tree.
func apply(t *testing.T, d *dialect.Dialect, p patch.Patch, tree plan.Memory) (*plan.Plan, string) {
	t.Helper()
	out, err := d.Print(p)
	if err != nil {
		t.Fatalf("%s cannot print what it made: %v", d.Name, err)
	}
	parsed, err := d.Parse(out, dialect.Options{})
	if err != nil {
		t.Fatalf("%s cannot read what it made: %v\n%s", d.Name, err, out)
	}
	res, err := plan.Build(context.Background(), parsed.Patch, d.Rules(dialect.Options{}), tree, plan.Options{})
	if err != nil {
		t.Fatalf("%s: the patch does not apply: %v\n%s", d.Name, err, out)
	}
	return res, out
}

// roundTrip is the law: what make writes, applied to a, gives b, or make refuses.
func roundTrip(t *testing.T, d *dialect.Dialect, a, b string, context int) (refused bool) {
	t.Helper()
	p, err := Between(d, []Change{{Path: "f", Old: a, New: b, HasOld: true, HasNew: true}}, context)
	if err != nil {
		for _, e := range fail.All(err) {
			if e.Kind != fail.CommandFailed || e.Path != "f" {
				t.Fatalf("%s: %q to %q: refused by %v (%s)", d.Name, a, b, e, e.Kind)
			}
		}
		return true
	}
	if a == b {
		if len(p.Sections) > 0 {
			t.Fatalf("%s: a patch between equal files: %v", d.Name, p)
		}
		return false
	}
	res, out := apply(t, d, p, plan.Memory{"f": a})
	if got := res.Steps[0].After; got != b {
		t.Fatalf("%s: %q to %q: applying gives %q\n%s", d.Name, a, b, got, out)
	}
	return false
}

// TestEveryDialectCanSayLines: files of LF lines that end in a newline are within reach of every dialect.
func TestEveryDialectCanSayLines(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		a := lines(rng, 1+rng.IntN(30))
		b := mutate(rng, a)
		for _, d := range dialect.All {
			if roundTrip(t, d, join(a), join(b), rng.IntN(4)) {
				_, err := Between(d, []Change{{Path: "f", Old: join(a), New: join(b), HasOld: true, HasNew: true}}, 3)
				t.Fatalf("seed %d: %s refuses %q to %q: %v", seed, d.Name, join(a), join(b), err)
			}
		}
	}
}

func lines(rng *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("line %d", rng.IntN(6))
	}
	return out
}

func mutate(rng *rand.Rand, a []string) []string {
	b := append([]string(nil), a...)
	for range 1 + rng.IntN(4) {
		i := rng.IntN(len(b))
		switch rng.IntN(3) {
		case 0:
			b[i] = fmt.Sprintf("new %d", rng.IntN(3))
		case 1:
			b = append(b[:i+1], append(lines(rng, 1+rng.IntN(2)), b[i+1:]...)...)
		default:
			if len(b) > 1 {
				b = append(b[:i], b[i+1:]...)
			}
		}
	}
	return b
}

func join(l []string) string { return strings.Join(l, "\n") + "\n" }

func TestWhatCannotBeSaid(t *testing.T) {
	tests := []struct {
		name, dialect, a, b string
		line                int
		msg                 string
	}{
		{"a line end changes", "emend", "a\nb\n", "a\nb\r\n", 2, `line end is "\r\n"`},
		{"every line end changes", "emend", "a\r\nb\r\n", "a\nb\n", 1, `line end is "\n"`},
		{"a new line with another end", "emend", "a\nb\n", "a\nx\r\nb\n", 2, `line end`},
		{"the BOM comes", "emend", "a\n", "\uFEFFa\n", 1, "byte order mark"},
		{"binary", "emend", "a\n", "a\x00\n", 0, "binary"},
		{"an open end, codex", "codex", "a\nb", "a\nc", 2, ""},
		{"the last newline goes, supyagent", "supyagent", "a\nb\n", "a\nb", 0, ""},
	}
	for _, tt := range tests {
		d, _ := dialect.Named(tt.dialect)
		_, err := Between(d, []Change{{Path: "f", Old: tt.a, New: tt.b, HasOld: true, HasNew: true}}, 3)
		e, ok := errors.AsType[*fail.Error](err)
		if !ok {
			t.Errorf("%s: not refused", tt.name)
			continue
		}
		if e.Path != "f" || tt.line > 0 && e.Line != tt.line || !strings.Contains(e.Msg, tt.msg) {
			t.Errorf("%s: refused with %v (line %d), want line %d and %q", tt.name, e, e.Line, tt.line, tt.msg)
		}
	}
}

// TestMinimal: no line is removed and added back, and no more context stands than asked for where it is unique.
func TestMinimal(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	a := b.String()
	c := strings.Replace(strings.Replace(a, "line 10\n", "", 1), "line 80\n", "line 80\nmore\n", 1)
	d, _ := dialect.Named("emend")
	p, err := Between(d, []Change{{Path: "f", Old: a, New: c, HasOld: true, HasNew: true}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, out := apply(t, d, p, plan.Memory{"f": a})
	want := `*** Begin Patch
*** Update File: f
@@
 line 8
 line 9
-line 10
 line 11
 line 12
@@
 line 79
 line 80
+more
 line 81
 line 82
*** End Patch
`
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

// TestContextGrows: in a file of repeated lines a hunk gets as much context as makes it unique.
func TestContextGrows(t *testing.T) {
	a := strings.Repeat("x\ny\n", 40)
	b := strings.Repeat("x\ny\n", 20) + "z\n" + strings.Repeat("x\ny\n", 20)
	for _, d := range dialect.All {
		if roundTrip(t, d, a, b, 1) {
			t.Errorf("%s refuses", d.Name)
		}
	}
}

func TestFilesComeAndGo(t *testing.T) {
	changes := []Change{
		{Path: "a/new.txt", New: "one\n\ntwo\n", HasNew: true},
		{Path: "a/old.txt", Old: "x\n", HasOld: true},
		{Path: "a/same.txt", Old: "x\n", New: "x\n", HasOld: true, HasNew: true},
		{Path: "a/edit.txt", Old: "x\ny\n", New: "x\nz\n", HasOld: true, HasNew: true},
	}
	for _, d := range dialect.All {
		p, err := Between(d, changes, 3)
		if d == dialect.SearchReplace {
			if err == nil || !strings.Contains(err.Error(), "cannot say a section with the operation delete") {
				t.Errorf("%s: a deletion: %v", d.Name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		res, out := apply(t, d, p, plan.Memory{"a/old.txt": "x\n", "a/same.txt": "x\n", "a/edit.txt": "x\ny\n"})
		if len(res.Steps) != 3 || res.Steps[0].After != "one\n\ntwo\n" || res.Steps[1].Op != patch.Delete || res.Steps[2].After != "x\nz\n" {
			t.Errorf("%s: %+v\n%s", d.Name, res.Steps, out)
		}
	}
}

// FuzzMakeApply: apply(make(a, b), a) is b, for any bytes and every dialect, or make refuses.
func FuzzMakeApply(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", uint8(3))
	f.Add("a\nb", "a\nb\n", uint8(0))
	f.Add("a\r\nb\r\n", "a\r\nc\r\n", uint8(1))
	f.Add("", "x\n", uint8(1))
	f.Add("x\n\n\nx\n\n\n", "x\n\n\n\nx\n\n", uint8(0))
	f.Add("\uFEFFa\rb\n", "\uFEFFa\rc\n", uint8(2))
	f.Add("*** End Patch\n@@\n+x\n", "*** End Patch\n@@ y\n-x\n", uint8(1))
	f.Fuzz(func(t *testing.T, a, b string, context uint8) {
		for _, d := range dialect.All {
			roundTrip(t, d, a, b, int(context%5))
		}
	})
}

// FuzzAdd: what an Add is made of, it gives.
func FuzzAdd(f *testing.F) {
	for _, s := range []string{"", "a", "a\n", "\n", "\n\n", "a\n\n", "a\r\n", "\r", " \n", "*** End Patch\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		for _, d := range dialect.All {
			p, err := Between(d, []Change{{Path: "f", New: content, HasNew: true}}, 3)
			if err != nil {
				continue
			}
			if res, out := apply(t, d, p, plan.Memory{}); res.Steps[0].After != content {
				t.Fatalf("%s: %q becomes %q\n%s", d.Name, content, res.Steps[0].After, out)
			}
		}
	})
}

// BenchmarkBetween prints the cost of a line for a file of repeated lines, where context has to grow.
func BenchmarkBetween(b *testing.B) {
	d, _ := dialect.Named("emend")
	for n := 1 << 10; n <= 1<<14; n *= 2 {
		b.Run(fmt.Sprintf("lines=%d", n), func(b *testing.B) {
			old := strings.Repeat("x\ny\n", n/2)
			fresh := strings.Repeat("x\ny\n", n/4) + "z\n" + strings.Repeat("x\ny\n", n/4)
			for b.Loop() {
				if _, err := Between(d, []Change{{Path: "f", Old: old, New: fresh, HasOld: true, HasNew: true}}, 3); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(text.Split(old).Len()), "ns/line")
		})
	}
}
