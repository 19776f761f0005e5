package diff

import (
	"fmt"
	"strings"
	"testing"
)

// drawn returns a cell as text.
func (c *Cell) drawn() string {
	if c.Kind == None {
		return "~"
	}
	var b strings.Builder
	if c.Number > 0 {
		fmt.Fprint(&b, c.Number)
	}
	b.WriteString(c.Sign() + " ")
	for _, r := range c.Runs {
		text := map[bool]string{true: "[%s]", false: "%s"}[r.Marked]
		var inner strings.Builder
		for _, p := range r.Parts {
			if p.Class == Blank || p.Class == Escaped {
				fmt.Fprintf(&inner, "%s‹%s›", p.Class, p.Text)
			} else {
				inner.WriteString(p.Text)
			}
		}
		fmt.Fprintf(&b, text, inner.String())
	}
	if c.Omitted > 0 {
		fmt.Fprintf(&b, "…%d", c.Omitted)
	}
	if c.NoNewline {
		b.WriteString("¬")
	}
	return b.String()
}

// drawn returns rows as text: numbers, sign, and the line with marks in [ ] and classes as class‹ ›.
func drawn(rows []Row) string {
	var b strings.Builder
	for i := range rows {
		r := &rows[i]
		switch {
		case r.FullWidth():
			b.WriteString(r.Class() + ": " + r.Text + "\n")
		case r.Right.Kind == None && r.Left.Kind != None && r.New+r.Old > 0 && r.Left.Kind == Same:
			fmt.Fprintf(&b, "%s\n", r.Left.drawn())
		default:
			fmt.Fprintf(&b, "%s | %s\n", r.Left.drawn(), r.Right.drawn())
		}
	}
	return b.String()
}

func hunk(olds, news int, body string) string {
	return fmt.Sprintf("--- a/x\n+++ b/x\n@@ -7,%d +7,%d @@\n%s", olds, news, body)
}

// TestSplitView: lines that resemble each other share a row and have their differences marked. The others keep their order.
func TestSplitView(t *testing.T) {
	for name, tc := range map[string]struct{ diff, want string }{
		"one for one": {hunk(2, 2, " same\n-x := 1\n+x := 2\n"), "7 same | 7 same\n8− x := [1] | 8+ x := [2]\n"},
		"a word":      {hunk(1, 1, "-the old name\n+the new name\n"), "7− the [old] name | 7+ the [new] name\n"},
		"a part of a word": {hunk(1, 1, "-readFile(a)\n+readFiles(a)\n"),
			"7− readFile(a) | 7+ readFile[s](a)\n"},
		"two words with a blank between": {hunk(1, 1, "-return the old name, always\n+return a new name, always\n"), "7− return [the old] name, always | 7+ return [a new] name, always\n"},
		"another line":                   {hunk(1, 1, "-alpha beta\n+gamma(1, 2)\n"), "7− alpha beta | 7+ gamma(1, 2)\n"},
		"one before":                     {hunk(1, 3, "-call(first, second)\n+// why\n+// and how\n+call(first, third)\n"), "~ | 7+ // why\n~ | 8+ // and how\n7− call(first, [second]) | 9+ call(first, [third])\n"},
		"one less": {hunk(3, 1, "-a := one()\n-b := two()\n-c := three()\n+b := two(1)\n"),
			"7− a := one() | ~\n8− b := two() | 7+ b := two([1])\n9− c := three() | ~\n"},
		"swapped":      {hunk(2, 2, "-alpha(1)\n-beta(2)\n+beta(2)\n+alpha(1)\n"), "~ | 7+ beta(2)\n7− alpha(1) | 8+ alpha(1)\n8− beta(2) | ~\n"},
		"grown":        {hunk(1, 1, "-const (\n+const ( // what it is for, at length\n"), "7− const ( | 7+ const ([ // what it is for, at length]\n"},
		"grown longer": {hunk(1, 1, "-package web\n+package web // what it is for, at length\n"), "7− package web | 7+ package web[ // what it is for, at length]\n"},
		"deeper":       {hunk(1, 1, "-\tcall(a)\n+\t\tcall(a)\n"), "7− \tcall(a) | 7+ \t[ws‹\t›]call(a)\n"},
		"blank at the end": {hunk(1, 1, "-call(a)\n+call(a) \t\n"),
			"7− call(a) | 7+ call(a)[ws‹ \t›]\n"},
		"added only":   {hunk(0, 2, "+a\n+b\n"), "~ | 7+ a\n~ | 8+ b\n"},
		"no last line": {hunk(1, 1, "-a()\n\\ No newline at end of file\n+a()\n"), "7− a()¬ | 7+ a()\n"},
		"control": {hunk(1, 1, "-if admin {\n+if admin\u202e {\x1b\n"),
			"7− if admin { | 7+ if admin[e‹\\u202e›] {[e‹\\x1b›]\n"},
		"one CR of two": {hunk(1, 2, "-a b c\n+a b c\r\n+d\n"), "7− a b c | 7+ a b c[ws‹›e‹\\r›]\n~ | 8+ d\n"},
		"CRs":           {hunk(2, 2, " a\r\n-b c d\r\n+b c e\r\n"), "7 a | 7 a\n8− b c [d] | 8+ b c [e]\n"},
	} {
		f := Parse(tc.diff)
		got := strings.TrimPrefix(drawn(f.Rows(0, 99, true)), "hunk: "+strings.Split(tc.diff, "\n")[2]+"\n")
		if want := strings.ReplaceAll(tc.want, "ws‹›", ""); got != want {
			t.Errorf("%s:\n%s\nis\n%s\nwant\n%s", name, tc.diff, got, want)
		}
	}
}

