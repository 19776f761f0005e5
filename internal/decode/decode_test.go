package decode

import (
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/patch"
)

const update = "*** Begin Patch\n*** Update File: f\n@@\n"

func wrap(hunk string) string { return update + hunk + "*** End Patch\n" }

func TestAll(t *testing.T) {
	tests := []struct {
		name, hunk string
		what       string // the name of the decoding that makes want; none where want is empty
		want       string
	}{
		{"numbers", " 9| a\n-10|   b\n+10|   c\n", "listing numbers", " a\n-  b\n+  c\n"},
		{"numbers, not on added lines", " 9: a\n-10: b\n+c\n", "listing numbers", " a\n-b\n+c\n"},
		{"numbers, some added lines", " 9: a\n-10: b\n+10: c\n+d\n", "", ""},
		{"numbers, added lines have others", " 9: a\n-10: b\n+80| c\n", "", ""},
		{"numbers that do not count up", " 9: a\n-11: b\n+c\n", "", ""},
		{"numbers before marks", "L9:  a\nL10: -b\nL10: +c\nL11: \n", "listing numbers before the marks", " a\n-b\n+c\n \n"},
		{"numbers before marks, cat", "     9\t a\n    10\t-b\n    10\t+c\n", "listing numbers before the marks", " a\n-b\n+c\n"},
		{"entities", " a &lt; b\n-c\n+d &amp;&amp; e\n", "HTML entities", " a < b\n-c\n+d && e\n"},
		{"entities in old lines only", " a &lt; b\n-c\n+d && e\n", "HTML entities", " a < b\n-c\n+d && e\n"},
		{"entities in added lines only", " a\n-c\n+d &amp;&amp; e\n", "", ""},
		{"entities, added lines have both", " a &lt; b\n-c\n+d > \"&lt;\"\n", "", ""},
		{"entities, old lines have both", " a &lt; b\n-c > d\n+d\n", "", ""},
		{"escapes", " f(\\\"a\\\\n\\\")\n-b\n+g(\\\"c\\\\d\\\")\n", "escaped characters", " f(\"a\\n\")\n-b\n+g(\"c\\d\")\n"},
		{"newlines", ` a\n-b\n+c` + "\n", `ends of lines written as \n`, " a\n-b\n+c\n"},
		{"newlines in code", ` f("a\n")\n-b` + "\n", "", ""},
		{"newlines in a string that is added", ` a\n+x = "b\n+c"` + "\n", "", ""},
		{"newlines that were escaped themselves", ` a\n+x = "b\\n"` + "\n", "", ""},
		{"escaped lines", ` a\n+x = \"b\\n\"` + "\n", "escaped lines", " a\n+x = \"b\\n\"\n"},
		{"escaped lines that all end so", ` a\n` + "\n" + `-b\n` + "\n" + `+b \"\\n\"\n` + "\n", "escaped lines", " a\n-b\n+b \"\\n\"\n"},
		{"a blank line, or an end written twice", " a\n" + `+b \"x\"\n` + "\n c\n", "", ""},
		{"missing marks", "a\n-b\n+c\n", MissingMarks, " a\n-b\n+c\n"},
		{"missing marks, indented lines", "   a\n-b\n+c\n", MissingMarks, "    a\n-b\n+c\n"},
		{"no-break spaces", "\u00a0a\n-\u00a0\u00a0b\n+\u00a0\u00a0c d\n", "no-break spaces", " a\n-  b\n+  c d\n"},
		{"no-break spaces as marks, and one within an added line", "\u00a0a\n-b\n+c\u00a0!\n", "", ""},
		{"no-break spaces in the indentation, and one within an added line", " \u00a0a\n-b\n+c\u00a0!\n", "", ""},
		{"no-break spaces within lines", " a\u00a0b\n-b\n+c\u00a0d\n", "no-break spaces", " a b\n-b\n+c d\n"},
		{"no-break spaces in added lines only", " a\n-b\n+\u00a0c\n", "", ""},
		{"nothing", " a\n-b\n+c\n", "", ""},
	}
	for _, tt := range tests {
		var got []string
		for d := range All(wrap(tt.hunk), Envelope) {
			if d.Name == tt.what {
				got = append(got, d.Text)
			} else if tt.what == "" && d.Name != MissingMarks {
				t.Errorf("%s: decoded %s:\n%s", tt.name, d.Name, d.Text)
			}
		}
		if tt.what != "" && !slices.Contains(got, wrap(tt.want)) {
			t.Errorf("%s: got %q, want %q", tt.name, got, wrap(tt.want))
		}
	}
}

