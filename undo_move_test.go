package emend_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// TestUndoMoveLeavesOthers: what stands where a file was moved to goes back only if it is that file.
func TestUndoMoveLeavesOthers(t *testing.T) {
	tests := []struct {
		name  string
		then  func(s *story) (later string) // after a was moved to b
		words []string
	}{
		{"moved on, and made anew", func(s *story) string { s.move("b", "c"); return s.create("b", "unrelated\n") }, []string{"b: something else is there since"}},
		{"deleted, and made anew with the same text", func(s *story) string { s.remove("b"); return s.create("b", "A\n") }, []string{"b: something else is there since"}},
		{"deleted, and a link made", func(s *story) string { tx, _ := s.remove("b"); s.link("/etc/passwd", "b"); return tx }, []string{"b: something else is there since"}},
		{"a person's own file", func(s *story) string { s.rename("b", "b.person"); s.write("b", "own\n"); return "" }, []string{"b: something else is there since", "no later change went through emend"}},
		{"deleted, and made anew by a person", func(s *story) string { s.anew("b", "own\n"); return "" }, []string{"b: something else is there since", "no later change went through emend"}},
		{"edited, deleted, and made anew by a person", func(s *story) string { tx := s.edit("b", "A", "B"); s.anew("b", "own\n"); return tx }, []string{"b: something else is there since"}},
		{"a link of a person", func(s *story) string { s.rename("b", "c"); s.link("c", "b"); return "" }, []string{"b: something else is there since", "no later change went through emend"}},
		{"a directory", func(s *story) string { s.rename("b", "c"); s.must(os.Mkdir(s.at("b"), 0o755)); return "" }, []string{"b: something else is there since"}},
		{"another file moved there", func(s *story) string { s.move("b", "c"); return s.move("x", "b") }, []string{"b: something else is there since"}},
		{"saved by a person's editor", func(s *story) string { s.save("b", "A\nmore\n"); return "" }, []string{"b: something else is there since", "by hand"}},
		{"moved on", func(s *story) string { return s.move("b", "c") }, []string{"b: it was deleted or moved on since"}},
		{"moved on by a person", func(s *story) string { s.rename("b", "c"); return "" }, []string{"b: it was deleted or moved on since", "by hand"}},
		{"deleted", func(s *story) string { tx, _ := s.remove("b"); return tx }, []string{"b: it was deleted or moved on since"}},
		{"its old place is taken", func(s *story) string { return s.create("a", "new\n") }, []string{"a: something else is there since"}},
		{"its old place is a person's", func(s *story) string { s.write("a", "own\n"); return "" }, []string{"a: something else is there since"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "a", "A\n", "x", "X\n")
			moved := s.move("a", "b")
			if later := tt.then(s); later != "" {
				tt.words = append(tt.words, "entry "+later, "Undo that one first: "+later)
			}
			s.refused(api.UndoRequest{Entry: moved}, fail.Stale, tt.words...)
			s.refused(api.UndoRequest{Entry: moved, DryRun: true}, fail.Stale, tt.words...)
		})
	}
}

