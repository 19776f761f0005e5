package undo_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// TestUndoMoveLeavesOthers: the file at the new path moves back only if it is the one that was moved there.
func TestUndoMoveLeavesOthers(t *testing.T) {
	tests := []struct {
		name  string
		then  func(s *emendtest.Story) (later string) // after a was moved to b
		words []string
	}{
		{"moved on, and made anew", func(s *emendtest.Story) string { s.Move("b", "c"); return s.Create("b", "unrelated\n") }, []string{"b: something else is there since"}},
		{"deleted, and made anew with the same text", func(s *emendtest.Story) string { s.Remove("b"); return s.Create("b", "A\n") }, []string{"b: something else is there since"}},
		{"deleted, and a link made", func(s *emendtest.Story) string { tx, _ := s.Remove("b"); s.Link("/etc/passwd", "b"); return tx }, []string{"b: something else is there since"}},
		{"a person's own file", func(s *emendtest.Story) string { s.Rename("b", "b.person"); s.Write("b", "own\n"); return "" }, []string{"b: something else is there since", "no later change went through emend"}},
		{"deleted, and made anew by a person", func(s *emendtest.Story) string { s.Anew("b", "own\n"); return "" }, []string{"b: something else is there since", "no later change went through emend"}},
		{"edited, deleted, and made anew by a person", func(s *emendtest.Story) string { tx := s.Edit("b", "A", "B"); s.Anew("b", "own\n"); return tx }, []string{"b: something else is there since"}},
		{"a link of a person", func(s *emendtest.Story) string { s.Rename("b", "c"); s.Link("c", "b"); return "" }, []string{"b: something else is there since", "no later change went through emend"}},
		{"a directory", func(s *emendtest.Story) string { s.Rename("b", "c"); s.Must(os.Mkdir(s.At("b"), 0o755)); return "" }, []string{"b: something else is there since"}},
		{"another file moved there", func(s *emendtest.Story) string { s.Move("b", "c"); return s.Move("x", "b") }, []string{"b: something else is there since"}},
		{"saved by a person's editor", func(s *emendtest.Story) string { s.Save("b", "A\nmore\n"); return "" }, []string{"b: something else is there since", "by hand"}},
		{"moved on", func(s *emendtest.Story) string { return s.Move("b", "c") }, []string{"b: it was deleted or moved on since"}},
		{"moved on by a person", func(s *emendtest.Story) string { s.Rename("b", "c"); return "" }, []string{"b: it was deleted or moved on since", "by hand"}},
		{"deleted", func(s *emendtest.Story) string { tx, _ := s.Remove("b"); return tx }, []string{"b: it was deleted or moved on since"}},
		{"its old place is taken", func(s *emendtest.Story) string { return s.Create("a", "new\n") }, []string{"a: something else is there since"}},
		{"its old place is a person's", func(s *emendtest.Story) string { s.Write("a", "own\n"); return "" }, []string{"a: something else is there since"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "a", "A\n", "x", "X\n")
			moved := s.Move("a", "b")
			if later := tt.then(s); later != "" {
				tt.words = append(tt.words, "entry "+later, "Undo that one first: "+later)
			}
			s.Refused(api.UndoRequest{Entry: moved}, fail.Stale, tt.words...)
			s.Refused(api.UndoRequest{Entry: moved, DryRun: true}, fail.Stale, tt.words...)
		})
	}
}

