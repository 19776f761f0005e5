package damage

import (
	"fmt"
	"strings"
	"testing"
)

func waysChange(t *testing.T) *Change {
	t.Helper()
	ch, ok := NewChange("dir/f.txt", "a\nb\nc\nd\ne\nf\n-\ng\nh\ni\nj\nk\nl\n", "a\nb\nc\nnew\nd\ne\nf\n-\ng\nh\ni\nJ\nk\nl\n")
	if !ok {
		t.Fatal("no change")
	}
	return ch
}

func plainMint(text string, n int) string { return fmt.Sprintf("%d:%04d", n, len(text)) }

// TestSent: one change, in every way to write it.
func TestSent(t *testing.T) {
	for w, want := range map[Way]string{
		InUnified: "diff --git a/dir/f.txt b/dir/f.txt\n--- a/dir/f.txt\n+++ b/dir/f.txt\n@@ -1,6 +1,7 @@\n a\n b\n c\n+new\n d\n e\n f\n@@ -8,6 +9,6 @@\n g\n h\n i\n-j\n+J\n k\n l\n",
		InBlocks:  "dir/f.txt\n<<<<<<< SEARCH\na\nb\nc\nd\ne\nf\n=======\na\nb\nc\nnew\nd\ne\nf\n>>>>>>> REPLACE\n<<<<<<< SEARCH\ng\nh\ni\nj\nk\nl\n=======\ng\nh\ni\nJ\nk\nl\n>>>>>>> REPLACE\n",
		InBody:    "@@\n a\n b\n c\n+new\n d\n e\n f\n@@\n g\n h\n i\n-j\n+J\n k\n l\n",
		AsEdits:   `{"path":"dir/f.txt","expectedSha256":"SUM","edits":[{"oldText":"a\nb\nc\nd\ne\nf\n","newText":"a\nb\nc\nnew\nd\ne\nf\n"},{"oldText":"g\nh\ni\nj\nk\nl\n","newText":"g\nh\ni\nJ\nk\nl\n"}]}`,
		AsLines:   `{"path":"dir/f.txt","expectedSha256":"SUM","edits":[{"newText":"new\n","after":"3:0026"},{"newText":"J\n","line":"11:0026"}]}`,
		AsCalls:   `{"command":"insert","path":"dir/f.txt","insert_line":3,"insert_text":"new\n"}` + "\n" + `{"command":"str_replace","path":"dir/f.txt","old_str":"g\nh\ni\nj\nk\nl\n","new_str":"g\nh\ni\nJ\nk\nl\n"}` + "\n",
	} {
		c, ok := waysChange(t).CaseIn(w, plainMint, Wide, 1, Kinds[0])
		if !ok {
			t.Fatalf("way %d: no case", w)
		}
		got, ok := c.Sent(plainMint)
		if _, rest, has := strings.Cut(got, `"expectedSha256":"`); has {
			got = strings.Replace(got, rest[:64], "SUM", 1)
		}
		if !ok || got != want {
			t.Errorf("way %d: %v\n%s\nwant\n%s", w, ok, got, want)
		}
	}
}

