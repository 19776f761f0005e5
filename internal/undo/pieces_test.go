package undo_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/emendtest"
)

// lines returns lines 1 to n, of which some are replaced.
func lines(n int, changed map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if s, ok := changed[i]; ok {
			b.WriteString(s)
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// change writes a file through emend.
func change(s *emendtest.Story, name, content string) string {
	s.Helper()
	a, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: name, Content: content, ExpectedSha256: s.Sha(name)})
	s.Must(err)
	return a.Tx
}

func hunks(entry, path string, n ...int) api.UndoRequest {
	return api.UndoRequest{Entry: entry, Pieces: []api.UndoPiece{{Path: path, Hunks: n}}}
}

func show(s *emendtest.Story, entry string) *api.EntryData {
	s.Helper()
	a, err := s.WS.Show(s.Ctx, entry)
	s.Must(err)
	return &a.Data
}

// state says how an entry stands.
func state(s *emendtest.Story, entry string) string {
	s.Helper()
	d := show(s, entry)
	if d.UndoneBy != "" {
		return "undone"
	}
	var out []string
	for _, p := range d.UndoneParts {
		out = append(out, fmt.Sprintf("%s %v of %d", p.Path, p.Hunks, p.Of))
	}
	if len(out) == 0 {
		return "in effect"
	}
	return strings.Join(out, "; ")
}