// TestFormats: the same is decoded in diffs and in blocks, as far as their lines have marks.
func TestFormats(t *testing.T) {
	diff := func(hunk string) string {
		return "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n" + hunk + "--- a/g\n+++ b/g\n@@\n-z\n"
	}
	block := func(search, replace string) string {
		return "f\n<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
	}
	for _, tt := range []struct {
		format     Format
		text, what string
		want       string // "" if nothing is decoded so
	}{
		{Unified, diff(" a &lt; b\n-c\n+d &amp;&amp; e\n"), "HTML entities", diff(" a < b\n-c\n+d && e\n")},
		{Unified, diff(" a\n-c\n+d &amp;&amp; e\n"), "HTML entities", ""},
		{Unified, diff("a\n-b\n+c\n"), MissingMarks, diff(" a\n-b\n+c\n")},
		{Unified, diff(` f(\"a\")` + "\n-b\n"), "escaped characters", diff(` f("a")` + "\n-b\n")},
		{Unified, "--- a/f\n+++ b/f\n@@\n" + ` a\n-b\n+c` + "\n", `ends of lines written as \n`, "--- a/f\n+++ b/f\n@@\n a\n-b\n+c\n"},
		{Unified, `--- a/f\n+++ b/f\n@@\n-b\n+c` + "\n", `ends of lines written as \n`, "--- a/f\n+++ b/f\n@@\n-b\n+c\n"},
		{Unified, "--- /dev/null\n+++ b/f\n@@\n" + `+a\n+b` + "\n", `ends of lines written as \n`, ""},
		{Blocks, block("9 | a\n10 |   b\n", "9 | a\n10 |   c\n"), "listing numbers", block("a\n  b\n", "a\n  c\n")},
		{Blocks, block("9 | a\n10 | b\n", "a\nc\n"), "listing numbers", block("a\nb\n", "a\nc\n")},
		{Blocks, block("9 | a\n10 | b\n", "9 | a\nc\n"), "listing numbers", ""},
		{Blocks, block("9 | a\n12 | b\n", "c\n"), "listing numbers", ""},
		{Blocks, block(":start_line:9\n-------\n9 | a\n", "b\n"), "listing numbers", block(":start_line:9\n-------\na\n", "b\n")},
		{Blocks, "f\n&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\na &lt; b\n=======\nb &gt; a\n&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE\n", "HTML entities", block("a < b\n", "b > a\n")},
		{Blocks, block("a\n", "&lt;\n"), "HTML entities", ""},
		{Blocks, block("a &lt; b\n", "c\n") + block("", "&lt;\n"), "HTML entities", ""}, // an added file may mean it
		{Blocks, block("a\n", "b\n"), MissingMarks, ""},
		{Blocks, block(`a\nb`+"\n", `a\nc`+"\n"), `ends of lines written as \n`, ""},
	} {
		var got []string
		for d := range All(tt.text, tt.format) {
			if d.Name == tt.what {
				got = append(got, d.Text)
			}
		}
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%q is decoded (%s) to %q, want %q", tt.text, tt.what, got, tt.want)
		}
	}
}

