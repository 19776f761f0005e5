package trace_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
)

// expected is what the test knows beside the log: which entries led to each file, the newest first, and what the tree had
// after each entry.
type expected struct {
	*emendtest.Story
	past map[string][]string          // by path: the entries of its file, through its moves
	tree map[string]map[string]string // by entry: every file and what it says
	born map[string]string            // what the files said before the first entry
}

// step makes one random call, and notes what it did.
func (h *expected) step(r *rand.Rand) {
	names := h.Files()
	pick := func() string { return names[r.IntN(len(names))] }
	free := string(rune('a' + r.IntN(8)))
	taken := slices.Contains(names, free)
	text := fmt.Sprintf("%d\n%d\n", r.IntN(1000), r.IntN(1000))
	switch do := r.IntN(6); {
	case !taken:
		if do > 2 && len(names) > 0 {
			from := pick()
			h.moved(h.Move(from, free), from, free)
			return
		}
		h.did(h.Create(free, text), free)
	case do == 0:
		tx, _ := h.Remove(free)
		h.did(tx, free)
	case do == 1 && len(names) > 1:
		if from := pick(); from != free {
			h.moved(h.Move(from, free), from, free)
		}
	case do == 2:
		versions := append(h.History(free).Versions, api.FileVersion{Gone: true})
		v := versions[r.IntN(len(versions))]
		if !v.Gone && !strings.HasPrefix(v.ID, "now:") && v.AfterSha256 != h.Sha(free) {
			h.did(h.PutBack(free, v.ID), free)
		}
	default:
		rep, err := h.WS.Write(h.Ctx, api.WriteRequest{Path: free, Content: text, ExpectedSha256: h.Sha(free)})
		h.Must(err)
		h.did(rep.Tx, free)
	}
}

func (h *expected) did(tx, path string) {
	h.past[path] = append([]string{tx}, h.past[path]...)
	h.snap(tx)
}

func (h *expected) moved(tx, from, to string) {
	was := append([]string{tx}, h.past[from]...)
	h.past[from], h.past[to] = was, was
	h.snap(tx)
}

func (h *expected) snap(tx string) {
	h.tree[tx] = map[string]string{}
	for _, name := range h.Files() {
		h.tree[tx][name] = h.Read(name)
	}
}

// TestVersionsAreTrue: after any calls the history of a file has the entries that led to it, and every version has the
// content that the file had. Nothing is missing, since nothing was pruned.
func TestVersionsAreTrue(t *testing.T) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 80))
		h := &expected{emendtest.NewStory(t, "a", "A\n", "b", "B\n"), map[string][]string{}, map[string]map[string]string{}, map[string]string{"a": "A\n", "b": "B\n"}}
		for range 60 {
			h.step(r)
		}
		for _, path := range slices.Sorted(maps.Keys(h.past)) {
			h.check(seed, path)
		}
	}
}

func (h *expected) check(seed uint64, path string) {
	h.Helper()
	var got []string
	for _, v := range h.History(path).Versions {
		at := v.Path
		if v.ToPath != "" && !v.Gone {
			at = v.ToPath
		}
		want, there := h.tree[v.Entry][at]
		if v.Entry == "" {
			want, there = h.born[at]
		} else {
			got = append(got, v.Entry)
		}
		if v.Outside || v.Gone == there {
			h.Errorf("seed %d, %s: %s has %+v, and something was there: %t", seed, path, at, v, there)
		}
		if v.Gone {
			continue
		}
		c, err := h.WS.Content(h.Ctx, v.ID)
		if err != nil || c.Text != want || c.Sha256 != v.AfterSha256 || c.SizeBytes != v.SizeBytes {
			h.Errorf("seed %d, %s, version %q: %v, %+v, want %q", seed, path, v.Entry, err, c, want)
		}
	}
	if !slices.Equal(got, h.past[path]) {
		h.Errorf("seed %d, %s has the entries\n%s, want\n%s", seed, path, strings.Join(got, "\n"), strings.Join(h.past[path], "\n"))
	}
}

// TestPutBackLaw: a version that is put back makes the file what it was. When that is undone, the tree is as before, with
// every mode.
func TestPutBackLaw(t *testing.T) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 81))
		s := emendtest.NewStory(t, "a", "A\n", "b", "B\n")
		for round := range 12 {
			s.Random(r, 4)
			s.Chmod(s.Some(r), []os.FileMode{0o600, 0o644, 0o755}[r.IntN(3)])
			path := string(rune('a' + r.IntN(6)))
			versions := s.History(path).Versions
			if len(versions) == 0 {
				continue
			}
			v := versions[r.IntN(len(versions))]
			if v.ID == "" || strings.HasPrefix(v.ID, "now:") {
				continue
			}
			c, err := s.WS.Content(s.Ctx, v.ID)
			s.Must(err)
			if _, err := os.Lstat(s.At(path)); err == nil && s.Sha(path) == c.Sha256 {
				continue
			}
			was, modes := s.Tree(), s.AllModes()
			tx := s.PutBack(path, v.ID)
			same := s.Modes(path) == path+" "+strings.TrimPrefix(c.Mode, "0")
			if s.Read(path) != c.Text || !same && !strings.HasSuffix(v.ID, "+") { // of what is made anew only the text is kept
				t.Errorf("seed %d, round %d: %s is %q, %s, want %q, %s", seed, round, path, s.Read(path), s.Modes(path), c.Text, c.Mode)
			}
			s.Undo(tx)
			if s.Tree() != was || s.AllModes() != modes {
				t.Fatalf("seed %d, round %d: %s of %s, taken back:\n%s, %s\nand was\n%s, %s", seed, round, path, v.ID, s.Tree(), s.AllModes(), was, modes)
			}
		}
	}
}