// TestUndoMoveKeepsEdits: a file that was edited after its move goes back with the edits.
func TestUndoMoveKeepsEdits(t *testing.T) {
	tests := []struct {
		name string
		then func(s *emendtest.Story)
		want string
	}{
		{"nothing", func(*emendtest.Story) {}, `a "one\n", h "one\n"`},
		{"written into by a person", func(s *emendtest.Story) { s.Write("b", "one\nperson\n") }, `a "one\nperson\n", h "one\nperson\n"`},
		{"edited", func(s *emendtest.Story) { s.Edit("b", "one", "two") }, `a "two\n", h "one\n"`},
		{"edited twice", func(s *emendtest.Story) { s.Edit("b", "one", "two"); s.Edit("b", "two", "three") }, `a "three\n", h "one\n"`},
		{"edited, and written into", func(s *emendtest.Story) { s.Edit("b", "one", "two"); s.Write("b", "two\nperson\n") }, `a "two\nperson\n", h "one\n"`},
		{"saved with the same text", func(s *emendtest.Story) { s.Save("b", "one\n") }, `a "one\n", h "one\n"`},
		{"moved back by a person", func(s *emendtest.Story) { s.Rename("b", "a") }, `a "one\n", h "one\n"`},
		{"deleted, which was taken back", func(s *emendtest.Story) { tx, _ := s.Remove("b"); s.Undo(tx) }, `a "one\n", h "one\n"`},
		{"moved on, which was taken back", func(s *emendtest.Story) { s.Undo(s.Move("b", "c")) }, `a "one\n", h "one\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "a", "one\n")
			s.Must(os.Link(s.At("a"), s.At("h")))
			moved := s.Move("a", "b")
			tt.then(s)
			s.Undo(moved)
			s.Has(tt.want)
		})
	}
}

// TestUndoMoveIsTheFile: undo and redo of a move rename the very file, with its hard links and mode.
func TestUndoMoveIsTheFile(t *testing.T) {
	s := emendtest.NewStory(t, "a", "A\n")
	s.Must(os.Link(s.At("a"), s.At("h")))
	s.Chmod("a", 0o750)
	back := s.Undo(s.Move("a", "d/b"))
	s.Has(`a "A\n", h "A\n"`)
	again := s.Undo(back)
	s.Has(`d/, d/b "A\n", h "A\n"`)
	if !s.Same("d/b", "h") {
		t.Error("it is another file")
	}
	s.Write("d/b", "A\nperson\n")
	s.Undo(again)
	s.Has(`a "A\nperson\n", h "A\nperson\n"`)
	if !s.Same("a", "h") || s.Modes("a") != "a 750" {
		t.Errorf("it is another file, %s", s.Modes("a"))
	}
}

// TestUndoMoveMakesDirectories: undo recreates the old directory and removes the directories made by the move.
func TestUndoMoveMakesDirectories(t *testing.T) {
	s := emendtest.NewStory(t, "d/e/a", "A\n", "x", "X\n")
	moved := s.Move("d/e/a", "f/g/b")
	s.Must(os.RemoveAll(s.At("d")))
	s.Undo(moved)
	s.Has(`d/, d/e/, d/e/a "A\n", x "X\n"`)
	moved = s.Move("x", "f/x")
	s.Write("f/person", "P\n")
	s.Undo(moved)
	s.Has(`d/, d/e/, d/e/a "A\n", f/, f/person "P\n", x "X\n"`)
}

// TestUndoMoveOfLink: a link is moved back as a link, wherever it leads, and another link in its place is left alone.
func TestUndoMoveOfLink(t *testing.T) {
	s := emendtest.NewStory(t, "f", "F\n")
	s.Link("/etc/passwd", "l")
	moved := s.Move("l", "m")
	s.Undo(s.Undo(s.Undo(moved)))
	s.Has(`f "F\n", l -> /etc/passwd`)
	moved = s.Move("l", "m")
	s.Must(os.Remove(s.At("m")))
	s.Link("f", "m")
	s.Refused(api.UndoRequest{Entry: moved}, fail.Stale, "m: something else is there since")
}

// TestUndoChain: successive moves are undone the newest first, redone the oldest first, and undone together as a session.
func TestUndoChain(t *testing.T) {
	s := emendtest.NewStory(t, "a", "A\n").As("s")
	first, second := s.Move("a", "b"), s.Move("b", "c")
	s.Refused(api.UndoRequest{Entry: first}, fail.Stale, "Undo that one first: "+second)
	backSecond := s.Undo(second)
	s.Has(`b "A\n"`)
	backFirst := s.Undo(first)
	s.Has(`a "A\n"`)
	s.Refused(api.UndoRequest{Entry: second}, fail.CommandFailed, "was already undone", "undo "+backSecond)
	s.Refused(api.UndoRequest{Entry: backSecond}, fail.Stale)
	s.Undo(backFirst)
	s.Has(`b "A\n"`)
	s.Undo(backSecond)
	s.Has(`c "A\n"`)
	s.As("other").UndoSession("s")
	s.Has(`a "A\n"`)
}

// TestUndoSession: several changes to the same files are undone together.
func TestUndoSession(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *emendtest.Story)
		then func(s *emendtest.Story) // by others
		want string
	}{
		{"a log that was rotated", func(s *emendtest.Story) { s.Move("log", "log.1"); s.Create("log", "new\n") }, nil, `log "old\n", x "X\n"`},
		{"rotated, and written into", func(s *emendtest.Story) { s.Move("log", "log.1"); s.Create("log", "new\n") },
			func(s *emendtest.Story) { s.Write("log.1", "old\nlast\n") }, `log "old\nlast\n", x "X\n"`},
		{"rotated twice", func(s *emendtest.Story) {
			s.Move("log", "log.1")
			s.Create("log", "new\n")
			s.Move("log.1", "log.2")
			s.Move("log", "log.1")
			s.Create("log", "newest\n")
		}, nil, `log "old\n", x "X\n"`},
		{"moved, edited, moved", func(s *emendtest.Story) { s.Move("log", "b"); s.Edit("b", "old", "two"); s.Move("b", "c") }, nil, `log "old\n", x "X\n"`},
		{"moved, and edited by others", func(s *emendtest.Story) { s.Move("log", "b") }, func(s *emendtest.Story) { s.Edit("b", "old", "two") }, `log "two\n", x "X\n"`},
		{"moved and deleted", func(s *emendtest.Story) { s.Move("log", "b"); s.Remove("b") }, nil, `log "old\n", x "X\n"`},
		{"moved over another", func(s *emendtest.Story) { s.Move("log", "x") }, nil, `log "old\n", x "X\n"`},
		{"deleted and restored", func(s *emendtest.Story) { _, id := s.Remove("log"); s.Restore(id, "") }, nil, `log "old\n", x "X\n"`},
		{"deleted and restored elsewhere", func(s *emendtest.Story) { _, id := s.Remove("log"); s.Restore(id, "d/other") }, nil, `log "old\n", x "X\n"`},
		{"deleted, restored elsewhere, edited", func(s *emendtest.Story) { _, id := s.Remove("log"); s.Restore(id, "b"); s.Edit("b", "old", "two") }, nil, `log "old\n", x "X\n"`},
		{"deleted and made anew", func(s *emendtest.Story) { s.Remove("log"); s.Create("log", "new\n") }, nil, `log "old\n", x "X\n"`},
		{"created, moved, deleted", func(s *emendtest.Story) { s.Create("n", "N\n"); s.Move("n", "o"); s.Remove("o") }, nil, `log "old\n", x "X\n"`},
		{"names changed places", func(s *emendtest.Story) { s.Move("log", "t"); s.Move("x", "log"); s.Move("t", "x") }, nil, `log "old\n", x "X\n"`},
		{"changed places, and edited", func(s *emendtest.Story) {
			s.Move("log", "t")
			s.Move("x", "log")
			s.Move("t", "x")
			s.Edit("x", "old", "older")
		}, nil, `log "old\n", x "X\n"`},
		{"changed places, and written into", func(s *emendtest.Story) { s.Move("log", "t"); s.Move("x", "log"); s.Move("t", "x") },
			func(s *emendtest.Story) { s.Write("x", "old\nlast\n") }, `log "old\nlast\n", x "X\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "log", "old\n", "x", "X\n")
			tt.do(s.As("s"))
			if tt.then != nil {
				tt.then(s)
			}
			done := s.Tree()
			back := s.UndoSession("s")
			s.Has(tt.want)
			again := s.Undo(back)
			s.Has(done)
			s.Undo(again)
			s.Has(tt.want)
		})
	}
}

