package paint

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

var classes = []Class{"", Keyword, Type, Text, Comment, Number, Function, Attribute, Meta}

// all is every language once.
func all() []*Lang { return slices.SortedFunc(maps.Values(languages()), byFiles) }

func byFiles(a, b *Lang) int { return strings.Compare(a.files, b.files) }

// law: the spans of a line are the line, each of a known class and none empty, whatever was open.
func law(t *testing.T, text string) {
	t.Helper()
	for _, l := range slices.Compact(all()) {
		at := l.Begin(strings.Lines(text))
		for s := range strings.Lines(text) {
			s = strings.TrimSuffix(s, "\n")
			spans, next := l.Line(s, at)
			from := 0
			for _, p := range spans {
				if p.End <= from || p.End > len(s) || !slices.Contains(classes, p.Class) {
					t.Fatalf("%s: %q has the span %v after byte %d", l.files, s, p, from)
				}
				from = p.End
			}
			if from != len(s) {
				t.Fatalf("%s: the spans of %q end at byte %d", l.files, s, from)
			}
			if int(next.open) > max(len(l.quotes), inSingleQuotes) {
				t.Fatalf("%s: %q leaves %v open", l.files, s, next)
			}
			at = next
		}
	}
}

var seeds = []string{"", "\n", "/*\n*/ x /* y */", "\"\"\"\n'''\n`\n", "r#\"\n\"#", "'\\", "'\\''", "'a'", "'a", "/[/]/g", "= /a", "\\", "${", "$", "@", ":", "a:b", "-", "- - a: b", "[a", "=",
	"<a b='\n>'/>", "<!--", "<", "</", "```\n", "`", "#", "\xff\x00\u202e", "0x", "1e+", "1.", "..", "=begin", "é'é'", "--[[\n]]", strings.Repeat("/*", 300) + "\n" + strings.Repeat("*/", 300)}

func TestLaw(t *testing.T) {
	for _, s := range seeds {
		law(t, s)
	}
}

func FuzzLaw(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(law)
}

// TestFiles: no name means two languages, and what is in no table has none.
func TestFiles(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range table() {
		for name := range strings.FieldsSeq(l.files) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("%q is twice in the table, or not in lower case", name)
			}
			seen[name] = true
		}
	}
	for name, want := range map[string]bool{"a/b.GO": true, "Dockerfile.dev": true, "GNUmakefile": true, "x": false, "": false, ".": false, "a.": false, "a.unknown": false, ".go": true} {
		if (For(name) != nil) != want {
			t.Errorf("For(%q) is %v", name, For(name))
		}
	}
}

// TestBegin: a hunk may begin in a comment.
func TestBegin(t *testing.T) {
	for text, want := range map[string]bool{
		" * a\n */\nb": true, "a */": true, "/* a\n*/": false, "x = \"**/*.go\"": false, "// a */": false, "a\nb": false, "": false,
		strings.Repeat("a\n", maxBegin) + "*/": false,
	} {
		if got := For("a.go").Begin(strings.Lines(text)) != (State{}); got != want {
			t.Errorf("%q begins in a comment: %t", text, got)
		}
	}
}

// BenchmarkHostile: lines that open what they do not close, one after the other, take no longer than others for each byte.
func BenchmarkHostile(b *testing.B) {
	for _, unit := range []string{"x := f(1)", "'", "/", "= /a", "<", "`", "$a", "\\", "a: ", "\"", "/*", "[", "( "} {
		b.Run(unit, func(b *testing.B) {
			line := strings.Repeat(unit, 1<<16/len(unit))
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				for _, name := range []string{"a.go", "a.js", "a.rs", "a.html", "a.md", "a.yml"} {
					For(name).Line(line, State{})
				}
			}
		})
	}
}
