package damage

import (
	"slices"
	"strings"
	"testing"
)

const shop = `package shop

func price(item string) int {
	if item == "" {
		return 0
	}
	return cost[item] * 2
}

func stock(item string) int {
	if item == "" {
		return 0
	}
	return shelf[item] + cellar[item]
}

func label(item string) string {
	name := names[item] + "\t" + units[item]
	return strings.TrimSpace(name)
}
`

// shopChange returns a change of two lines of stock.
func shopChange(t *testing.T) *Change {
	t.Helper()
	after := strings.Replace(shop, "return shelf[item] + cellar[item]", "return shelf[item] - sold[item] > \"0\"", 1)
	return mustChange(t, shop, strings.Replace(after, "func stock(item string) int {", "func stock(item string) int { // all of it", 1))
}

// damaged returns a change with one kind of damage, for every seed with which it applies.
func damaged(t *testing.T, ch *Change, f Form, kind string) (out []*Case) {
	t.Helper()
	k, ok := Named(kind)
	if !ok {
		t.Fatalf("there is no kind %q", kind)
	}
	for seed := range uint64(16) {
		if c, ok := ch.Case(f, seed, k); ok {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s: does not apply", kind)
	}
	return out
}

// marked returns the lines of a patch with one of marks, without their marks.
func marked(c *Case, marks string) (out []string) {
	for _, h := range c.Hunks {
		for _, l := range h.Lines {
			if strings.Contains(marks, l[:1]) {
				out = append(out, l[1:])
			}
		}
	}
	return out
}

// TestOnlyLines holds what each kind changes in the lines of a patch, and what it does not.
func TestOnlyLines(t *testing.T) {
	ch := shopChange(t)
	clean, _ := ch.Write(Wide)
	for kind, touches := range map[string]string{
		"typo in context": " ", "typo in removed": "-", "typo in all hunks": " -", "token in context": " ", "token in removed": "-",
		"token in all hunks": " -", "similar block": " ", "invented above": " ", "invented on both sides": " ", "context rewritten": " ",
		"context shifted": " ", "mixed shift": " ", "HTML in context": " -", "HTML in all": " -+", "smart quotes in context": " -",
		"smart quotes in all": " -+", "numbers 12|": " -+", "numbers 12:": " -+", "numbers cat -n": " -+", "numbers L12:": " -+",
	} {
		for _, c := range damaged(t, ch, Wide, kind) {
			if c.Disk != ch.Old || c.Want != ch.New {
				t.Errorf("%s: the file is another", kind)
			}
			changed := false
			for _, mark := range []string{" ", "-", "+"} {
				same := slices.Equal(marked(c, mark), marked(clean, mark))
				changed = changed || !same
				if !same && !strings.Contains(touches, mark) {
					t.Errorf("%s changes lines with %q: %q", kind, mark, marked(c, mark))
				}
			}
			if !changed {
				t.Errorf("%s changes nothing", kind)
			}
		}
	}
}

// TestWritten holds how damages of the writing look, for a hunk that every reader knows.
func TestWritten(t *testing.T) {
	ch := mustChange(t, "top\nif a < b {\n\tsay(\"x\\t\")\n}\nend\n", "top\nif a < b {\n\tsay(\"y & z\")\n}\nend\n")
	for _, tc := range []struct{ kind, want string }{
		{"HTML in context", " if a &lt; b {\n-\tsay(&quot;x\\t&quot;)\n+\tsay(\"y & z\")\n"},
		{"HTML in all", " if a &lt; b {\n-\tsay(&quot;x\\t&quot;)\n+\tsay(&quot;y &amp; z&quot;)\n"},
		{"smart quotes in context", "-\tsay(“x\\t”)\n+\tsay(\"y & z\")\n"},
		{"smart quotes in all", "-\tsay(“x\\t”)\n+\tsay(“y & z”)\n"},
		{"doubled escapes", "-\tsay(\\\"x\\\\t\\\")\n+\tsay(\\\"y & z\\\")\n"},
		{"marks missing", "@@\ntop\nif a < b {\n-\tsay"},
		{"one mark missing", " top\nif a < b {\n-\tsay"},
		{"numbers 12|", " 2| if a < b {\n-3| \tsay(\"x\\t\")\n+\tsay("},
		{"numbers 12:", " 2: if a < b {\n-3: \tsay(\"x\\t\")\n+3: \tsay("},
		{"numbers cat -n", "      2\tif a < b {\n-     3\t\tsay"},
		{"numbers L12:", " L2: if a < b {\n-L3: \tsay"},
		{"numbers before the mark", "1|  top\n2|  if a < b {\n3| -\tsay(\"x\\t\")\n3| +\tsay(\"y & z\")\n4|  }\n"},
		{"inner fence", "*** Begin Patch\n```diff\n*** Update File: f\n@@\n"},
		{"inner fence", "*** Update File: f\n```patch\n@@\n"},
		{"literal \\n", "*** Begin Patch\\n*** Update File: f\\n@@\\n top\\n if a < b {"},
		{"literal \\n", "@@\n top\\n if a < b {\\n-\tsay"},
		{"literal \\n", " top\\n if a < b {\n-\tsay"},
		{"right header numbers", "@@ -1,5 +1,5 @@\n top\n"},
		{"right header numbers", "@@ -2,3 +2,3 @@\n if a < b {\n"},
		{"wrong header numbers", "@@ -9,5 +9,5 @@\n top\n"},
		{"path a/ b/", "*** Update File: b/f\n"},
		{"absolute path", "*** Update File: " + Root + "/f\n"},
		{"path in wrong case", "*** Update File: F\n"},
		{"hunk twice", " end\n@@\n top\n"},
	} {
		var texts []string
		found := false
		for _, c := range damaged(t, ch, Wide, tc.kind) {
			if c.Disk != ch.Old || c.Want != ch.New {
				t.Errorf("%s: the file is another", tc.kind)
			}
			texts = append(texts, c.Text(false))
			found = found || strings.Contains(c.Text(false), tc.want)
		}
		if !found {
			t.Errorf("%s: no text has\n%s\nthe last is\n%s", tc.kind, tc.want, texts[len(texts)-1])
		}
	}
}

// TestFiles holds what becomes of the file, and what must become of it.
func TestFiles(t *testing.T) {
	ch := shopChange(t)
	for _, c := range damaged(t, ch, Anchored, "sent twice") {
		if c.Disk != ch.New || c.Want != ch.New || c.Hunks[len(c.Hunks)-1].Anchor == "" {
			t.Errorf("sent twice: an anchor %q, and the file is\n%s", c.Hunks[len(c.Hunks)-1].Anchor, c.Disk)
		}
	}
	for _, c := range damaged(t, ch, Wide, "removals done") {
		if c.Want != ch.New || strings.Count(c.Disk, "\n") >= strings.Count(ch.Old, "\n") || strings.Contains(c.Disk, "sold") {
			t.Errorf("removals done: the file is\n%s", c.Disk)
		}
	}
	for _, c := range damaged(t, ch, Wide, "first half applied") {
		if c.Want != ch.New || !strings.Contains(c.Disk, "all of it") || strings.Contains(c.Disk, "sold") {
			t.Errorf("first half applied: the file is\n%s", c.Disk)
		}
	}
	for _, c := range damaged(t, ch, Wide, "inserted twin") {
		if extra := strings.Count(c.Disk, "\n") - strings.Count(ch.Old, "\n"); extra < 5 || strings.Count(c.Want, "\n")-strings.Count(ch.New, "\n") != extra {
			t.Errorf("inserted twin: %d lines more", extra)
		}
	}
	for _, c := range damaged(t, ch, Wide, "near twin") {
		if c.Read != c.Disk || strings.Count(c.Disk, "\n") < strings.Count(ch.Old, "\n")+5 || c.Want == c.Disk {
			t.Errorf("near twin: the file is\n%s", c.Disk)
		}
	}
}

// TestTwinBeside: a twin above a hunk that begins with an addition would stand between the added lines and the context below them.
func TestTwinBeside(t *testing.T) {
	for _, c := range damaged(t, mustChange(t, shop, "// Package shop is new.\n"+shop), Wide, "twin beside") {
		if !strings.HasPrefix(c.Disk, "package shop\n") || c.Want != "// Package shop is new.\n"+c.Disk {
			t.Errorf("the file is\n%s", c.Disk)
		}
	}
}

// TestOlder: lines that the version before does not have stay out, and what is decided by the change's own lines is decided so.
func TestOlder(t *testing.T) {
	for _, tc := range []struct {
		name, older, want string
		unknown           bool
	}{
		{"another line nearby", "a(1)\nlist\nb(1)\nending\n", "a(1)\nlist\nb(3)\nending\n", false},
		{"a line less", "alpha\nb(1)\nending\n", "alpha\nb(3)\nending\n", false},
		{"more lines", "alpha\nlist\nmore\nb(1)\nending\n", "alpha\nlist\nmore\nb(3)\nending\n", false},
		{"the replaced line is another", "alpha\nlist\nb(0)\nending\n", "", true},
	} {
		ch := mustChange(t, "alpha\nlist\nb(1)\nending\n", "alpha\nlist\nb(3)\nending\n")
		ch.Older = func() (string, bool) { return tc.older, true }
		for _, c := range damaged(t, ch, Wide, "two versions older") {
			if c.Disk != tc.older || c.Untellable(true) != tc.unknown || !tc.unknown && c.Want != tc.want {
				t.Errorf("%s: not to be told: %v; the file is\n%s\nand must become\n%s", tc.name, c.Untellable(true), c.Disk, c.Want)
			}
		}
	}
	ch := mustChange(t, "alpha\nlist\nb(1)\nending\n", "alpha\nlist\nfresh\nb(1)\nending\n")
	ch.Older = func() (string, bool) { return "alpha\nlist\nolder\nb(1)\nending\n", true }
	if c := damaged(t, ch, Wide, "two versions older")[0]; !c.Untellable(true) {
		t.Error("a line added where the older file has another one: told")
	}
}

func TestOtherChangesMissing(t *testing.T) {
	ch := mustChange(t, "alpha\nlist\nb(1)\nend\n", "alpha(2)\nlist\nb(3)\nend\n")
	seen := map[string]bool{}
	for _, c := range damaged(t, ch, Wide, "other changes missing") {
		if c.Disk != ch.Old || c.Untellable(true) {
			t.Errorf("the file is\n%s", c.Disk)
		}
		seen[c.Read+"->"+c.Want] = true
	}
	first, second := "alpha(2)\nlist\nb(1)\nend\n->alpha\nlist\nb(3)\nend\n", "alpha\nlist\nb(3)\nend\n->alpha(2)\nlist\nb(1)\nend\n"
	if len(seen) != 2 || !seen[first] || !seen[second] {
		t.Errorf("read and to be: %v", seen)
	}
}

// TestSentTwice: the lines of the hunk still stand in another function, but the anchor speaks against it.
func TestSentTwice(t *testing.T) {
	hello := "def hello(name):\n    if not name:\n        return \"nobody\"\n    return name\n\ndef bye(name):\n    if not name:\n        return \"nobody\"\n    return name\n"
	at := strings.LastIndex(hello, `"nobody"`)
	ch := mustChange(t, hello, hello[:at]+`"bye"`+hello[at+len(`"nobody"`):])
	for _, c := range damaged(t, ch, Anchored, "sent twice") {
		if c.Hunks[0].Anchor != "def bye(name):" {
			t.Fatalf("the anchor is %q", c.Hunks[0].Anchor)
		}
		if !c.Untellable(false) || c.Untellable(true) || c.OnlyRefusal() {
			t.Errorf("not to be told: by the letter %v, for emend %v", c.Untellable(false), c.Untellable(true))
		}
		if places := places(c.there, c.Hunks[0].old()); len(places) == 1 && places[0] > 4 {
			t.Errorf("it stands at %d", places)
		}
	}
}

func TestSpeaksAgainst(t *testing.T) {
	file := "def a():\n    x = 1\n    done()\n\ndef b():\n    y = 1\n    done()\nend\nx = 1\n" +
		"interface Old<\n    A,\n> {\n    old: A\n}\ninterface New {\n    new: A\n}\n"
	for _, tc := range []struct {
		name, anchor string
		lines        []string
		at           int
		want         bool
	}{
		{"above the anchor", "def b():", []string{" x = 1", "-done()", "+over()"}, 1, true},
		{"in its scope", "def a():", []string{" x = 1", "-done()", "+over()"}, 1, false},
		{"below its scope", "def a():", []string{"-    done()", "+    over()"}, 6, true},
		{"below the head of its block", "interface Old<", []string{"-    old: A", "+    old: B"}, 12, false},
		{"in the block after it", "interface Old<", []string{"-    new: A", "+    new: B"}, 15, true},
		{"an anchor that has no scope", "end", []string{"-x = 1", "+x = 2"}, 8, false},
		{"an anchor that is nowhere", "def c():", []string{"-x = 1", "+x = 2"}, 8, false},
		{"what it adds stands there", "", []string{" def a():", "+    x = 1"}, 0, true},
		{"written as a replacement", "", []string{"-def a():", "+def a():", "+    x = 1"}, 0, true},
		{"what it adds does not stand there", "", []string{" def a():", "+    x = 2"}, 0, false},
		{"it removes something", "", []string{"-def a():", "+def c():"}, 0, false},
	} {
		c := &Case{there: split(file)}
		if got := c.speaksAgainst(Hunk{Anchor: tc.anchor, Lines: tc.lines}, tc.at); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

// TestDoubling: for emend a hunk whose added lines stand beside its place is applied, for others its letter holds.
func TestDoubling(t *testing.T) {
	ch := mustChange(t, "alpha\nbeta\n", "alpha\nbeta\ngamma\n")
	for _, kind := range []string{"all applied", "hunk twice"} {
		for _, c := range damaged(t, ch, Wide, kind) {
			if !c.Untellable(false) || c.Untellable(true) {
				t.Errorf("%s: not to be told: by the letter %v, for emend %v", kind, c.Untellable(false), c.Untellable(true))
			}
			if c.Want != ch.New {
				t.Errorf("%s: must become\n%s", kind, c.Want)
			}
		}
	}
}

// TestCut: a text that ends in the middle of a line is only to be refused, and is never by the letter a patch if that can be seen.
func TestCut(t *testing.T) {
	ch := mustChange(t, "first\nsecond\nthird\nfourth\nfifth\n", "first\nsecond\nTHIRD\nfourth\nfifth\n")
	lost, whole := 0, 0
	for _, kind := range []string{"cut off", "cut off and ended"} {
		for _, c := range damaged(t, ch, Wide, kind) {
			text := c.Text(false)
			if ended := strings.HasSuffix(text, "\n*** End Patch\n"); ended != (kind == "cut off and ended") || !ended && strings.HasSuffix(text, "\n") {
				t.Errorf("%s: the text is\n%s", kind, text)
			}
			if !c.OnlyRefusal() {
				t.Errorf("%s: not only a refusal is right, for\n%s", kind, text)
			}
			if kind == "cut off" && c.Untellable(true) {
				t.Errorf("not to be told:\n%s", text)
			}
			if strings.Contains(text, "+THIRD\n") {
				whole++
			} else {
				lost++
			}
		}
	}
	if lost == 0 || whole == 0 {
		t.Errorf("%d lose something, %d do not", lost, whole)
	}
}

func TestSwapped(t *testing.T) {
	ch := mustChange(t, "alpha\nbeta\n", "alpha\nBETA\n")
	other, _ := NewChange("g", "one\ntwo\n", "one\nTWO\n")
	ch.Second = func() (*Change, bool) { return other, true }
	c := damaged(t, ch, Wide, "swapped files")[0]
	want := "*** Begin Patch\n*** Update File: f\n@@\n one\n-two\n+TWO\n*** Update File: g\n@@\n alpha\n-beta\n+BETA\n*** End Patch\n"
	if c.Text(false) != want || !c.OnlyRefusal() || c.Untellable(true) {
		t.Errorf("only a refusal is right: %v, not to be told: %v\n%s", c.OnlyRefusal(), c.Untellable(true), c.Text(false))
	}
	if files := c.Files(); len(files) != 2 || files[1] != (File{"g", other.Old, other.Old, other.New}) {
		t.Errorf("%q", files)
	}
	other.Old, other.old = ch.Old, ch.old
	same, _ := NewChange("g", ch.Old, ch.New)
	ch.Second = func() (*Change, bool) { return same, true }
	if c := damaged(t, ch, Wide, "swapped files")[0]; !c.Untellable(true) {
		t.Error("each section fits the other file, and it is told")
	}
}

func TestRepeatedBlocks(t *testing.T) {
	body := "\t{\n\t\tkind: 1,\n\t\tsize: 2,\n\t},\n"
	before := "var first = []int{\n" + body + "}\n\nvar other = []int{\n" + body + "}\n"
	at := strings.LastIndex(before, "size: 2")
	ch := mustChange(t, before, before[:at]+"size: 3"+before[at+7:])
	told := map[bool]bool{}
	for _, c := range damaged(t, ch, Anchored, "repeated blocks") {
		if places := places(c.there, c.Hunks[0].old()); len(places) != 2 {
			t.Errorf("it stands at %d", places)
		}
		if c.OnlyRefusal() != (c.Hunks[0].Anchor == "") {
			t.Errorf("with the anchor %q only a refusal is right: %v", c.Hunks[0].Anchor, c.OnlyRefusal())
		}
		told[c.OnlyRefusal()] = true
	}
	if len(told) != 2 {
		t.Errorf("all of them have an anchor, or none: %v", told)
	}
}

// TestOpen: where the text does not tell how the added lines are written, only a refusal is right.
func TestOpen(t *testing.T) {
	for _, tc := range []struct {
		kind, before, after string
		want                bool
	}{
		{"smart quotes in all", "a = \"x\"\n", "a = \"y\"\n", false},
		{"smart quotes in all", "a = \"x\"\nb = “z”\n", "a = \"y\"\nb = “z”\n", true},
		{"smart quotes in context", "a = \"x\"\n", "a = “y”\n", true},
		{"HTML in all", "a < b\n", "a < c\n", false},
		{"HTML in all", "a < b\n&lt;\n", "a < c\n&lt;\n", true},
		{"HTML in context", "a < b\n", "a &lt; c\n", true},
		{"literal \\n", "print(1)\nend\n", "print(2)\nend\n", false},
		{"literal \\n", "print(1)\nend\n", "print(\"\\n\")\nend\n", true},
		{"mixed shift", "one\ntwo\nthree\n", "one\ntwo\nfour\nthree\n", true},
		{"mixed shift", "one\ntwo\nthree\nfour\n", "one\ntwo\n3\nfour\n", false},
	} {
		for _, c := range damaged(t, mustChange(t, tc.before, tc.after), Wide, tc.kind) {
			if c.OnlyRefusal() != tc.want {
				t.Errorf("%s of %q: only a refusal is right: %v, for\n%s", tc.kind, tc.after, c.OnlyRefusal(), c.Text(false))
			}
		}
	}
	// Lines that are only added, behind context that stands further right, look like a hunk that stands further right.
	shifted := damaged(t, mustChange(t, "one\ntwo\n", "one\n        new\ntwo\n"), Wide, "context shifted")
	if !slices.ContainsFunc(shifted, func(c *Case) bool { return c.Untellable(true) }) {
		t.Error("added lines that could be shifted are told")
	}
	for _, c := range damaged(t, mustChange(t, "one\ntwo\n", "one\nnew\ntwo\n"), Wide, "context shifted") {
		if c.Untellable(true) {
			t.Errorf("an added line that cannot be shifted is not told:\n%s", c.Text(false))
		}
	}
}

// TestOnlyRefusal: several places, or another place that resembles a hunk as much as its own.
func TestOnlyRefusal(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		hunk       Hunk
		want       bool
	}{
		{"one place", near, Hunk{Lines: []string{"-\tproduct := c * d", "+\tp"}, From: 7, To: 8}, false},
		{"several places", strings.Replace(near, "sum := a + b", "product := c * d", 1), Hunk{Lines: []string{"-\tproduct := c * d", "+\tp"}, From: 7, To: 8}, true},
		{"several places and an anchor", strings.Replace(near, "sum := a + b", "product := c * d", 1),
			Hunk{Anchor: "func second(c, d int) int {", Lines: []string{"-\tproduct := c * d", "+\tp"}, From: 7, To: 8}, false},
		{"several places and a number", strings.Replace(near, "sum := a + b", "product := c * d", 1),
			Hunk{Numbered: true, Lines: []string{"-\tproduct := c * d", "+\tp"}, From: 7, To: 8}, false},
		{"more like another place", near, Hunk{Lines: []string{" func third(e, f int) int {", "-\trest := e % g", "+\tp"}, From: 6, To: 8}, true},
		{"a little like its own", near, Hunk{Lines: []string{" func third(e, d int) int {", "-\trest := e * d", "+\tp"}, From: 6, To: 8}, true},
		{"most like its own", near, Hunk{Lines: []string{" func second(c, f int) int {", "-\tproduct := c * f", "+\tp"}, From: 6, To: 8}, false},
		{"its removed lines tell", near, Hunk{Lines: []string{" func third(e, f int) int {", "-\tproduct := c * d", "+\tp"}, From: 6, To: 8}, false},
		{"nothing of it is there", near, Hunk{Lines: []string{" alpha", "+p", " beta"}, From: 6, To: 8}, true},
	} {
		c, _ := mustChange(t, tc.file, strings.Replace(tc.file, "second is asked", "second was asked", 1)).Write(Wide)
		c.Hunks = []Hunk{tc.hunk}
		if got := c.OnlyRefusal(); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

// TestFifty: the benchmark has at least 50 kinds, each with another name, which -kinds can take.
func TestFifty(t *testing.T) {
	names := map[string]bool{}
	for _, k := range Kinds {
		names[k.Name] = true
		if strings.ContainsAny(k.Name, ",+") {
			t.Errorf("%q cannot stand in a list", k.Name)
		}
	}
	if len(names) < 50 || len(names) != len(Kinds) {
		t.Errorf("%d kinds, %d names", len(Kinds), len(names))
	}
}