func is(s *emendtest.Story, name, want string) {
	s.Helper()
	if got := s.Read(name); got != want {
		s.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

// TestUndoHunks: hunks are taken back one by one, given back, and what is left is taken back by the undo of the entry.
func TestUndoHunks(t *testing.T) {
	three := map[int]string{5: "five\n", 20: "twenty\nand more\n", 35: ""}
	s := emendtest.NewStory(t, "f", lines(40, nil))
	e := change(s, "f", lines(40, three))

	second := s.Undoing(hunks(e, "f", 2))
	is(s, "f", lines(40, map[int]string{5: "five\n", 35: ""}))
	if got := state(s, e); got != "f [2] of 3" {
		t.Error(got)
	}
	if d := show(s, second); len(d.Undoes) != 0 || len(d.UndoesParts) != 1 || d.UndoesParts[0].Entry != e || !slices.Equal(d.UndoesParts[0].Hunks, []int{2}) || d.Kind != "undo" {
		t.Errorf("%+v", d)
	}
	s.Refused(hunks(e, "f", 1, 2), fail.CommandFailed, "hunk 2 was already undone by "+second, "undo "+second)
	s.Refused(hunks(e, "f", 4), fail.CommandFailed, "there is no hunk 4: the entry has 3", "emend show "+e)
	s.Refused(hunks(e, "g", 1), fail.NotFound, "did not change it")

	third := s.Undoing(hunks(e, "f", 3))
	is(s, "f", lines(40, map[int]string{5: "five\n"}))
	s.Undo(second)
	is(s, "f", lines(40, map[int]string{5: "five\n", 20: "twenty\nand more\n"}))
	if got := state(s, e); got != "f [3] of 3" {
		t.Error(got)
	}
	rest := s.Undo(e)
	is(s, "f", lines(40, nil))
	if got := state(s, e); got != "undone" {
		t.Error(got)
	}
	s.Undo(rest)
	is(s, "f", lines(40, map[int]string{5: "five\n", 20: "twenty\nand more\n"}))
	s.Undo(third)
	is(s, "f", lines(40, three))
	if got := state(s, e); got != "in effect" {
		t.Error(got)
	}
}

// TestUndoAllHunks: an entry of which every piece was taken back is undone, until one of them is given back.
func TestUndoAllHunks(t *testing.T) {
	s := emendtest.NewStory(t, "f", lines(40, nil))
	older := s.Create("g", "g\n")
	e := change(s, "f", lines(40, map[int]string{5: "five\n", 20: "twenty\n"}))
	first := s.Undoing(hunks(e, "f", 1))
	s.Undoing(hunks(e, "f", 2))
	if d := show(s, e); d.UndoneBy == "" || d.Outcome != api.Undone {
		t.Errorf("%+v", d)
	}
	s.Refused(api.UndoRequest{Entry: e}, fail.CommandFailed, "was already undone")
	s.Undo("") // goes on to the one before it
	if got := state(s, older); got != "undone" {
		t.Error(got)
	}
	s.Undo(first)
	is(s, "f", lines(40, map[int]string{5: "five\n"}))
	s.Undo("")
	is(s, "f", lines(40, nil))
}

// TestUndoHunksOfUndo: what was taken back by pieces can be taken back by pieces.
func TestUndoHunksOfUndo(t *testing.T) {
	s := emendtest.NewStory(t, "f", lines(60, nil))
	e := change(s, "f", lines(60, map[int]string{5: "five\n", 20: "twenty\n", 40: "forty\n"}))
	two := s.Undoing(hunks(e, "f", 1, 3))
	is(s, "f", lines(60, map[int]string{20: "twenty\n"}))
	s.Undoing(hunks(two, "f", 2))
	is(s, "f", lines(60, map[int]string{20: "twenty\n", 40: "forty\n"}))
	if got := state(s, two); got != "f [2] of 2" {
		t.Error(got)
	}
	s.Undo(e) // takes back what is left, whoever knows which that is
	is(s, "f", lines(60, nil))
}

// TestUndoFiles: files are taken back one by one, whatever was done to them.
func TestUndoFiles(t *testing.T) {
	patch := "*** Begin Patch\n*** Add File: new/made\n+made\n*** Delete File: gone\n*** Update File: old\n*** Move to: moved\n@@\n-old\n+new\n*** Update File: f\n@@\n-one\n+two\n*** End Patch"
	began := func(t *testing.T) (*emendtest.Story, string) {
		s := emendtest.NewStory(t, "gone", "gone\n", "old", "old\n", "f", "one\n")
		rep, err := s.WS.Apply(s.Ctx, patch, api.PatchOptions{Lenient: true})
		s.Must(err)
		s.Has(`f "two\n", moved "new\n", new/, new/made "made\n"`)
		return s, rep.Tx
	}
	for path, want := range map[string]string{
		"new":   `f "two\n", moved "new\n"`,
		"gone":  `f "two\n", gone "gone\n", moved "new\n", new/, new/made "made\n"`,
		"old":   `f "two\n", new/, new/made "made\n", old "old\n"`,
		"moved": `f "two\n", new/, new/made "made\n", old "old\n"`,
		"f":     `f "one\n", moved "new\n", new/, new/made "made\n"`,
		".":     `f "one\n", gone "gone\n", old "old\n"`,
	} {
		t.Run(path, func(t *testing.T) {
			s, e := began(t)
			was := s.Tree()
			part := s.Undoing(hunks(e, path))
			s.Has(want)
			if path != "." {
				s.Refused(hunks(e, path), fail.CommandFailed, "was already undone by "+part)
			}
			s.Undo(part)
			s.Has(was)
			s.Undoing(hunks(e, path))
			s.Has(want)
			if path != "." {
				s.Undo(e) // the rest
			}
			s.Has(`f "one\n", gone "gone\n", old "old\n"`)
		})
	}
	s, e := began(t)
	for _, path := range []string{"new/made", "gone", "moved"} {
		s.Refused(hunks(e, path, 1), fail.CommandFailed, "no hunks", "Undo the whole file")
	}
	s.Undoing(hunks(e, "f", 1)) // the only one
	s.Has(`f "one\n", moved "new\n", new/, new/made "made\n"`)
	s.Write("new/made", "person\n")
	s.Refused(api.UndoRequest{Entry: e}, fail.Stale, "new/made: it was changed since")
	s.Undoing(api.UndoRequest{Entry: e, SkipConflicts: true})
	s.Has(`f "one\n", gone "gone\n", new/, new/made "person\n", old "old\n"`)
	if got := state(s, e); !strings.Contains(got, "gone [] of 0") || !strings.Contains(got, "old [] of 0") || strings.Contains(got, "made") {
		t.Error(got)
	}
}

// TestUndoFilesTogether: files between which an entry moved something go back together.
func TestUndoFilesTogether(t *testing.T) {
	s := emendtest.NewStory(t, "a", "A\n", "c", "C\n", "f", "F\n")
	agent := s.As("A")
	agent.Move("a", "z")
	agent.Move("c", "a")
	agent.Edit("f", "F", "G")
	e := s.UndoSession("A") // one entry, in which a goes to c, and z to a
	s.Has(`a "A\n", c "C\n", f "F\n"`)
	for _, path := range []string{"a", "c", "z"} {
		part := s.Undoing(hunks(e, path))
		s.Has(`a "C\n", f "F\n", z "A\n"`)
		s.Undo(part)
		s.Has(`a "A\n", c "C\n", f "F\n"`)
	}
}

// TestUndoHunksBeside: later edits stay, also those close by, unless they meet the hunk. The refusal shows the three sides.
func TestUndoHunksBeside(t *testing.T) {
	two := map[int]string{10: "ten\n", 30: "thirty\n"}
	for name, tc := range map[string]struct {
		later map[int]string // a person's file
		hunk  int
		want  map[int]string // nil: refused
	}{
		"far away":           {map[int]string{1: "first\n", 10: "ten\n", 30: "thirty\n"}, 1, map[int]string{1: "first\n", 30: "thirty\n"}},
		"two lines away":     {map[int]string{8: "eight\n", 10: "ten\n", 30: "thirty\n"}, 1, map[int]string{8: "eight\n", 30: "thirty\n"}},
		"the line itself":    {map[int]string{10: "TEN\n", 30: "thirty\n"}, 1, nil},
		"the line above":     {map[int]string{9: "nine\n", 10: "ten\n", 30: "thirty\n"}, 1, nil},
		"in the other hunk":  {map[int]string{10: "ten\n", 30: "THIRTY\n"}, 1, map[int]string{30: "THIRTY\n"}},
		"taken back by hand": {map[int]string{30: "thirty\n", 35: "x\n"}, 2, map[int]string{35: "x\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", lines(40, nil))
			e := change(s, "f", lines(40, two))
			s.Save("f", lines(40, tc.later))
			if tc.want == nil {
				s.Refused(hunks(e, "f", tc.hunk), fail.Stale, fmt.Sprintf("f: hunk %d: it was changed since", tc.hunk))
				_, err := s.WS.Undo(s.Ctx, hunks(e, "f", tc.hunk))
				sides := fail.All(err)[0].Sides
				if len(sides) != 3 || !strings.Contains(strings.Join(sides[1].Lines, "\n"), "ten") || !strings.Contains(strings.Join(sides[2].Lines, "\n"), "line 10") ||
					strings.Join(sides[0].Lines, "\n")+"\n" == strings.Join(sides[1].Lines, "\n") {
					t.Errorf("%+v", sides)
				}
				return
			}
			s.Undoing(hunks(e, "f", tc.hunk))
			is(s, "f", lines(40, tc.want))
		})
	}
}

// TestUndoSessionByPieces: the undo of a session leaves what conflicts if it is told to, and takes the rest back.
func TestUndoSessionByPieces(t *testing.T) {
	s := emendtest.NewStory(t, "f", lines(40, nil), "g", "g\n")
	agent := s.As("A")
	e := change(agent, "f", lines(40, map[int]string{10: "ten\n", 30: "thirty\n"}))
	edited := agent.Edit("g", "g", "G")
	made := agent.Create("h", "h\n")
	s.Save("f", lines(40, map[int]string{10: "ten\n", 30: "mine\n"}))
	s.Save("h", "mine\n")
	s.Refused(api.UndoRequest{SessionID: "A"}, fail.Stale, "it was changed since")
	rep, err := s.WS.Undo(s.Ctx, api.UndoRequest{SessionID: "A", SkipConflicts: true})
	s.Must(err)
	is(s, "f", lines(40, map[int]string{30: "mine\n"}))
	is(s, "g", "g\n")
	is(s, "h", "mine\n")
	for _, words := range []string{"a part of", "f, hunk 1 of 2", "Stays: f: hunk 2: it was changed since", "| mine", "| thirty", "| line 30", "Stays: h: it was changed since"} {
		if text := rep.Result().Text(); !strings.Contains(text, words) {
			t.Errorf("%q is not in:\n%s", words, text)
		}
	}
	if got := state(s, e) + ", " + state(s, edited) + ", " + state(s, made); got != "f [1] of 2, undone, in effect" {
		t.Error(got)
	}
	s.Undo(rep.Tx)
	is(s, "f", lines(40, map[int]string{10: "ten\n", 30: "mine\n"}))
	is(s, "g", "G\n")
	s.Refused(api.UndoRequest{Entry: made, SkipConflicts: true}, fail.Stale, "h: it was changed since")

	// only one file of it
	s.Undoing(api.UndoRequest{SessionID: "A", Pieces: []api.UndoPiece{{Path: "g"}}})
	is(s, "g", "g\n")
	is(s, "f", lines(40, map[int]string{10: "ten\n", 30: "mine\n"}))
	s.Refused(api.UndoRequest{SessionID: "A", Pieces: []api.UndoPiece{{Path: "g", Hunks: []int{1}}}}, fail.CommandFailed, "one entry")
	s.Refused(api.UndoRequest{SessionID: "A", Pieces: []api.UndoPiece{{Path: "nothing"}}}, fail.NotFound, "nothing")
}

// TestUndoSessionAfterPieces: of a session, of which somebody took a piece back, the rest is taken back, and nothing twice.
func TestUndoSessionAfterPieces(t *testing.T) {
	for _, by := range []string{"A", "B"} {
		s := emendtest.NewStory(t, "f", lines(40, nil))
		e := change(s.As("A"), "f", lines(40, map[int]string{10: "ten\n", 30: "thirty\n"}))
		s.As(by).Undoing(hunks(e, "f", 2))
		s.Save("f", lines(40, map[int]string{10: "ten\n", 30: "mine\n"}))
		s.UndoSession("A")
		is(s, "f", lines(40, map[int]string{30: "mine\n"}))
		if by == "B" {
			s.Refused(api.UndoRequest{SessionID: "B"}, fail.Stale, "f: hunk 1: it was changed since") // what B took back
		}
	}
}

// TestUndoPiecesBelow: below the top, the pieces inside of the root can be taken back of an entry that touched more.
func TestUndoPiecesBelow(t *testing.T) {
	s := emendtest.NewStory(t, "d1/x", "X\n", "d2/y", "Y\n")
	s.Create("seed", "s\n")
	rep, err := s.WS.Apply(s.Ctx, "*** Begin Patch\n*** Update File: d1/x\n@@\n-X\n+x\n*** Update File: d2/y\n@@\n-Y\n+y\n*** End Patch", api.PatchOptions{})
	s.Must(err)
	d1 := s.Below("d1")
	d1.Refused(api.UndoRequest{Entry: rep.Tx}, fail.OutsideWorkspace, "outside of the workspace")
	d1.Undoing(hunks(rep.Tx, "x"))
	s.Has(`d1/, d1/x "X\n", d2/, d2/y "y\n", seed "s\n"`)
	s.Undo(rep.Tx)
	s.Has(`d1/, d1/x "X\n", d2/, d2/y "Y\n", seed "s\n"`)
}

// TestUndoHunksNeedsTheDiff: without the diff nobody knows the hunks; the file can still be taken back.
func TestUndoHunksNeedsTheDiff(t *testing.T) {
	s := emendtest.NewStory(t, "f", lines(40, nil))
	e := change(s, "f", lines(40, map[int]string{10: "ten\n", 30: "thirty\n"}))
	s.Must(os.Remove(s.At(".emend/slots/" + e + ".diff")))
	s.Refused(hunks(e, "f", 1), fail.CommandFailed, "no hunks", "its diff is not kept")
	s.Undoing(hunks(e, "f"))
	is(s, "f", lines(40, nil))
}

// TestUndoPiecesOncePerKey: the same key with other pieces is another request.
func TestUndoPiecesOncePerKey(t *testing.T) {
	s := emendtest.NewStory(t, "f", lines(40, nil))
	e := change(s, "f", lines(40, map[int]string{10: "ten\n", 30: "thirty\n"}))
	one := hunks(e, "f", 1)
	one.IdempotencyKey = "k"
	for range 2 {
		_, err := s.WS.Undo(s.Ctx, one)
		s.Must(err)
	}
	is(s, "f", lines(40, map[int]string{30: "thirty\n"}))
	two := hunks(e, "f", 2)
	two.IdempotencyKey = "k"
	s.Refused(two, fail.CommandFailed, "key")
}

// TestRandomPieces takes random hunks of random changes back, more of them, gives some back, and takes the rest back. Each time the file is what
// [emendtest.WithoutHunks] makes of it.
func TestRandomPieces(t *testing.T) {
	s := emendtest.NewStory(t)
	s = s.Opened(s.WS.Root(), emend.NoSync())
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 43))
		before := randomText(r, 30+r.IntN(60))
		after := mutatedText(r, before, 1+r.IntN(8))
		emendtest.CheckPieces(s, r, fmt.Sprintf("f%d", seed), before, after)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// randomText has few different lines, so that the same lines stand at many places.
func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s\n", []string{"", "}", "a", "b", "\treturn", fmt.Sprint(r.IntN(50))}[r.IntN(6)])
	}
	if r.IntN(4) == 0 {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

func mutatedText(r *rand.Rand, s string, times int) string {
	all := strings.SplitAfter(s, "\n")
	for range times {
		i := r.IntN(len(all))
		switch r.IntN(3) {
		case 0:
			all = slices.Insert(all, i, randomText(r, 1+r.IntN(3)))
		case 1:
			all = slices.Delete(all, i, min(len(all), i+1+r.IntN(3)))
		default:
			all[i] = fmt.Sprintf("changed %d\n", r.IntN(9))
		}
		if len(all) == 0 {
			all = []string{"left\n"}
		}
	}
	return strings.Join(all, "")
}
