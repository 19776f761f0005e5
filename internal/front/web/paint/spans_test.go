package paint

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

var allClasses = []Class{"", Keyword, Type, Text, Comment, Number, Function, Attribute, Meta}

// allLanguages returns every language once.
func allLanguages() []*Lang { return slices.SortedFunc(maps.Values(languages()), byFiles) }

func byFiles(a, b *Lang) int { return strings.Compare(a.files, b.files) }

// checkLines fails unless the spans of every line cover it, none is empty, and each has a known class, in every state.
func checkLines(t *testing.T, text string) {
	t.Helper()
	for _, l := range slices.Compact(allLanguages()) {
		at := l.Begin(strings.Lines(text))
		for s := range strings.Lines(text) {
			s = strings.TrimSuffix(s, "\n")
			spans, next := l.Line(s, at)
			from := 0
			for _, p := range spans {
				if p.End <= from || p.End > len(s) || !slices.Contains(allClasses, p.Class) {
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

func TestSpans(t *testing.T) {
	for _, s := range seeds {
		checkLines(t, s)
	}
}

func FuzzSpans(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(checkLines)
}

// TestFiles: no file name has two languages, and unknown names have none.
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

// TestBegin: a hunk may begin inside a comment.
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

// BenchmarkHostile: lines full of openings that nothing closes cost about the same for each byte as others.
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
