package plan

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/dialect"
)

// lenient parses text leniently and plans it on tree.
func lenient(ctx context.Context, text string, tree Memory, o Options) (*Plan, error) {
	return lenientIn(ctx, dialect.Emend, text, tree, o)
}

func lenientIn(ctx context.Context, d *dialect.Dialect, text string, tree Memory, o Options) (*Plan, error) {
	how := dialect.Options{Lenient: true}
	parsed, err := d.Parse(text, how)
	o.Decodings, o.Unread = parsed.Decodings, err
	return Build(ctx, parsed.Patch, d.Rules(how), tree, o)
}

func TestDecode(t *testing.T) {
	const code = "func f() {\n\tif a < b {\n\t\tg(\"x\\n\")\n\t}\n}\n"
	tests := []struct {
		name, file, hunk string
		what             string // how the hunk is decoded; it is refused where that is empty
		want             string // what the second line or, for code, the third becomes
	}{
		{"numbers", "a\nb\nc\n", " 1| a\n-2| b\n+2| B\n 3| c", "listing numbers", "B"},
		{"numbers, a space belongs to the line", "a\n b\nc\n", " 1:a\n-2: b\n+2: B\n 3:c", "listing numbers", " B"},
		{"numbers before marks", "a\nb\nc\n", "1:  a\n2: -b\n2: +B\n3:  c", "listing numbers before the marks", "B"},
		{"numbers that the file has as well", "1| a\n2| b\nc\n", " 1| a\n-2| b\n+2| B\n c", "as written", "2| B"},
		{"numbers, and an added line that holds two", "a\nb\nc\n", " 1| a\n-2| b\n+B() {\\n+}\n 3| c", "", ""},
		{"entities", code, " \tif a &lt; b {\n-\t\tg(\"x\\n\")\n+\t\tg(a &lt; b)", "HTML entities", "\t\tg(a < b)"},
		{"entities that the file has as well", code + "// &lt;\n", " \tif a &lt; b {\n-\t\tg(\"x\\n\")\n+\t\tg(a &lt; b)", "", ""},
		{"entities that only one way takes off the added line, and that the file has as well", code + "// &amp;\n", " \tif a &lt; b {\n+\t\tg(&quot;y&quot;)", "", ""},
		{"entities in old lines, the file has some", code + "// &lt;\n", " \tif a &lt; b {\n-\t\tg(\"x\\n\")\n+\t\tg(1)", "HTML entities", "\t\tg(1)"},
		{"escapes", code, " \tif a < b {\n-\t\tg(\\\"x\\\\n\\\")\n+\t\tg(\\\"y\\\")", "escaped characters", "\t\tg(\"y\")"},
		{"newlines", "a\nb\nc\n", ` a\n-b\n+B\n c`, `ends of lines written as \n`, "B"},
		{"newlines and quotes", "a\nb \"b\"\nc\n", ` a\n-b \"b\"\n+B \"\\n\"\n c`, "escaped lines", `B "\n"`},
		{"marks", "a\n  b\nc\n", "a\n-  b\n+  B\nc", "missing marks", "  B"},
		{"marks of indented lines", "  a\nb\n  c\n", "  a\n-b\n+  B\n  c", "missing marks", "  B"},
		{"marks of indented lines around a removed one that stands right", "  a\n  b\n  c\n", "  a\n-  b\n+  B\n  c", "as written", "  B"},
		{"a line that lacks more than its mark", "  a\nb\n  c\n", " a\n-b\n+  B\n  c", "", ""},
		{"one mark", "  a\nb\n  c\n    d\n", "  a\n-b\n+  B\n   c\n     d", "missing marks", "  B"},
		{"one mark where the file has the removed line with its mark", "a\nb\n-b\nc\n", "a\n-b\n+B", "", ""},
		{"a mark that another line of the file has", "a\nb\nc\n+B\n", "a\n-b\n+B\nc", "", ""},
		{"numbers, and another indentation", "  a\n  b\n  c\n", " 1| a\n-2| b\n+2| B\n 3| c", "", ""},
		{"escapes of which nothing says how many", "f(\"a\")\nb\n", " f(\\\"a\\\")\n-b\n+g(\\\"\\\\n\\\")", "", ""},
		{"it would change nothing", "a\nb\nc\n", " 1| a\n-2| b\n+2| b\n 3| c", "", ""},
		{"several places", "a\nb\na\nb\n", " 1| a\n-2| b\n+2| B", "", ""},
		{"applied already", "a\nB\nc\n", " 1| a\n+2| B\n 3| c", "", ""},
		{"several places as it is written", "x\ny\nx\ny\n x\ny\n", " x\n-y\n+Y", "", ""},
		{"one hunk is not decoded", "a\nb\nc\nd\ne\n", " 1| a\n-2| b\n+2| B\n 3| c\n@@\n-z\n+e", "", ""},
	}
	for _, tt := range tests {
		p, err := lenient(t.Context(), envelope("*** Update File: f", "@@", tt.hunk), Memory{"f": tt.file}, Options{})
		switch {
		case tt.what == "":
			if err == nil {
				t.Errorf("%s: is applied, decoded %v, and leaves %q", tt.name, p.Decoded, p.Steps[0].After)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		what := "as written"
		if p.Decoded != nil {
			what = p.Decoded.Name
		}
		n := 1
		if strings.HasPrefix(tt.file, "func") {
			n = 2
		}
		lines := strings.Split(tt.file, "\n")
		lines[n] = tt.want
		if got := p.Steps[0].After; what != tt.what || got != strings.Join(lines, "\n") {
			t.Errorf("%s: decoded %s, leaves %q", tt.name, what, got)
		}
	}
}

// A decoding is proved for the whole patch, and a file that was saved meanwhile stays stale.
func TestDecodeWholePatch(t *testing.T) {
	text := envelope("*** Update File: f", "@@", " 1| a", "-2| b", "+2| B", "*** Update File: g", "@@", "-c", "+C")
	if p, err := lenient(t.Context(), text, Memory{"f": "a\nb\n", "g": "c\n"}, Options{}); err != nil || len(p.Steps) != 2 {
		t.Errorf("%v", err)
	}
	if _, err := lenient(t.Context(), text, Memory{"f": "a\nb\n", "g": "d\n"}, Options{}); err == nil {
		t.Error("one section is applied without the other")
	}
	if _, err := lenient(t.Context(), text, Memory{"f": "a\nb\n", "g": "c\n"}, Options{Expect: map[string]string{"f": strings.Repeat("0", 64)}}); err == nil {
		t.Error("a stale file is changed")
	}
}

// cancelling ends a context when the files are looked at for the nth time.
type cancelling struct {
	Memory
	left   int
	cancel context.CancelFunc
}

func (c *cancelling) Look(ctx context.Context, p string, absolute bool) (File, error) {
	if c.left--; c.left < 0 {
		c.cancel()
	}
	return c.Memory.Look(ctx, p, absolute)
}

// Two decodings do not agree. The first does not count because the context ends before the second is known.
func TestDecodeCancelled(t *testing.T) {
	how := dialect.Options{Lenient: true}
	parsed, err := dialect.Emend.Parse(envelope("*** Update File: f", "@@", ` f(\"a\")`, "-b", `+g(\"\\n\")`), how)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		src := &cancelling{Memory{"f": "f(\"a\")\nb\n"}, n, cancel}
		_, err := Build(ctx, parsed.Patch, dialect.Emend.Rules(how), src, Options{Decodings: parsed.Decodings})
		cancel()
		if err == nil {
			t.Fatalf("cancelled at look %d: it is decoded", n)
		}
		if src.left >= 0 {
			return
		}
	}
}

// FuzzDecode: a patch that is placed as it is written is not decoded, and what is decoded is placed byte for byte and changes
// only lines that its hunks name.
func FuzzDecode(f *testing.F) {
	f.Add("a\nb\nc\n", " 1| a\n-2| b\n+2| B\n")
	f.Add("a < b\nb\n", " a &lt; b\n-b\n+&amp;\n")
	f.Add("a\nb\n", ` a\n-b\n+c`+"\n")
	f.Add("  a\n  b\n   c\n", " a\n-  b\n+  B\n")
	f.Add("a\nb\n", "a\n-b\n+c\n")
	f.Add("a\nb\n", "```\n a\n-b\n```\n")
	f.Add("a\nb\n", "<<<<<<< SEARCH\n1 | a\n=======\n1 | &lt;\n>>>>>>> REPLACE\n")
	f.Fuzz(func(t *testing.T, file, hunk string) {
		decodes(t, dialect.Emend, envelope("*** Update File: f", "@@", strings.TrimSuffix(hunk, "\n")), file)
		decodes(t, dialect.Unified, "--- a/f\n+++ b/f\n@@\n"+hunk, file)
		decodes(t, dialect.SearchReplace, "f\n"+hunk, file)
	})
}

func decodes(t *testing.T, d *dialect.Dialect, text, file string) {
	t.Helper()
	tree := Memory{"f": file}
	p, err := lenientIn(t.Context(), d, text, tree, Options{})
	if parsed, unread := d.Parse(text, dialect.Options{}); unread == nil {
		s, refused := Build(t.Context(), parsed.Patch, d.Rules(dialect.Options{}), tree, Options{})
		if refused == nil && len(parsed.Patch.Sections) == 1 && parsed.Patch.Sections[0].Path == "f" && (err != nil || p.Decoded != nil || after(p, tree) != after(s, tree)) {
			t.Fatalf("%s: %q in %q is placed, and leniently it is %v", d.Name, text, file, err)
		}
	}
	if err != nil || p.Decoded == nil {
		return
	}
	s, err := Build(t.Context(), p.Decoded.Patch, d.Rules(dialect.Options{}), tree, Options{})
	if err != nil || after(s, tree) != after(p, tree) {
		t.Fatalf("%s, decoded %s: strictly it is %v", d.Name, p.Decoded.Name, err)
	}
}

// BenchmarkDecode prints what a byte costs of a patch that nothing decodes, with everything that may be decoded in it.
func BenchmarkDecode(b *testing.B) {
	for _, hostile := range []struct{ name, line string }{
		{"numbers", " %d| &lt;\n"},
		{"entities", " &lt; &quot;line&quot; %d\n"},
		{"escapes", " \\\"line\\\" \\\\ %d\n"},
		{"newlines", ` line\n line %d\n+line` + "\n"},
		{"marks", "line %d\n"},
		{"indented marks", "   line %d\n"},
	} {
		for n := 1 << 14; n <= 1<<18; n *= 2 {
			b.Run(fmt.Sprintf("%s/lines=%d", hostile.name, n), func(b *testing.B) {
				var hunks, file strings.Builder
				for i := range n {
					if i%10 == 0 {
						hunks.WriteString("@@\n")
					}
					fmt.Fprintf(&hunks, hostile.line, i)
					fmt.Fprintf(&file, "line %d\n", i)
				}
				text, tree := envelope("*** Update File: f", strings.TrimSuffix(hunks.String(), "\n")), Memory{"f": file.String()}
				for b.Loop() {
					if _, err := lenient(b.Context(), text, tree, Options{}); err == nil {
						b.Fatal("it was decoded")
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)+file.Len()), "ns/byte")
			})
		}
	}
}