// TestUndoMoveKeepsEdits: what was edited in a moved file since goes back with it.
func TestUndoMoveKeepsEdits(t *testing.T) {
	tests := []struct {
		name string
		then func(s *story)
		want string
	}{
		{"nothing", func(*story) {}, `a "one\n", h "one\n"`},
		{"written into by a person", func(s *story) { s.write("b", "one\nperson\n") }, `a "one\nperson\n", h "one\nperson\n"`},
		{"edited", func(s *story) { s.edit("b", "one", "two") }, `a "two\n", h "one\n"`},
		{"edited twice", func(s *story) { s.edit("b", "one", "two"); s.edit("b", "two", "three") }, `a "three\n", h "one\n"`},
		{"edited, and written into", func(s *story) { s.edit("b", "one", "two"); s.write("b", "two\nperson\n") }, `a "two\nperson\n", h "one\n"`},
		{"saved with the same text", func(s *story) { s.save("b", "one\n") }, `a "one\n", h "one\n"`},
		{"moved back by a person", func(s *story) { s.rename("b", "a") }, `a "one\n", h "one\n"`},
		{"deleted, which was taken back", func(s *story) { tx, _ := s.remove("b"); s.undo(tx) }, `a "one\n", h "one\n"`},
		{"moved on, which was taken back", func(s *story) { s.undo(s.move("b", "c")) }, `a "one\n", h "one\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "a", "one\n")
			s.must(os.Link(s.at("a"), s.at("h")))
			moved := s.move("a", "b")
			tt.then(s)
			s.undo(moved)
			s.has(tt.want)
		})
	}
}

// TestUndoMoveIsTheFile: a move that is taken back, and had again, carries the very file, with its links and mode.
func TestUndoMoveIsTheFile(t *testing.T) {
	s := begin(t, "a", "A\n")
	s.must(os.Link(s.at("a"), s.at("h")))
	s.chmod("a", 0o750)
	back := s.undo(s.move("a", "d/b"))
	s.has(`a "A\n", h "A\n"`)
	again := s.undo(back)
	s.has(`d/, d/b "A\n", h "A\n"`)
	if !s.same("d/b", "h") {
		t.Error("it is another file")
	}
	s.write("d/b", "A\nperson\n")
	s.undo(again)
	s.has(`a "A\nperson\n", h "A\nperson\n"`)
	if !s.same("a", "h") || s.modes("a") != "a 750" {
		t.Errorf("it is another file, %s", s.modes("a"))
	}
}

// TestUndoMoveMakesDirectories: the directory that the file was in is made again, and what was made for it goes.
func TestUndoMoveMakesDirectories(t *testing.T) {
	s := begin(t, "d/e/a", "A\n", "x", "X\n")
	moved := s.move("d/e/a", "f/g/b")
	s.must(os.RemoveAll(s.at("d")))
	s.undo(moved)
	s.has(`d/, d/e/, d/e/a "A\n", x "X\n"`)
	moved = s.move("x", "f/x")
	s.write("f/person", "P\n")
	s.undo(moved)
	s.has(`d/, d/e/, d/e/a "A\n", f/, f/person "P\n", x "X\n"`)
}

// TestUndoMoveOfLink: a link is moved back as a link, wherever it leads, and another link in its place is left alone.
func TestUndoMoveOfLink(t *testing.T) {
	s := begin(t, "f", "F\n")
	s.link("/etc/passwd", "l")
	moved := s.move("l", "m")
	s.undo(s.undo(s.undo(moved)))
	s.has(`f "F\n", l -> /etc/passwd`)
	moved = s.move("l", "m")
	s.must(os.Remove(s.at("m")))
	s.link("f", "m")
	s.refused(api.UndoRequest{Entry: moved}, fail.Stale, "m: something else is there since")
}

// TestUndoChain: moves one after the other are taken back the newest first, had again the oldest first, and taken back
// in one as a session.
func TestUndoChain(t *testing.T) {
	s := begin(t, "a", "A\n").as("s")
	first, second := s.move("a", "b"), s.move("b", "c")
	s.refused(api.UndoRequest{Entry: first}, fail.Stale, "Undo that one first: "+second)
	backSecond := s.undo(second)
	s.has(`b "A\n"`)
	backFirst := s.undo(first)
	s.has(`a "A\n"`)
	s.refused(api.UndoRequest{Entry: second}, fail.CommandFailed, "was taken back already", "undo "+backSecond)
	s.refused(api.UndoRequest{Entry: backSecond}, fail.Stale)
	s.undo(backFirst)
	s.has(`b "A\n"`)
	s.undo(backSecond)
	s.has(`c "A\n"`)
	s.as("other").undoSession("s")
	s.has(`a "A\n"`)
}

// TestUndoSession: what calls did to the same files is worked out together.
func TestUndoSession(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *story)
		then func(s *story) // by others
		want string
	}{
		{"a log that was rotated", func(s *story) { s.move("log", "log.1"); s.create("log", "new\n") }, nil, `log "old\n", x "X\n"`},
		{"rotated, and written into", func(s *story) { s.move("log", "log.1"); s.create("log", "new\n") },
			func(s *story) { s.write("log.1", "old\nlast\n") }, `log "old\nlast\n", x "X\n"`},
		{"rotated twice", func(s *story) {
			s.move("log", "log.1")
			s.create("log", "new\n")
			s.move("log.1", "log.2")
			s.move("log", "log.1")
			s.create("log", "newest\n")
		}, nil, `log "old\n", x "X\n"`},
		{"moved, edited, moved", func(s *story) { s.move("log", "b"); s.edit("b", "old", "two"); s.move("b", "c") }, nil, `log "old\n", x "X\n"`},
		{"moved, and edited by others", func(s *story) { s.move("log", "b") }, func(s *story) { s.edit("b", "old", "two") }, `log "two\n", x "X\n"`},
		{"moved and deleted", func(s *story) { s.move("log", "b"); s.remove("b") }, nil, `log "old\n", x "X\n"`},
		{"moved over another", func(s *story) { s.move("log", "x") }, nil, `log "old\n", x "X\n"`},
		{"deleted and restored", func(s *story) { _, id := s.remove("log"); s.restore(id, "") }, nil, `log "old\n", x "X\n"`},
		{"deleted and restored elsewhere", func(s *story) { _, id := s.remove("log"); s.restore(id, "d/other") }, nil, `log "old\n", x "X\n"`},
		{"deleted, restored elsewhere, edited", func(s *story) { _, id := s.remove("log"); s.restore(id, "b"); s.edit("b", "old", "two") }, nil, `log "old\n", x "X\n"`},
		{"deleted and made anew", func(s *story) { s.remove("log"); s.create("log", "new\n") }, nil, `log "old\n", x "X\n"`},
		{"created, moved, deleted", func(s *story) { s.create("n", "N\n"); s.move("n", "o"); s.remove("o") }, nil, `log "old\n", x "X\n"`},
		{"names changed places", func(s *story) { s.move("log", "t"); s.move("x", "log"); s.move("t", "x") }, nil, `log "old\n", x "X\n"`},
		{"changed places, and edited", func(s *story) {
			s.move("log", "t")
			s.move("x", "log")
			s.move("t", "x")
			s.edit("x", "old", "older")
		}, nil, `log "old\n", x "X\n"`},
		{"changed places, and written into", func(s *story) { s.move("log", "t"); s.move("x", "log"); s.move("t", "x") },
			func(s *story) { s.write("x", "old\nlast\n") }, `log "old\nlast\n", x "X\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "log", "old\n", "x", "X\n")
			tt.do(s.as("s"))
			if tt.then != nil {
				tt.then(s)
			}
			done := s.tree()
			back := s.undoSession("s")
			s.has(tt.want)
			again := s.undo(back)
			s.has(done)
			s.undo(again)
			s.has(tt.want)
		})
	}
}