// TestUnifiedView: the same marks, one line after the other.
func TestUnifiedView(t *testing.T) {
	f := Parse(git)
	want := `hunk: @@ -1,4 +1,4 @@ func a
1 package a
2− | ~
3− -- no header | ~
2+ ++ neither | ~
3+ 	x := "one"ws‹  › | ~
4 y
hunk: @@ -9,1 +9,1 @@
9− last¬ | ~
9+ last | ~
`
	if got := drawn(f.Rows(0, 99, false)); got != strings.ReplaceAll(want, "2− |", "2−  |") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if f.From != "a.go" || f.To != "a.go" || f.Op != Changed || f.Added != 3 || f.Removed != 3 {
		t.Errorf("%+v", f)
	}
}

// TestHeaders: what headers say of a file.
func TestHeaders(t *testing.T) {
	for text, want := range map[string]File{
		"diff --git a/a b b/a b\nnew file mode 100644\n--- /dev/null\n+++ b/a b\t\n@@ -0,0 +1,1 @@\n+x\n": {From: "a b", To: "a b", Op: Added, Added: 1},
		"diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n":     {From: "l", To: "l", Op: Deleted, Link: true, Removed: 1},
		"diff --git \"a/\\303\\244\\t\" b/c\nrename from \"\\303\\244\\t\"\nrename to c\n":                {From: "ä\t", To: "c", Op: Moved},
		"diff --git a/x b/x\nBinary files a/x and b/x differ\n":                                           {From: "x", To: "x", Op: Changed, Binary: true},
		"diff --git a/old b/new b/new\n":                                                                  {From: "old b/new", To: "new", Op: Changed},
		"diff --git \"a/q\\\"\\\\\" \"b/q\\\"\\\\\"\n":                                                    {From: `q"\`, To: `q"\`, Op: Changed},
		"*** Begin Patch\n*** Add File: n\n+a\n*** End Patch\n":                                           {To: "n", Op: Added, Added: 1},
		"*** Update File: o\n*** Move to: n\n@@ x\n-a\n+b\n":                                              {From: "o", To: "n", Op: Moved, Added: 1, Removed: 1},
		"*** Delete File: o\n": {From: "o", Op: Deleted},
		"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \nnot of it\n":       {From: "x", To: "x", Op: Changed, Added: 1, Removed: 2},
		"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n":     {From: "x", To: "x", Op: Changed, Added: 1, Removed: 1},
		"# what is at b is replaced\ndiff --git a/a b/b\nrename from a": {From: "a", To: "b", Op: Moved},
		"no diff at all": {Op: Changed},
	} {
		f := Parse(text)
		got := File{From: f.From, To: f.To, Op: f.Op, Link: f.Link, Binary: f.Binary, Added: f.Added, Removed: f.Removed}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q\nis   %+v\nwant %+v", text, got, want)
		}
	}
}

// TestParseAll: a question has diffs of several files, with notes before them.
func TestParseAll(t *testing.T) {
	files := ParseAll("# a is made executable\n" + git + "diff --git a/m b/n\nrename from m\nrename to n\n# what comes to stand there:\n" +
		"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+# no note\n# what comes to stand there is not shown: it has 9 bytes\n" +
		"*** Begin Patch\n*** Update File: x\n-a\n+b\n*** Delete File: y\n*** End Patch\n")
	var got []string
	for _, f := range files {
		got = append(got, fmt.Sprintf("%s %s +%d -%d %d", f.Op, f.Path(), f.Added, f.Removed, f.Len(false)))
	}
	want := []string{"changed a.go +3 -3 11", "moved n +0 -0 0", "added n +1 -0 4", "changed x +1 -1 2", "deleted y +0 -0 1"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestMaxLines: a very long text is read in part, and the last row says so.
func TestMaxLines(t *testing.T) {
	text := strings.Repeat("x\n", MaxLines+7)
	for name, f := range map[string]*File{"a diff": Parse(text), "a file": FromText("a", text)} {
		last := f.Rows(MaxLines, 9, false)
		if f.Len(false) != MaxLines+1 || len(last) != 1 || last[0].Text != "… 7 more lines are not shown" {
			t.Errorf("%s: %d rows, the last of them %+v", name, f.Len(false), last)
		}
	}
}

// TestLongLines: long lines are cut, with a count of the missing characters, and not marked.
func TestLongLines(t *testing.T) {
	a, b := strings.Repeat("ä", 1200), strings.Repeat("ä", 1201)
	rows := Parse(hunk(1, 1, "-"+a+"\n+"+b+"\n")).Rows(1, 1, true)
	l, r := rows[0].Left, rows[0].Right
	if l.Omitted != 200 || r.Omitted != 201 || len(l.Runs) != 1 || l.Runs[0].Marked || l.Runs[0].Parts[0].Text != strings.Repeat("ä", 1000) {
		t.Errorf("cut %d and %d, %d runs", l.Omitted, r.Omitted, len(l.Runs))
	}
	if row := Parse("@@ "+b).Rows(0, 1, false)[0]; len(row.Text) > MaxLineBytes+10 || !strings.HasSuffix(row.Text, " …") {
		t.Errorf("a note of %d bytes", len(row.Text))
	}
}
