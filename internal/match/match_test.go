package match

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// The reference: the same answers by looking everywhere.

func slots(d *Doc) []Slot { return slices.Collect(d.From(d.Next(Begin))) }

func lines(d *Doc) []string {
	var out []string
	for _, s := range slots(d) {
		out = append(out, d.Line(s))
	}
	return out
}

func places(have, want []string, r patch.Rung) []int {
	var out []int
	for i := 0; i+len(want) <= len(have); i++ {
		if slices.EqualFunc(have[i:i+len(want)], want, func(a, b string) bool { return Same(r, a, b) }) {
			out = append(out, i)
		}
	}
	return out
}

// few makes n lines out of a small alphabet, so that near and repeated matches abound.
func few(rng *rand.Rand, n int) []string {
	words := []string{"a", "b", "a ", "  a", "b\t", "c"}
	out := make([]string, n)
	for i := range out {
		out[i] = words[rng.IntN(len(words))]
		if rng.IntN(4) > 0 {
			out[i] = "a"
		}
	}
	return out
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func check(t *testing.T, d *Doc, x *Index, pats [][]string, ids []int) {
	t.Helper()
	have, at := lines(d), slots(d)
	lasts := x.LastPlaces()
	for i, pat := range pats {
		want := places(have, pat, x.rung)
		if got := x.Count(ids[i]); got != len(want) {
			t.Fatalf("rung %v: Count(%q) in %q = %d, want %v", x.rung, pat, have, got, want)
		}
		if len(want) == 1 && x.OnlyPlace(ids[i]) != at[want[0]] {
			t.Fatalf("Only(%q) in %q = %d, want %d", pat, have, x.OnlyPlace(ids[i]), at[want[0]])
		}
		end := func(back int) Slot {
			if len(want) < back {
				return Begin
			}
			return at[want[len(want)-back]+len(pat)-1]
		}
		if got := lasts[ids[i]]; got != [2]Slot{end(1), end(2)} {
			t.Fatalf("Lasts(%q) in %q = %v, want %v", pat, have, got, [2]Slot{end(1), end(2)})
		}
		for _, back := range []bool{false, true} {
			from, to := d.Next(Begin), d.End()
			if back {
				from, to = d.Prev(d.End()), Begin
			}
			got := slices.Collect(NewScanner(d, x.rung, pat, back).Places(from, to))
			if back {
				slices.Reverse(got)
			}
			if !slices.EqualFunc(got, want, func(s Slot, i int) bool { return s == at[i] }) {
				t.Fatalf("Scanner(%q, back %v) in %q = %v, want %v", pat, back, have, got, want)
			}
		}
		s, ok := EndsWith(d, x.rung, pat)
		atEnd := len(want) > 0 && want[len(want)-1]+len(pat) == len(have)
		if ok != atEnd || ok && s != at[want[len(want)-1]] {
			t.Fatalf("EndsWith(%q) in %q = %v, %v", pat, have, s, ok)
		}
	}
}

func TestIndexFollowsEdits(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		d := NewDoc(text.Split(join(few(rng, rng.IntN(40)))))
		d.limit = 1 << 30
		pats := make([][]string, 1+rng.IntN(6))
		for i := range pats {
			pats[i] = few(rng, 1+rng.IntN(6))
		}
		var xs []*Index
		var ids [][]int
		index := func(r patch.Rung) {
			x := NewIndex(d, r, 4)
			id := make([]int, len(pats))
			for i, p := range pats {
				id[i] = x.Add(slices.Values(p))
			}
			x.Build()
			xs, ids = append(xs, x), append(ids, id)
		}
		index(patch.Exact)
		want := lines(d)
		for n := range 12 {
			at := slots(d)
			i := rng.IntN(len(at) + 1)
			k := rng.IntN(min(4, len(at)-i+1))
			prev := Begin
			if i > 0 {
				prev = at[i-1]
			}
			fresh := few(rng, rng.IntN(4))
			for j := i; j < i+k; j++ { // what was inserted stays
				if d.Inserted(at[j]) {
					k = j - i
				}
			}
			d.Remove(prev, k)
			for _, l := range fresh {
				prev = d.Insert(prev, l, "\n")
			}
			want = slices.Replace(want, i, i+k, fresh...)
			if rng.IntN(3) == 0 && i+k < len(at) { // a second edit further down before the indexes are told
				j := i + k + rng.IntN(len(at)-i-k)
				d.Insert(at[j], "b", "\n")
				want = slices.Insert(want, j+1-k+len(fresh), "b")
			}
			if err := d.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := lines(d); !slices.Equal(got, want) {
				t.Fatalf("seed %d: after Replace: %q, want %q", seed, got, want)
			}
			if n == 5 { // an index begun on an edited Doc
				index(patch.Whitespace)
			}
			for j, x := range xs {
				check(t, d, x, pats, ids[j])
			}
			checkEdits(t, d)
		}
	}
}

