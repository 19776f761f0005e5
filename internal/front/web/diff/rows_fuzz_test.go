package diff

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/report"
)

// text returns a cell as the diff has it.
func (c *Cell) text(crlf bool) string {
	var b strings.Builder
	for _, r := range c.Runs {
		for _, p := range r.Parts {
			b.WriteString(p.Text)
		}
	}
	if crlf {
		b.WriteString(`\r`)
	}
	return b.String()
}

// checkRows fails unless the header lines and the rows of each view are the lines of the text, with escapes for what cannot
// be shown.
func checkRows(t *testing.T, text string) {
	t.Helper()
	whole := ParseAll(text)
	for _, files := range [][]*File{{Parse(text)}, whole} {
		heads, rows, split := map[int]bool{}, []string{}, map[string]int{}
		for _, f := range files {
			for _, h := range f.headerLines {
				heads[h] = true
			}
			all := f.Rows(0, f.Len(false), false)
			if len(all) != f.Len(false) {
				return // too long for a page
			}
			for i := range all {
				rows = append(rows, all[i].raw(t, f, &f.lines[i])...)
			}
			for _, r := range f.Rows(0, f.Len(true), true) {
				for _, c := range []Cell{r.Left, r.Right} {
					if c.Kind != None {
						split[signed(&c, f)]++
					}
				}
			}
		}
		n := 0
		for s := range strings.Lines(text) {
			s = strings.TrimSuffix(s, "\n")
			if n++; heads[n] {
				continue
			}
			want := noteText(s)
			if len(rows) == 0 || rows[0] != want && rows[0] != report.OneLine(s) {
				t.Fatalf("the line %q of %q is not the next row: %q", s, text, rows)
			}
			rows = rows[1:]
		}
		if len(rows) > 0 {
			t.Fatalf("rows that are no lines of %q: %q", text, rows)
		}
		for _, f := range files {
			for i := range f.lines {
				l := &f.lines[i]
				if l.kind > Del {
					continue
				}
				c := Cell{Kind: l.kind}
				c.fill(f.text(i), nil, nil)
				n := 1
				if l.kind == Same {
					n = 2
				}
				if split[signed(&c, f)] < n {
					t.Fatalf("the line %q is not in the rows side by side of %q", l.text, text)
				}
				split[signed(&c, f)] -= n
			}
		}
		for s, n := range split {
			if n > 0 {
				t.Fatalf("%q is side by side, and not in %q", s, text)
			}
		}
	}
}

func signed(c *Cell, f *File) string { return c.Sign() + " " + c.text(f.CRLF) }

// raw returns a row as lines of the diff.
func (r *Row) raw(t *testing.T, f *File, l *line) []string {
	if r.FullWidth() {
		return []string{r.Text}
	}
	sign := map[string]string{"+": "+", "−": "-", "": " "}[r.Left.Sign()]
	if l.unsigned {
		sign = ""
	}
	s := sign + r.Left.text(f.CRLF)
	if r.Left.Omitted > 0 {
		if !strings.HasPrefix(report.OneLine(sign+l.text), r.Left.text(false)) && !strings.HasPrefix(report.OneLine(sign+l.text), sign+r.Left.text(false)) {
			t.Fatalf("%q is not the beginning of %q", r.Left.text(false), l.text)
		}
		s = report.OneLine(sign + l.text)
	}
	out := []string{s}
	if r.Left.NoNewline {
		out = append(out, `\ No newline at end of file`)
	}
	return out
}

const git = `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1,4 +1,4 @@ func a
 package a
-
--- no header
+++ neither
+	x := "one"  
 y
@@ -9,1 +9,1 @@
-last
\ No newline at end of file
+last
`

var seeds = []string{
	"", "\n", "x", git, git + "more\n", git + git,
	"# b is deleted permanently: it does not go to the trash\n" + git + "# what comes to stand there:\n" + git + "# what comes to stand there is not shown: x\n" + git + "\n… 3 of 9 bytes are not shown",
	"*** Begin Patch\n*** Update File: a.go\n@@ func x\n-a\n+b\n\n c\n*** End of File\n*** Add File: b\n+--- x\n+++ y\n*** Delete File: c\n*** Update File: d\n*** Move to: e\n-a\n+b\n*** End Patch\n",
	"diff --git \"a/\\303\\244\\t\" b/b c\nrename from \"\\303\\244\\t\"\nrename to b c\n",
	"diff --git a/x b/x\ndeleted file mode 120000\nBinary files a/x and /dev/null differ\n",
	"--- a\n+++ b\n@@ -1 +1 @@\n-a\r\n+b\r\n", "--- a\n+++ b\n@@ -1,2 +1 @@\n-a\r\n+b\n-\x00\u202e \t\r\n",
	"@@ -1,9 +1,9 @@\n-a\n", "@@ -0,0 +1 @@\n-a\n+b\n+c\n-d\n", "@@ -99999999999,1 +1,1 @@\n+a", "--- a\n--- b\n+++ c\n", "+++ c\n--- \n\\ No newline at end of file\n",
	"@@ -1 +1 @@\n+" + strings.Repeat("ä", 1500) + "\n\\ No newline at end of file\n",
}

func TestRowsAreTheText(t *testing.T) {
	for _, s := range seeds {
		checkRows(t, s)
	}
}

func FuzzRows(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(checkRows)
}
