package main

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

func lineChange(t *testing.T, path string) *damage.Change {
	t.Helper()
	ch, ok := damage.NewChange(path, "first line\nsecond line\nthird line\n", "first line\nsecond row\nthird line\n")
	if !ok {
		t.Fatal("no change")
	}
	return ch
}

func damaged(t *testing.T, ch *damage.Change, kind string) *damage.Case {
	t.Helper()
	k, ok := damage.Named(kind)
	if !ok {
		t.Fatalf("there is no kind %q", kind)
	}
	c, ok := ch.Case(damage.Anchored, 1, k)
	if !ok {
		t.Fatalf("%s does not apply", kind)
	}
	return c
}

// TestPaths: a path that is not the file's own is judged in a real workspace, whose name the text does not have before it is sent.
func TestPaths(t *testing.T) {
	for _, tc := range []struct {
		kind    string
		profile int
		want    outcome
	}{
		{"absolute path", 0, refused},
		{"absolute path", 1, landed}, // lenient
	} {
		c := damaged(t, lineChange(t, "dir/f.txt"), tc.kind)
		p := &profiles[tc.profile]
		got, err := fare(t.Context(), c, c.Text(p.bare), p.sender(&desk{scratch: t.TempDir()}, c))
		if err != nil || got.first.outcome != tc.want {
			t.Errorf("%s with %s: %v, %v: %+v", tc.kind, p.name, got.first.outcome, err, got.first.answer.Error)
		}
		if !strings.Contains(got.text, damage.Root+"/dir/f.txt") || got.first.outcome == refused && got.first.shown == 0 {
			t.Errorf("%s with %s: a refusal of %d bytes, for\n%s", tc.kind, p.name, got.first.shown, got.text)
		}
	}
}

// TestTwoFiles: both files are judged.
func TestTwoFiles(t *testing.T) {
	ch := lineChange(t, "f.txt")
	ch.Second = func() (*damage.Change, bool) {
		other, ok := damage.NewChange("g.txt", "alpha\nbeta\n", "alpha\nBETA\n")
		return other, ok
	}
	c := damaged(t, ch, "swapped files")
	got, err := fare(t.Context(), c, c.Text(false), profiles[0].send)
	if err != nil || got.first.outcome != refused || got.first.left {
		t.Errorf("%v, %v, left %v", got.first.outcome, err, got.first.left)
	}
	for _, tc := range []struct {
		name  string
		after map[string]string
		want  outcome
	}{
		{"both", map[string]string{"f.txt": c.Files()[0].Want, "g.txt": "alpha\nBETA\n"}, landed},
		{"one", map[string]string{"f.txt": c.Files()[0].Want}, wrong},
		{"a file that is none of them", map[string]string{"f.txt": c.Files()[0].Want, "g.txt": "alpha\nBETA\n", "h.txt": ""}, wrong},
	} {
		if r := judgeFiles(c, tc.after, true); r.outcome != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, r.outcome, tc.want)
		}
	}
}
