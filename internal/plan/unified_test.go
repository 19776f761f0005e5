package plan

import (
	"crypto/sha1"
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// diffOf writes the hunks of a diff of f.
func diffOf(lines ...string) string { return "--- a/f\n+++ b/f\n" + strings.Join(lines, "\n") + "\n" }

func blobOf(data string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data)))[:7]
}

func TestUnified(t *testing.T) {
	const twice = "x\n1\ny\nx\n2\ny\n"
	index := func(data, diff string) string {
		return "diff --git a/f b/f\nindex " + blobOf(data) + "..1234567 100644\n" + diff
	}
	for _, tt := range []struct{ name, file, diff, want string }{
		{"a number decides", twice, diffOf("@@ -4 +4 @@", "-x", "+X"), "x\n1\ny\nX\n2\ny\n"},
		{"all numbers do", twice, diffOf("@@ -1 +1 @@", "-x", "+X", "@@ -6 +6 @@", "-y", "+Y"), "X\n1\ny\nx\n2\nY\n"},
		{"a wrong one takes the others with it", twice, diffOf("@@ -1 +1 @@", "-x", "+X", "@@ -5 +5 @@", "-y", "+Y"), "!multiple_matches"},
		{"between hunks that have moved equally far", "0\n0\na\nx\n1\nb\nx\n2\nc\n", diffOf("@@ -1 +1 @@", "-a", "+A", "@@ -5 +5 @@", "-x", "+X", "@@ -7 +7 @@", "-c", "+C"), "!multiple_matches"},
		{"between which an entry went and another one came", "top\nb\n\tport\nc\n\tport\nd\n\tport\nend\nnew\nlast\n",
			diffOf("@@ -1 +1 @@", "-top", "+TOP", "@@ -5 +5 @@", "-\tport", "+\tPORT", "@@ -8 +8,2 @@", "-end", "+END", "+", "@@ -9 +10 @@", "-last", "+LAST"), "!multiple_matches"},
		{"and where one has not", "0\n0\na\nx\n1\nb\nx\n2\nc\n", diffOf("@@ -1 +1 @@", "-a", "+A", "@@ -5 +5 @@", "-x", "+X", "@@ -8 +8 @@", "-c", "+C"), "!multiple_matches"},
		{"at its number, above one that has moved", "a\nx\n1\nx\n2\nnew\ny\n", diffOf("@@ -1 +1 @@", "-a", "+A", "@@ -4 +4 @@", "-x", "+X", "@@ -6 +6 @@", "-y", "+Y"), "!multiple_matches"},
		{"below the last that has moved", "new\na\nx\n1\nx\n", diffOf("@@ -1 +1 @@", "-a", "+A", "@@ -4 +4 @@", "-x", "+X"), "!multiple_matches"},
		{"moved, and git names another content", "0\n0\na\nx\n1\nb\nx\n2\nc\n", index("", diffOf("@@ -1 +1 @@", "-a", "+A", "@@ -5 +5 @@", "-x", "+X", "@@ -7 +7 @@", "-c", "+C")), "!multiple_matches"},
		{"the content that git names", twice, index(twice, diffOf("@@ -4 +4 @@", "-x", "+X")), "x\n1\ny\nX\n2\ny\n"},
		{"another content", twice, index("", diffOf("@@ -4 +4 @@", "-x", "+X")), "!multiple_matches"},
		{"another content, and one place", twice, index("", diffOf("@@ -4,2 +4,2 @@", "-1", "+X", " y")), "x\nX\ny\nx\n2\ny\n"},
		{"lines without context, of the content that git names", "a\nb\nc\n", index("a\nb\nc\n", diffOf("@@ -1,0 +2 @@", "+x", "@@ -2,0 +4,2 @@", "+y", "+z")), "a\nx\nb\ny\nz\nc\n"},
		{"above a hunk that stands at its number", "a\nb\nc\n", diffOf("@@ -1,0 +2 @@", "+x", "@@ -3 +4 @@", "-c", "+C"), "a\nx\nb\nC\n"},
		{"below it, the file may have changed", "a\nb\nc\n", diffOf("@@ -1 +1 @@", "-a", "+A", "@@ -2,0 +3 @@", "+x"), "!multiple_matches"},
		{"nothing shows what is above", "new\na\nb\n", diffOf("@@ -1,0 +2 @@", "+x"), "!multiple_matches"},
		{"at the top, of the content that git names", "a\n", index("a\n", diffOf("@@ -0,0 +1 @@", "+x")), "x\na\n"},
		{"what may be a new file, where there is one", "a\n", diffOf("@@ -0,0 +1 @@", "+x"), "!multiple_matches"},
		{"a heading of git is not the line above", "f {\n\ta\n\tb\n}\n", diffOf("@@ -2,0 +3 @@ f {", "+\tc"), "!multiple_matches"},
		{"nor with numbers that are not right", "f {\n\ta\n\tb\n}\n", diffOf("@@ -9,0 +3 @@ f {", "+\tc"), "!multiple_matches"},
		{"a text without numbers is", "f {\n\ta\n}\n", diffOf("@@ f {", "+\tc"), "f {\n\tc\n\ta\n}\n"},
		{"into an empty file", "", diffOf("@@ -0,0 +1 @@", "+x"), "x\n"},
		{"at the end", "a\n", diffOf("@@ -1,0 +2 @@", "+x"), "a\nx\n"},
		{"below the end", "a\n", diffOf("@@ -2,0 +3 @@", "+x"), "!multiple_matches"},
		{"beside a copy", "a\nx\nb\n", diffOf("@@ -1,0 +2 @@", "+x", "@@ -3 +4 @@", "-b", "+B"), "!patch_apply_error"},
		{"beside a copy, of the content that git names", "a\nx\nb\n", index("a\nx\nb\n", diffOf("@@ -1,0 +2 @@", "+x")), "a\nx\nx\nb\n"},
		{"beside a copy, with context below", "a\nx\nb\n", diffOf("@@ -1,2 +1,3 @@", " a", "+x", " x"), "a\nx\nx\nb\n"},
		{"applied, and its context is at its number as well", "a\n}\nb\n}\n", diffOf("@@ -1,2 +1,4 @@", " a", "+}", "+b", " }"), "!patch_apply_error"},
		{"the same, of the content that git names", "a\n}\nb\n}\n", index("a\n}\nb\n}\n", diffOf("@@ -1,2 +1,4 @@", " a", "+}", "+b", " }")), "a\n}\nb\n}\nb\n}\n"},
		{"two hunks at one place", "a\nb\n", diffOf("@@ -1 +1 @@", "-a", "+A", "@@ -1,0 +2 @@", "+x", "@@ -2 +3 @@", "-b", "+B"), "A\nx\nB\n"},
		{"no newline at the end", "a\nb", diffOf("@@ -2 +2,2 @@", "-b", "\\ No newline at end of file", "+b", "+c"), "a\nb\nc\n"},
		{"nor afterwards", "a\nb\n", diffOf("@@ -2 +2 @@", "-b", "+b", "\\ No newline at end of file"), "a\nb"},
		{"a marker that is not true", "x\n1\nx\n", diffOf("@@ -1 +1 @@", "-x", "\\ No newline at end of file", "+y"), "!patch_apply_error"},

		{"line ends are bytes", "a\r\nb\nc\r\n", diffOf("@@ -1,3 +1,4 @@", " a\r", "-b", "+b\r", "+B", "-c\r", "+c"), "a\r\nb\r\nB\nc\n"},
		{"they tell places apart", "x\r\nx\n", diffOf("@@ -9 +9 @@", "-x", "+y"), "x\r\ny\n"},
		{"and are kept where the diff has none", "a\r\nb\r\n", diffOf("@@ -1,2 +1,3 @@", " a", "-b", "+B", "+C"), "a\r\nB\r\nC\r\n"},
		{"lines without context in CRLF", "a\r\nb\r\n", diffOf("@@ -1,0 +2 @@", "+x", "@@ -2 +3 @@", "-b", "+B"), "a\r\nx\r\nB\r\n"},
		{"a lone CR ends no line", "a\rb\nc\n", diffOf("@@ -2 +2 @@", "-c", "+C"), "a\rb\nC\n"},
		{"a mark is a byte", "\uFEFFa\nb\n", diffOf("@@ -1,2 +1,2 @@", "-\uFEFFa", "+a", " b"), "a\nb\n"},
		{"and is kept where the diff has none", "\uFEFFa\nb\n", diffOf("@@ -1,2 +1,2 @@", "-a", "+A", " b"), "\uFEFFA\nb\n"},

		{"nothing to change", "a\n", diffOf("@@ -1 +1 @@", "-a", "+a"), "!patch_apply_error"},
		{"a file goes with its lines", "a\nb\n", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", ""},
		{"and not with others", "a\nb\nc\n", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", "!patch_apply_error"},
		{"line ends apart", "a\r\nb\r\n", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", ""},
		{"the newline at its end counts", "a\nb", "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", "!patch_apply_error"},
	} {
		p, err := build(t, "unified", tt.diff, Memory{"f": tt.file}, Options{})
		if kind, refused := strings.CutPrefix(tt.want, "!"); refused {
			if err == nil || string(fail.All(err)[0].Kind) != kind {
				t.Errorf("%s: %v, want %s", tt.name, err, kind)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := p.Steps[0].After; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A copy has the content from before the patch, even if another section changes its source first.
func TestCopy(t *testing.T) {
	tree := Memory{"a": "1\n2\n", "taken": ""}
	change := "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n"
	copied := "diff --git a/a b/b\ncopy from a\ncopy to b\n"
	p, err := build(t, "unified", change+copied+"--- a/a\n+++ b/b\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n", tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Steps[1]; s.Op != patch.Add || s.Path != "b" || s.After != "1\ntwo\n" || s.Before != "" || s.BeforeSum != "" || len(s.Hunks) != 1 {
		t.Errorf("%+v", s)
	}
	p, err = build(t, "unified", "diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n"+strings.ReplaceAll(copied, "from a", "from new"), tree, Options{})
	if err != nil || p.Steps[1].After != "n\n" || !p.Steps[1].Exec {
		t.Errorf("a copy of a file that the patch makes: %+v, %v", p, err)
	}
	if _, err := build(t, "unified", copied, tree, Options{Expect: map[string]string{"a": "0"}}); err == nil || fail.All(err)[0].Kind != fail.Stale {
		t.Errorf("a copy of another content: %v", err)
	}
	if _, err := build(t, "unified", strings.ReplaceAll(copied, "to b", "to taken"), tree, Options{}); err == nil || string(fail.All(err)[0].Kind) != "already_exists" {
		t.Errorf("a copy onto a file: %v", err)
	}
	if _, err := build(t, "unified", strings.ReplaceAll(copied, "from a", "from x"), tree, Options{}); err == nil || string(fail.All(err)[0].Kind) != "not_found" {
		t.Errorf("a copy of nothing: %v", err)
	}
}

// The order of blocks decides nothing, as that of hunks does.
func TestBlocksInAnyOrder(t *testing.T) {
	block := func(search, replace string) string {
		return "<<<<<<< SEARCH\n" + search + "\n=======\n" + replace + "\n>>>>>>> REPLACE\n"
	}
	text := "f\n" + block("p", "P") + block("x", "X") + block("r", "R")
	_, err := build(t, "search-replace", text, Memory{"f": "p\nx\nq\nr\nx\n"}, Options{})
	if err == nil || fail.All(err)[0].Kind != fail.MultipleMatches || len(fail.All(err)[0].Places) != 2 {
		t.Errorf("%v", err)
	}
	p, err := build(t, "search-replace", "f\n"+block("r", "R")+block("p", "P"), Memory{"f": "p\nx\nq\nr\nx\n"}, Options{})
	if err != nil || p.Steps[0].After != "P\nx\nq\nR\nx\n" {
		t.Errorf("%+v, %v", p, err)
	}
}