// TestUndoModes: a restored file has its old permissions, even if its content comes from another kept file.
func TestUndoModes(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *emendtest.Story)
	}{
		{"moved over", func(s *emendtest.Story) { s.Move("public", "private") }},
		{"moved over by the private", func(s *emendtest.Story) { s.Move("private", "public") }},
		{"moved away and made anew", func(s *emendtest.Story) { s.Move("private", "old"); s.Create("private", "new\n") }},
		{"deleted and made anew", func(s *emendtest.Story) { s.Remove("private"); s.Create("private", "new\n") }},
		{"moved over one with the same text", func(s *emendtest.Story) { s.Edit("public", "page", "secret"); s.Move("public", "private") }},
		{"changed places", func(s *emendtest.Story) { s.Move("private", "t"); s.Move("public", "private"); s.Move("t", "public") }},
		{"changed places, and edited", func(s *emendtest.Story) {
			s.Move("private", "t")
			s.Move("public", "private")
			s.Move("t", "public")
			s.Edit("public", "secret", "secrets")
		}},
		{"three changed places", func(s *emendtest.Story) {
			s.Move("private", "t")
			s.Move("public", "private")
			s.Move("run", "public")
			s.Move("t", "run")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "private", "secret\n", "public", "page\n", "run", "#!\n").As("s")
			s.Chmod("private", 0o600)
			s.Chmod("run", 0o755)
			files, modes := s.Tree(), s.Modes("private", "public", "run")
			tt.do(s)
			back := s.UndoSession("s")
			s.Has(files)
			if got := s.Modes("private", "public", "run"); got != modes {
				t.Errorf("the modes are %s, and were %s", got, modes)
			}
			s.Undo(s.Undo(back))
			s.Has(files)
			if got := s.Modes("private", "public", "run"); got != modes {
				t.Errorf("taken back again, the modes are %s, and were %s", got, modes)
			}
		})
	}
}