func TestFence(t *testing.T) {
	want := wrap("-a\n+b\n")
	for _, text := range []string{
		"*** Begin Patch\n```diff\n*** Update File: f\n@@\n-a\n+b\n```\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n~~~\n@@\n-a\n+b\n~~~\n*** End Patch\n",
	} {
		found := false
		for d := range All(text, Envelope) {
			found = found || d.Text == want
		}
		if !found {
			t.Errorf("the fence of %q stays", text)
		}
	}
	for d := range All("*** Begin Patch\n*** Update File: f\n@@\n-a\n```\n+b\n```\n*** End Patch\n", Envelope) {
		if d.Name != MissingMarks {
			t.Errorf("a fence within a hunk was taken off: %q", d.Text)
		}
	}
}

// What a file has that is added proves nothing.
func TestAddedFiles(t *testing.T) {
	for _, hunk := range []string{" 1| a\n-2| b\n", " a &lt; b\n", ` a\n-b` + "\n", ` f(\"\")` + "\n"} {
		text := "*** Begin Patch\n*** Add File: g\n+1| a &lt; b\n+f(\\\"\\\")\n*** Update File: f\n@@\n" + hunk + "*** End Patch\n"
		for d := range All(text, Envelope) {
			if d.Name != MissingMarks {
				t.Errorf("%q is decoded beside an added file that may have the same: %s", hunk, d.Name)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	lines := []patch.Line{" 7→a", "-8→b", "+c"}
	if got, ok := Numbers(lines); !ok || !slices.Equal(got, []patch.Line{" a", "-b", "+c"}) {
		t.Errorf("%q, %t", got, ok)
	}
	held := []patch.Line{" 1| a", `+2| b\n3| c`, " 2| d"}
	if got, ok := Numbers(held); ok {
		t.Errorf("a line that holds another one with its number: %q", got)
	}
}

func TestRunTogether(t *testing.T) {
	for _, line := range []string{
		`	x();\n	y();`, `x();\n+y();`, `b = 2\n+c = 3`, `import "a";\nimport "b";`, `it's done;\n  y();`, ` */\n/** next */`, ` * one\n * two`, `/**\n * one`, `# one\n# two`, `x = "y"\n`, `x();\n`, `\n  y();`,
		`* It ends here.\n`, `x()\n    `, `[a("b")]\n[c("d")]`, `#ifdef A\n#include <a.h>`,
	} {
		if !RunTogether(line) {
			t.Errorf("%s is one line", line)
		}
	}
	for _, line := range []string{
		`x("\n  y")`, `split(/\n+/g)`, `[^;,\n+*]`, "`${x};\\n`", `\newcommand{a}`, `a;\\n  b`, `'don\'t;\n  x'`, `one\n`, `splits at \n and \r`,
	} {
		if RunTogether(line) {
			t.Errorf("%s is two lines", line)
		}
	}
}

// FuzzAll holds decodings to what bounds their cost: they are few, differ, and are hardly longer than the text.
func FuzzAll(f *testing.F) {
	for _, hunk := range []string{" 9| a\n-10| b\n+c\n", "9: a\n", " &lt;\n+&amp;\n", ` a\n-b` + "\n", "a\n", "```\n a\n```\n", ` \"\\` + "\n"} {
		f.Add(wrap(hunk))
	}
	f.Add("--- a/f\n+++ b/f\n@@ -1 +1 @@\n 1| a\n-2| &lt;\n+\\\"\n-- \n2.39\n")
	f.Add("f\n<<<<<<< SEARCH\n:start_line:1\n-------\n1 | a\n=======\n1 | &lt;\n>>>>>>> REPLACE\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []Format{Envelope, Unified, Blocks} {
			checkAll(t, text, format)
		}
	})
}

func checkAll(t *testing.T, text string, format Format) {
	t.Helper()
	seen := map[string]bool{text: true}
	for d := range All(text, format) {
		if seen[d.Text] {
			t.Errorf("%s makes a text again: %q", d.Name, d.Text)
		}
		seen[d.Text] = true
		if n := strings.Count(text, "\n") + 1; len(d.Text) > len(text)+n {
			t.Errorf("%s makes %d bytes of %d", d.Name, len(d.Text), len(text))
		}
	}
	if most := 2*len(separators) + len(codes) + 5; len(seen) > most+1 {
		t.Errorf("%d decodings", len(seen))
	}
}
