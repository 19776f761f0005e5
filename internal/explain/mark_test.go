package explain

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// marks is the parts with what differs in braces.
func marks(in []Part) string {
	var b strings.Builder
	for _, p := range in {
		if p.Differs {
			fmt.Fprintf(&b, "{%s}", p.Text)
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestMark(t *testing.T) {
	for _, tt := range []struct{ a, b, x, y string }{
		{"", "", "", ""},
		{"a", "a", "a", "a"},
		{"", "a", "", "{a}"},
		{"one two", "one two three", "one two", "one two{ three}"},
		{"x := 1", "y := 1", "{x} := 1", "{y} := 1"},
		{"getUser(id)", "getUsers(id)", "getUser(id)", "getUser{s}(id)"},
		{"foo(bar)", "qux(bar)", "{foo}(bar)", "{qux}(bar)"},
		{"return", "relent", "{return}", "{relent}"}, // two letters in common are no likeness
		{"\tif x {", "    if x {", "{\t}if x {", "{    }if x {"},
		{"end  ", "end", "end{  }", "end"},
		{"say “hi”", `say "hi"`, "say {“}hi{”}", `say {"}hi{"}`},
		{"caf\u00e9", "cafe\u0301", "caf{\u00e9}", "caf{e\u0301}"},
		{"👩\u200d🔬 x", "👩 x", "{👩\u200d🔬} x", "{👩} x"},
		{"a\xffb", "a\xfeb", "a{\xff}b", "a{\xfe}b"},
		{"if a && b {", "if a || b {", "if a {&&} b {", "if a {||} b {"},
		{"f(a, b, c)", "f(a, c)", "f(a, {b, }c)", "f(a, c)"},
		{strings.Repeat("x", 3000) + "a", strings.Repeat("x", 3000) + "b", strings.Repeat("x", 3000) + "{a}", strings.Repeat("x", 3000) + "{b}"},
	} {
		x, y := Mark(tt.a, tt.b)
		if marks(x) != tt.x || marks(y) != tt.y {
			t.Errorf("Mark(%.40q, %.40q) = %.60q, %.60q; want %.60q, %.60q", tt.a, tt.b, marks(x), marks(y), tt.x, tt.y)
		}
	}
}

// FuzzMark: the parts are the lines; no part is empty or goes on where the one before ends; what is not marked is the same
// on both sides; equal lines have no marks, and others have one.
func FuzzMark(f *testing.F) {
	for _, s := range [][2]string{{"a", "b"}, {"\ta", "    a"}, {"caf\u00e9", "cafe\u0301"}, {"a\xff", "a\xfe\u0301"}, {"f(a, b)", "g(a,  b) "}, {"👩\u200d🔬", "👩"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Mark(a, b)
		if joined(x) != a || joined(y) != b {
			t.Fatalf("Mark(%q, %q) = %q, %q", a, b, marks(x), marks(y))
		}
		if same(x) != same(y) {
			t.Errorf("Mark(%q, %q): %q is not marked on one side, %q on the other", a, b, same(x), same(y))
		}
		if common(x) == len(a) && common(y) == len(b) != (a == b) {
			t.Errorf("Mark(%q, %q) = %q, %q", a, b, marks(x), marks(y))
		}
		for _, in := range [][]Part{x, y} {
			for i, p := range in {
				if p.Text == "" || i > 0 && in[i-1].Differs == p.Differs {
					t.Errorf("Mark(%q, %q): part %d of %q", a, b, i, marks(in))
				}
				if utf8.ValidString(a) && utf8.ValidString(b) && !utf8.ValidString(p.Text) {
					t.Errorf("Mark(%q, %q): a character is cut in %q", a, b, marks(in))
				}
			}
		}
	})
}

func joined(in []Part) string {
	var b strings.Builder
	for _, p := range in {
		b.WriteString(p.Text)
	}
	return b.String()
}

func same(in []Part) string {
	var b strings.Builder
	for _, p := range in {
		if !p.Differs {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestDifferences(t *testing.T) {
	for _, tt := range []struct{ mine, file, want string }{
		{"a", "a", ""},
		{"a", "b", "the text"},
		{"  a", "\ta", "indentation: the file has 1 tab, the patch 2 spaces"},
		{"\t  a", "a", "indentation: the file has none, the patch 1 tab and 2 spaces"},
		{"a ", "a\u00a0", "white space at the end: the file has 1 no-break space, the patch 1 space"},
		{"a\r", "a", "a carriage return (CR) at the end of the patch's line"},
		{"", "  ", "white space at the end: the file has 2 spaces, the patch none"},
		{"“a”", `"a"`, "typographic quotes in the patch: U+201C, U+201D"},
		{"a-b", "a\u2013b", "a typographic dash in the file: U+2013"},
		{"a b", "a\u2003b", "an unusual space in the file: U+2003"},
		{"a\u200bb", "ab", "an invisible character in the patch: U+200B"},
		{"\u00e9", "e\u0301", "Unicode normal form: the file has NFD, the patch NFC"},
		{"Ab", "aB", "upper and lower case"},
		{"a  b", "a b", "white space inside the line"},
		{" “x”", "\t\"y\" ", "indentation: the file has 1 tab, the patch 1 space; typographic quotes in the patch: U+201C, U+201D; the text; " +
			"white space at the end: the file has 1 space, the patch none"},
	} {
		if got := strings.Join(Differences(tt.mine, tt.file), "; "); got != tt.want {
			t.Errorf("Differences(%q, %q) = %q, want %q", tt.mine, tt.file, got, tt.want)
		}
	}
}

// BenchmarkMark prints the time a byte takes, for lines of every length that have nothing in common but single letters.
func BenchmarkMark(b *testing.B) {
	for _, n := range []int{100, 1000, 1990, 20_000, 2_000_000} {
		x, y := strings.Repeat("a.b ", n/4), strings.Repeat("b,a;", n/4)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(2 * n))
			for b.Loop() {
				Mark(x, y)
			}
		})
	}
}