// checkEdits replays d.Edits on the file's lines.
func checkEdits(t *testing.T, d *Doc) {
	t.Helper()
	var got []string
	at := 0
	for _, e := range d.Edits() {
		for ; at < e.A0; at++ {
			got = append(got, d.file.Line(at))
		}
		for s := e.New; e.N > 0; s, e.N = d.Next(s), e.N-1 {
			got = append(got, d.Line(s))
		}
		at = e.A1
	}
	for ; at < d.file.Len(); at++ {
		got = append(got, d.file.Line(at))
	}
	if want := lines(d); !slices.Equal(got, want) {
		t.Fatalf("Edits replayed: %q, want %q", got, want)
	}
}

func TestAnchors(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		words := []string{"f", "ff", "f g", "g  f ", "func", "un", "  fu", "x"}
		pick := func(n int) []string {
			out := make([]string, n)
			for i := range out {
				out[i] = words[rng.IntN(len(words))]
			}
			return out
		}
		file := text.Split(join(pick(rng.IntN(12))))
		chains := make([][]string, 1+rng.IntN(4))
		for i := range chains {
			chains[i] = pick(1 + rng.IntN(3))
		}
		for i, got := range Anchors(file, chains) {
			if want := anchorByHand(file, chains[i]); got != want {
				t.Fatalf("seed %d: %q in %q: %+v, want %+v", seed, chains[i], file.Raw(0, file.Len()), got, want)
			}
		}
	}
}

func anchorByHand(file *text.Lines, chain []string) Anchor {
	holds := func(n int, a string) bool { return strings.Contains(Squeeze(file.Line(n)), Squeeze(a)) }
	n := 0
	for i, a := range chain {
		for n < file.Len() && !holds(n, a) {
			n++
		}
		if n == file.Len() {
			return Anchor{Line: -1}
		}
		if i < len(chain)-1 {
			n++
		}
	}
	out := Anchor{Line: n}
	for ; n < file.Len(); n++ {
		if holds(n, chain[len(chain)-1]) {
			out.Count++
		}
	}
	return out
}

func TestFold(t *testing.T) {
	tests := []struct {
		rung patch.Rung
		a, b string
		same bool
	}{
		{patch.Exact, "a", "a ", false},
		{patch.Trailing, "a", "a \t", true},
		{patch.Trailing, "a", " a", false},
		{patch.Whitespace, "\ta", "    a ", true},
		{patch.Whitespace, "a b", "a  b", false},
		{patch.Whitespace, "“a”", "\"a\"", false},
		{patch.Composed, "e\u0301", "\u00e9", true},
		{patch.Composed, "a–b", "a-b", false},
		{patch.Unicode, "“a” – ‘b’", "\"a\" - 'b'", true},
		{patch.Unicode, "a\u00a0b", "a b", true},
		{patch.Unicode, "\u00a0a", "a", true},
		{patch.Unicode, "e\u0301", "\u00e9", true},
		{patch.Unicode, "\xff", "\xff", true},
		{patch.Unicode, "\xff", "\xfe", false},
	}
	for _, tt := range tests {
		if got := Same(tt.rung, tt.a, tt.b); got != tt.same {
			t.Errorf("Same(%v, %q, %q) = %v", tt.rung, tt.a, tt.b, got)
		}
	}
}

// repeat yields line n times and then the lines of last.
func repeat(line string, n int, last ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range n {
			if !yield(line) {
				return
			}
		}
		for _, l := range last {
			if !yield(l) {
				return
			}
		}
	}
}

// BenchmarkIndex prints what a line costs as the file doubles: the hostile file of equal lines against patterns
// that nearly match everywhere, and ordinary code. Linear means that ns/line stays where it is.
func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20} {
		b.Run(fmt.Sprintf("hostile/lines=%d", n), func(b *testing.B) {
			file := text.Split(strings.Repeat("a\n", n))
			perLine(b, n, func() {
				x := NewIndex(NewDoc(file), patch.Exact, 4)
				x.Add(repeat("a", n/2, "b"))
				x.Add(repeat("a", n/4, "b"))
				x.Build()
			})
		})
		b.Run(fmt.Sprintf("code/lines=%d", n), func(b *testing.B) {
			var sb strings.Builder
			for i := range n {
				fmt.Fprintf(&sb, "\tresult = append(result, value%d)\n", i%(n/2))
			}
			file := text.Split(sb.String())
			perLine(b, n, func() {
				x := NewIndex(NewDoc(file), patch.Exact, 4)
				for i := 0; i < n; i += 100 {
					x.Add(slices.Values([]string{file.Line(i), file.Line(i + 1), file.Line(i + 2)}))
				}
				x.Build()
			})
		})
	}
}

func perLine(b *testing.B, lines int, f func()) {
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lines), "ns/line")
}
