package main

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

func formatCase(t *testing.T, p *profile, kind string) *damage.Case {
	t.Helper()
	k, ok := damage.Named(kind)
	if !ok {
		t.Fatalf("there is no kind %q", kind)
	}
	ch, ok := damage.NewChange("dir/f.txt", "first line\nsecond line\nthird line\n", "first line\nsecond row\nthird line\n")
	if !ok {
		t.Fatal("no change")
	}
	c, ok := ch.CaseIn(p.way, mint, damage.Wide, 1, k)
	if !ok {
		t.Fatalf("%s: no case of %s", p.name, kind)
	}
	return c
}

// TestFormats: every format lands the undamaged change, and says nothing wrong of one whose file changed.
func TestFormats(t *testing.T) {
	d := &desk{scratch: t.TempDir()}
	defer d.close()
	for i := range formats {
		p := &formats[i]
		for kind, want := range map[string]outcome{"none": landed, "all applied": refused} {
			if p.options.Lenient {
				want = landed // it leaves out what is made
			}
			c := formatCase(t, p, kind)
			sent, _ := c.Sent(mint)
			got, err := fare(t.Context(), c, sent, p.sender(d, c))
			if err != nil || got.first.outcome != want {
				t.Errorf("%s, %s: %v, %v: %+v\n%s", p.name, kind, got.first.outcome, err, got.first.answer.Error, sent)
			}
			if want == refused && (got.first.shown == 0 || got.first.left) {
				t.Errorf("%s, %s: %+v", p.name, kind, got.first)
			}
		}
	}
}

// TestNextEdits: the client sends the hash that the file has now, and leaves out what is made already.
func TestNextEdits(t *testing.T) {
	p := &profile{way: damage.AsEdits}
	c := formatCase(t, p, "none")
	sent, _ := c.Sent(mint)
	var stale failure
	stale.Details.Actual = strings.Repeat("0", 64)
	if next, ok := nextText(damage.AsEdits, sent, answer{Error: &stale}); !ok || !strings.Contains(next, `"expectedSha256":"0000`) {
		t.Errorf("%v: %s", ok, next)
	}
	var made, whole failure
	zero := 0
	made.Details.Edit, made.Details.AlreadyApplied = &zero, true
	whole.Details.Failures = []failure{made}
	if next, ok := nextText(damage.AsEdits, sent, answer{Error: &whole}); !ok || next != nothing {
		t.Errorf("%v: %s", ok, next)
	}
	made.Details.AlreadyApplied = false
	whole.Details.Failures = []failure{made}
	if next, ok := nextText(damage.AsEdits, sent, answer{Error: &whole}); ok {
		t.Errorf("nothing was offered, and the client sends %s", next)
	}
	now := "new\n"
	made.Details.Nearest = &nearest{OldText: "old\n", NewText: &now}
	if next, ok := nextText(damage.AsEdits, sent, answer{Error: &made}); !ok || !strings.Contains(next, `"oldText":"old\n","newText":"new\n"`) {
		t.Errorf("%v: %s", ok, next)
	}
}

// TestReplaceHunks: a hunk of a unified diff and a block are replaced, and nothing else.
func TestReplaceHunks(t *testing.T) {
	const diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+one\n@@ -9 +9 @@\n-9\n+nine\n"
	const blocks = "f\n<<<<<<< SEARCH\n1\n=======\none\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n9\n=======\nnine\n>>>>>>> REPLACE\n"
	for _, tc := range []struct {
		way        damage.Way
		text, want string
		hunks      map[[2]int]string
	}{
		{damage.InUnified, diff, "--- a/f\n+++ b/f\n@@\n-I\n+one\n@@ -9 +9 @@\n-9\n+nine\n", map[[2]int]string{{0, 0}: "@@\n-I\n+one\n"}},
		{damage.InUnified, diff, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+one\n", map[[2]int]string{{0, 1}: ""}},
		{damage.InUnified, diff, nothing, map[[2]int]string{{0, 0}: "", {0, 1}: ""}},
		{damage.InBlocks, blocks, strings.Replace(blocks, "9\n=", "IX\n=", 1), map[[2]int]string{{0, 1}: "<<<<<<< SEARCH\nIX\n=======\nnine\n>>>>>>> REPLACE\n"}},
	} {
		if got := replaceHunks(tc.way, tc.text, tc.hunks); got != tc.want {
			t.Errorf("%s\nwant\n%s", got, tc.want)
		}
	}
}
