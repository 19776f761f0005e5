package damage

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sample returns a change that every kind of damage applies to.
func sample(t *testing.T) *Change {
	t.Helper()
	var before, after strings.Builder
	for n := range 12 {
		in := []string{"\t", "    "}[n%2]
		head := fmt.Sprintf("func number%d(first, second string) {\n", n)
		body := func(w *strings.Builder, value string) {
			fmt.Fprintf(w, "%s%ssay(\"it is %d\", '%d')\n\n%slet there be = \"%s\"\n%skeep what was said in %d\n\n%slast = %s\n%sreturn\n}\n\n",
				head, in, n, n, in, value, in, n, in, value, in)
		}
		body(&before, fmt.Sprint(n))
		if n%3 == 0 {
			body(&after, fmt.Sprintf("%d0", n))
		} else {
			body(&after, fmt.Sprint(n))
		}
	}
	c, ok := NewChange("a/b.go", before.String(), after.String())
	if !ok {
		t.Fatal("no change")
	}
	c.Older = func() (string, bool) {
		return strings.Replace(c.Old, "keep what was said in 0", "keep what was written in 0", 1), true
	}
	c.Second = func() (*Change, bool) { return mustChange(t, "one\ntwo\nthree\n", "one\n2\nthree\n"), true }
	return c
}

// forms are all forms.
var forms = []Form{Wide, Anchored, Beside}

// every calls each for all cases of some seeds.
func every(t *testing.T, each func(k Kind, c *Case, seed uint64, f Form)) {
	ch := sample(t)
	for _, k := range Kinds {
		spoilt := 0
		for _, f := range forms {
			for seed := range uint64(8) {
				if c, ok := ch.Case(f, seed, k); ok {
					spoilt++
					each(k, c, seed, f)
				}
			}
		}
		if spoilt == 0 && k.Name != "spaces as tabs" && k.Name != "repeated blocks" { // mixed hunks; no block stands there twice
			t.Errorf("%s finds nothing to spoil", k.Name)
		}
	}
}

func TestUndamaged(t *testing.T) {
	for _, f := range forms {
		c, ok := sample(t).Write(f)
		if !ok || c.Disk != c.change.Old || c.Want != c.change.New || c.Read != c.Disk {
			t.Fatalf("form %d: %v", f, ok)
		}
		if f == Beside {
			continue // its anchors are lines of the file
		}
		if got, ok := applyLiterally(split(c.Disk), c.Hunks, true); !ok || join(got) != c.Want {
			t.Errorf("form %d: by the letter it is no patch from the old file to the new one", f)
		}
		if c.Untellable(false) || c.Sight() != Clear {
			t.Errorf("form %d: not to be told", f)
		}
	}
}

func TestTheSameSeedSpoilsTheSame(t *testing.T) {
	every(t, func(k Kind, c *Case, seed uint64, f Form) {
		again, ok := sample(t).Case(f, seed, k)
		if !ok || again.Text(false) != c.Text(false) || again.Disk != c.Disk || again.Want != c.Want {
			t.Errorf("%s, seed %d: another case the second time", k.Name, seed)
		}
	})
}

// No case may influence the next one of the same change.
func TestCasesShareNothing(t *testing.T) {
	ch := sample(t)
	clean, _ := ch.Write(Anchored)
	text := clean.Text(false)
	for _, k := range Kinds {
		ch.Case(Anchored, 1, k)
		if now, _ := ch.Write(Anchored); now.Text(false) != text || now.Disk != ch.Old || !reflect.DeepEqual(now.Hunks, clean.Hunks) {
			t.Fatalf("%s spoils the change itself", k.Name)
		}
	}
}

// TestLaws checks what each kind must not change: the file, the expected file, or the added lines.
func TestLaws(t *testing.T) {
	file := map[string]bool{"sent twice": true, "removals done": true, "first half applied": true, "two versions older": true,
		"other changes missing": true, "near twin": true, "inserted twin": true, "trailing lost": true, "typography": true, "normal form": true, "one applied": true, "all applied": true,
		"changed nearby": true, "changed inside": true, "duplicated": true, "CRLF file": true, "twin beside": true, "lines reordered": true,
		"moved": true, "renamed since": true}
	read := map[string]bool{"other changes missing": true, "near twin": true, "moved": true}
	added := map[string]bool{"hunk twice": true, "two versions older": true, "other changes missing": true, "HTML in all": true,
		"smart quotes in all": true, "doubled escapes": true, "numbers 12|": true, "numbers 12:": true, "numbers cat -n": true,
		"numbers L12:": true, "cut off": true, "cut off and ended": true, "tabs as spaces": true, "spaces as tabs": true, "indentation shifted": true, "line numbers": true, "part shifted": true, "moved": true}
	ch := sample(t)
	every(t, func(k Kind, c *Case, seed uint64, f Form) {
		clean, _ := ch.Write(f)
		if !file[k.Name] && (c.Disk != ch.Old || c.Want != ch.New) {
			t.Errorf("%s changes the file", k.Name)
		}
		if c.Read != ch.Old && !read[k.Name] {
			t.Errorf("%s changes what the author read", k.Name)
		}
		if (c.Disk == c.Want) != (k.Name == "all applied" || k.Name == "sent twice") {
			t.Errorf("%s: the file is the truth: %v", k.Name, c.Disk == c.Want)
		}
		if !added[k.Name] && !slices.Equal(plus(c), plus(clean)) {
			t.Errorf("%s changes added lines: %q and %q", k.Name, plus(c), plus(clean))
		}
		if k.Name != "none" && c.Text(false) == clean.Text(false) && c.Disk == clean.Disk {
			t.Errorf("%s, seed %d, form %d damages nothing", k.Name, seed, f)
		}
	})
}

// plus returns the added lines of a patch, sorted.
func plus(c *Case) (out []string) {
	for _, h := range c.Hunks {
		for _, l := range h.Lines {
			if l[0] == '+' {
				out = append(out, l)
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestUnified(t *testing.T) {
	c, ok := mustChange(t, "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\nfour\n5\n6\n7\n8\n9\nten\n").Write(Wide)
	want := "diff --git a/f b/f\nindex x\n--- a/f\n+++ b/f\n@@ -1,9 +1,10 @@\n 1\n 2\n 3\n-4\n+four\n 5\n 6\n 7\n 8\n 9\n+ten\n"
	if got := c.Unified("f", "index x\n"); !ok || got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func mustChange(t *testing.T, before, after string) *Change {
	t.Helper()
	c, ok := NewChange("f", before, after)
	if !ok {
		t.Fatal("no change")
	}
	return c
}