// TestUndoLaw: to undo a session of random calls restores the tree and its modes; to undo that restores the session's tree.
func TestUndoLaw(t *testing.T) {
	for seed := range uint64(60) {
		s := emendtest.NewStory(t, "a", "A\n", "b", "B\n", "c", "C\n", "d", "A\n").As("s")
		s.Chmod("b", 0o600)
		s.Chmod("c", 0o755)
		was, modes := s.Tree(), s.AllModes()
		story := s.Random(rand.New(rand.NewPCG(seed, 1)), 7)
		done, doneModes := s.Tree(), s.AllModes()
		back := s.UndoSession("s")
		if s.Tree() != was || s.AllModes() != modes {
			t.Fatalf("seed %d: %s\nleaves\n%s %s\nwant\n%s %s", seed, story, s.Tree(), s.AllModes(), was, modes)
		}
		s.Undo(back)
		if s.Tree() != done || s.AllModes() != doneModes {
			t.Fatalf("seed %d: %s\nagain leaves\n%s %s\nwant\n%s %s", seed, story, s.Tree(), s.AllModes(), done, doneModes)
		}
	}
}

// TestUndoKeepsPeople: the undo of a session keeps what a person wrote since, or it is refused and changes nothing.
func TestUndoKeepsPeople(t *testing.T) {
	refused := 0
	for seed := range uint64(60) {
		s := emendtest.NewStory(t, "a", "A\n", "b", "B\n", "c", "C\n", "d", "A\n").As("s")
		r := rand.New(rand.NewPCG(seed, 3))
		story := s.Random(r, 4)
		var wrote []string
		for i, name := range s.Files() {
			line := fmt.Sprintf("person %d\n", i)
			switch r.IntN(4) {
			case 0:
				s.Write(name, s.Read(name)+line)
			case 1:
				s.Save(name, s.Read(name)+line)
			case 2:
				s.Anew(name, line)
			default:
				continue
			}
			wrote = append(wrote, line)
		}
		was := s.Tree()
		_, err := s.WS.Undo(s.Ctx, api.UndoRequest{SessionID: "s"})
		if err != nil {
			s.Refusal(err, fail.Stale)
			s.Has(was)
			refused++
		}
		for _, line := range wrote {
			if !strings.Contains(s.Tree(), strings.TrimSpace(line)) {
				t.Fatalf("seed %d: %s, which left\n%s\nis now\n%s", seed, story, was, s.Tree())
			}
		}
	}
	if refused == 0 || refused == 60 {
		t.Errorf("%d of 60 are refused: one of the two is not seen", refused)
	}
}

// TestUndoOneByOne: to undo the last change again and again leads back to the first tree, and no further.
func TestUndoOneByOne(t *testing.T) {
	for seed := range uint64(30) {
		s := emendtest.NewStory(t, "a", "A\n", "b", "B\n", "c", "C\n", "d", "A\n")
		s.Chmod("b", 0o600)
		s.Chmod("c", 0o755)
		was, modes := s.Tree(), s.AllModes()
		story := s.Random(rand.New(rand.NewPCG(seed, 2)), 7)
		h, err := s.WS.History(s.Ctx, api.HistoryRequest{})
		s.Must(err)
		for range h.Data.Entries {
			s.Undo("")
		}
		if s.Tree() != was || s.AllModes() != modes {
			t.Fatalf("seed %d: %s\nleaves\n%s %s\nwant\n%s %s", seed, story, s.Tree(), s.AllModes(), was, modes)
		}
		s.Refused(api.UndoRequest{}, fail.NotFound, "there is no change to undo")
	}
}

// TestUndoLinksThatChangedPlaces: undo refuses to move a link onto a file. To undo entry by entry, as the hint says, works.
// Nothing is read through the link.
func TestUndoLinksThatChangedPlaces(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *emendtest.Story) []string
	}{
		{"made anew", func(s *emendtest.Story) []string { return []string{s.Move("l", "old"), s.Create("l", "new\n")} }},
		{"changed places", func(s *emendtest.Story) []string {
			return []string{s.Move("l", "t"), s.Move("f", "l"), s.Move("t", "f")}
		}},
		{"two links", func(s *emendtest.Story) []string {
			return []string{s.Move("l", "t"), s.Move("k", "l"), s.Move("t", "k")}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", "F\n", "g", "G\n").As("s")
			s.Link("g", "l")
			s.Link("nowhere", "k")
			was := s.Tree()
			entries := tt.do(s)
			s.Refused(api.UndoRequest{SessionID: "s"}, fail.AlreadyExists, "symbolic link", "one by one")
			for _, tx := range slices.Backward(entries) {
				s.Undo(tx)
			}
			s.Has(was)
		})
	}
}