// TestShows: a damage is a case only where it shows.
func TestShows(t *testing.T) {
	for _, tc := range []struct {
		kind  string
		ways  []Way
		never []Way
	}{
		{"typo in context", nil, []Way{AsLines}},
		{"changed nearby", []Way{InUnified, InBlocks, InBody, AsEdits, AsLines, AsCalls}, nil},
		{"counts wrong", []Way{InUnified}, []Way{InEnvelope, InBlocks, InBody, AsEdits, AsLines, AsCalls}},
		{"numbers missing", []Way{InUnified}, []Way{InEnvelope, InBody}},
		{"anchor with another number", []Way{AsLines}, []Way{InUnified, AsEdits}},
		{"cut off at a line", []Way{InUnified, InBlocks}, []Way{InEnvelope, InBody, AsEdits, AsCalls}},
		{"marks missing", []Way{InUnified, InBody}, []Way{InBlocks, AsEdits, AsLines, AsCalls}},
		{"fenced", []Way{InUnified, InBlocks, InBody}, []Way{AsEdits, AsLines, AsCalls}},
	} {
		k, ok := Named(tc.kind)
		if !ok {
			t.Fatalf("there is no kind %q", tc.kind)
		}
		change, _ := NewChange("f.go", strings.Repeat("x\n", 20)+goText, strings.Replace(strings.Repeat("x\n", 20)+goText, "return left", "return right", 1))
		for _, w := range tc.ways {
			if _, ok := change.CaseIn(w, plainMint, Wide, 1, k); !ok {
				t.Errorf("%s does not show in way %d", tc.kind, w)
			}
		}
		for _, w := range tc.never {
			if c, ok := change.CaseIn(w, plainMint, Wide, 1, k); ok {
				sent, _ := c.Sent(plainMint)
				t.Errorf("%s shows in way %d:\n%s", tc.kind, w, sent)
			}
		}
	}
}

const goText = "func pick(left, right int) int {\n\tif left > right {\n\t\tleft = limit(left)\n\t\treturn left\n\t}\n\tleft = another(right)\n\treturn 0\n}\n" +
	"\nfunc rest() {\n\tprintln(1)\n\tprintln(2)\n\tprintln(3)\n\tprintln(4)\n\tprintln(5)\n\tprintln(6)\n}\n"

// TestCutAtLine: at least one line of the hunk is lost, and no line is cut.
func TestCutAtLine(t *testing.T) {
	k, _ := Named("cut off at a line")
	for seed := range uint64(50) {
		c, ok := waysChange(t).CaseIn(InUnified, plainMint, Wide, seed, k)
		if !ok {
			t.Fatal("no case")
		}
		got, _ := c.Sent(plainMint)
		again, _ := c.Sent(plainMint)
		whole, _ := waysChange(t).CaseIn(InUnified, plainMint, Wide, seed, Kinds[0])
		all, _ := whole.Sent(plainMint)
		if got != again || !strings.HasPrefix(all, got) || len(got) == len(all) || !strings.HasSuffix(got, "\n") || !c.OnlyRefusal() || c.Untellable(true) {
			t.Fatalf("seed %d:\n%s", seed, got)
		}
	}
}

// TestMisleadsCalls: an insert below another line than was meant is by its letter right.
func TestMisleadsCalls(t *testing.T) {
	c, _ := waysChange(t).CaseIn(AsCalls, plainMint, Wide, 1, Kinds[0])
	if c.Untellable(false) {
		t.Error("undamaged, it tells another file")
	}
	c.disk.insert(0, "somebody's")
	c.settle()
	if !c.Untellable(false) {
		t.Error("its number is that of another line now")
	}
	c, _ = waysChange(t).CaseIn(AsEdits, plainMint, Wide, 1, Kinds[0])
	c.disk.insert(0, "somebody's")
	if c.settle(); c.Untellable(false) {
		t.Error("texts are found in the file as it is")
	}
	if _, _, ok := (Hunk{Lines: []string{" a", "+b", " c", "+d"}}).inserted(); ok {
		t.Error("lines at two places are not one insert")
	}
}

// TestSlides: of two equal lines of a block, one of which is new, either may be the one that the file spells otherwise.
func TestSlides(t *testing.T) {
	for _, tc := range []struct {
		after string
		want  bool
	}{{"a\n}\nb\n}\nc\n", true}, {"a\nnew\n}\nc\n", false}} {
		ch, _ := NewChange("f", "a\n}\nc\n", tc.after)
		c, ok := ch.CaseIn(InBlocks, plainMint, Wide, 1, Kinds[0])
		if !ok || c.lossy {
			t.Fatal("undamaged, it tells everything")
		}
		c.disk.set(1, "} ")
		if c.settle(); c.slides(c.Hunks[0]) != tc.want {
			t.Errorf("%q: %v", tc.after, !tc.want)
		}
	}
}