// TestUndoModes: what comes back has the permissions that it had, also where another file lends its content.
func TestUndoModes(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *story)
	}{
		{"moved over", func(s *story) { s.move("public", "private") }},
		{"moved over by the private", func(s *story) { s.move("private", "public") }},
		{"moved away and made anew", func(s *story) { s.move("private", "old"); s.create("private", "new\n") }},
		{"deleted and made anew", func(s *story) { s.remove("private"); s.create("private", "new\n") }},
		{"moved over one with the same text", func(s *story) { s.edit("public", "page", "secret"); s.move("public", "private") }},
		{"changed places", func(s *story) { s.move("private", "t"); s.move("public", "private"); s.move("t", "public") }},
		{"changed places, and edited", func(s *story) {
			s.move("private", "t")
			s.move("public", "private")
			s.move("t", "public")
			s.edit("public", "secret", "secrets")
		}},
		{"three changed places", func(s *story) {
			s.move("private", "t")
			s.move("public", "private")
			s.move("run", "public")
			s.move("t", "run")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "private", "secret\n", "public", "page\n", "run", "#!\n").as("s")
			s.chmod("private", 0o600)
			s.chmod("run", 0o755)
			files, modes := s.tree(), s.modes("private", "public", "run")
			tt.do(s)
			back := s.undoSession("s")
			s.has(files)
			if got := s.modes("private", "public", "run"); got != modes {
				t.Errorf("the modes are %s, and were %s", got, modes)
			}
			s.undo(s.undo(back))
			s.has(files)
			if got := s.modes("private", "public", "run"); got != modes {
				t.Errorf("taken back again, the modes are %s, and were %s", got, modes)
			}
		})
	}
}

// TestUndoLaw: whatever calls a session makes, taking it back leaves the tree as it was, with its modes; and taking that
// back leaves it as the session did.
func TestUndoLaw(t *testing.T) {
	for seed := range uint64(60) {
		s := begin(t, "a", "A\n", "b", "B\n", "c", "C\n", "d", "A\n").as("s")
		s.chmod("b", 0o600)
		s.chmod("c", 0o755)
		was, modes := s.tree(), s.allModes()
		story := s.random(rand.New(rand.NewPCG(seed, 1)), 7)
		done, doneModes := s.tree(), s.allModes()
		back := s.undoSession("s")
		if s.tree() != was || s.allModes() != modes {
			t.Fatalf("seed %d: %s\nleaves\n%s %s\nwant\n%s %s", seed, story, s.tree(), s.allModes(), was, modes)
		}
		s.undo(back)
		if s.tree() != done || s.allModes() != doneModes {
			t.Fatalf("seed %d: %s\nagain leaves\n%s %s\nwant\n%s %s", seed, story, s.tree(), s.allModes(), done, doneModes)
		}
	}
}

// TestUndoKeepsPeople: what a person wrote after a session is in the tree when that is taken back, or the undo is refused
// and the tree is as it was.
func TestUndoKeepsPeople(t *testing.T) {
	refused := 0
	for seed := range uint64(60) {
		s := begin(t, "a", "A\n", "b", "B\n", "c", "C\n", "d", "A\n").as("s")
		r := rand.New(rand.NewPCG(seed, 3))
		story := s.random(r, 4)
		var wrote []string
		for i, name := range s.files() {
			line := fmt.Sprintf("person %d\n", i)
			switch r.IntN(4) {
			case 0:
				s.write(name, s.read(name)+line)
			case 1:
				s.save(name, s.read(name)+line)
			case 2:
				s.anew(name, line)
			default:
				continue
			}
			wrote = append(wrote, line)
		}
		was := s.tree()
		_, err := s.ws.Undo(s.ctx, api.UndoRequest{SessionID: "s"})
		if err != nil {
			s.refusal(err, fail.Stale)
			s.has(was)
			refused++
		}
		for _, line := range wrote {
			if !strings.Contains(s.tree(), strings.TrimSpace(line)) {
				t.Fatalf("seed %d: %s, which left\n%s\nis now\n%s", seed, story, was, s.tree())
			}
		}
	}
	if refused == 0 || refused == 60 {
		t.Errorf("%d of 60 are refused: one of the two is not seen", refused)
	}
}

// TestUndoOneByOne: taking back the newest change that stands, again and again, leads to where it began, and no further.
func TestUndoOneByOne(t *testing.T) {
	for seed := range uint64(30) {
		s := begin(t, "a", "A\n", "b", "B\n", "c", "C\n", "d", "A\n")
		s.chmod("b", 0o600)
		s.chmod("c", 0o755)
		was, modes := s.tree(), s.allModes()
		story := s.random(rand.New(rand.NewPCG(seed, 2)), 7)
		h, err := s.ws.History(s.ctx, api.HistoryRequest{})
		s.must(err)
		for range h.Data.Entries {
			s.undo("")
		}
		if s.tree() != was || s.allModes() != modes {
			t.Fatalf("seed %d: %s\nleaves\n%s %s\nwant\n%s %s", seed, story, s.tree(), s.allModes(), was, modes)
		}
		s.refused(api.UndoRequest{}, fail.NotFound, "there is no change that could be taken back")
	}
}

// TestUndoLinksThatChangedPlaces: a link that would have to replace something is refused, and the way by single
// entries, which the hint names, works. Nothing is read through it.
func TestUndoLinksThatChangedPlaces(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *story) []string
	}{
		{"made anew", func(s *story) []string { return []string{s.move("l", "old"), s.create("l", "new\n")} }},
		{"changed places", func(s *story) []string { return []string{s.move("l", "t"), s.move("f", "l"), s.move("t", "f")} }},
		{"two links", func(s *story) []string { return []string{s.move("l", "t"), s.move("k", "l"), s.move("t", "k")} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "f", "F\n", "g", "G\n").as("s")
			s.link("g", "l")
			s.link("nowhere", "k")
			was := s.tree()
			entries := tt.do(s)
			s.refused(api.UndoRequest{SessionID: "s"}, fail.AlreadyExists, "symbolic link", "one by one")
			for _, tx := range slices.Backward(entries) {
				s.undo(tx)
			}
			s.has(was)
		})
	}
}
