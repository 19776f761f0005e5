package emend_test

import (
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
)

// TestUndoCreate: a file that was made is taken back as long as it is that file.
func TestUndoCreate(t *testing.T) {
	tests := []struct {
		name  string
		then  func(s *story) (later string)
		words string // of the refusal; "" when it is taken back
	}{
		{"nothing", func(*story) string { return "" }, ""},
		{"deleted by a person", func(s *story) string { s.must(os.Remove(s.at("f"))); return "" }, ""},
		{"saved with the same text", func(s *story) string { s.save("f", ""); return "" }, ""},
		{"edited, and edited back", func(s *story) string {
			_, err := s.ws.Write(s.ctx, api.WriteRequest{Path: "f", Content: "x\n", ExpectedSha256: s.sha("f")})
			s.must(err)
			_, err = s.ws.Write(s.ctx, api.WriteRequest{Path: "f", ExpectedSha256: s.sha("f")})
			s.must(err)
			return ""
		}, ""},
		{"deleted, which was taken back", func(s *story) string { tx, _ := s.remove("f"); s.undo(tx); return "" }, ""},
		{"deleted and made anew", func(s *story) string { s.remove("f"); return s.create("f", "") }, "f: somebody made it anew since"},
		{"moved away", func(s *story) string { return s.move("f", "g") }, "f: it was moved since"},
		{"moved away, another in its place", func(s *story) string { s.move("f", "g"); return s.create("f", "new\n") }, "f: it was changed since"},
		{"written into", func(s *story) string { s.write("f", "person\n"); return "" }, "f: it was changed since"},
		{"a link instead", func(s *story) string { s.must(os.Remove(s.at("f"))); s.link("x", "f"); return "" }, "f: it was changed since"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, "x", "X\n")
			made := s.as("A").create("f", "")
			later := tt.then(s.as("B"))
			if tt.words == "" {
				s.undo(made)
				s.has(`x "X\n"`)
				return
			}
			words := []string{tt.words}
			if later != "" {
				words = append(words, "session B", "Undo that one first: "+later)
			}
			s.refused(api.UndoRequest{Entry: made}, fail.Stale, words...)
			s.refused(api.UndoRequest{SessionID: "A"}, fail.Stale, words...)
		})
	}
}

// TestUndoOfEqualText: a text that is what the change left counts as unchanged, whoever wrote it.
func TestUndoOfEqualText(t *testing.T) {
	s := begin(t, "flags", "debug=false\n")
	s.as("A").edit("flags", "false", "true")
	s.as("B").edit("flags", "true", "false")
	s.as("B").edit("flags", "false", "true")
	s.undoSession("A")
	s.has(`flags "debug=false\n"`)
}

const eleven = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n"

// TestUndoKeepsAnEdit: what a person wrote in another part of the file stays, whichever root of the store changed it and
// takes it back, and whatever its name.
func TestUndoKeepsAnEdit(t *testing.T) {
	for _, name := range []string{"plain", "a b", "caf\u00e9", `q"q`, "tab\tb", "new\nline", `back\slash`} {
		for _, roots := range [][2]string{{".", "."}, {".", "d"}, {"d", "."}, {"d", "d"}} {
			s := begin(t, "d/"+name, eleven)
			s.create("seed", "s\n") // the store is at the top
			path := map[string]string{".": "d/" + name, "d": name}
			edited := s.below(roots[0]).edit(path[roots[0]], "two\n", "zwei\n")
			s.write("d/"+name, s.read("d/"+name)+"person\n")
			s.below(roots[1]).undo(edited)
			if got := s.read("d/" + name); got != eleven+"person\n" {
				t.Errorf("%q, changed in %s, taken back in %s: %q", name, roots[0], roots[1], got)
			}
		}
	}
}

// TestUndoKeepsPermissions: what a person did to the permissions since stays, whatever comes back as text.
func TestUndoKeepsPermissions(t *testing.T) {
	s := begin(t, "f", "one\n")
	edited := s.edit("f", "one", "two")
	s.chmod("f", 0o755)
	s.undo(edited)
	s.has(`f "one\n"`)
	if got := s.modes("f"); got != "f 755" {
		t.Error(got)
	}
}

// TestUndoFindsWhatItLeft: to keep a later edit, the text that the change left is found among what later changes
// displaced, or by the diff; without either the undo is refused.
func TestUndoFindsWhatItLeft(t *testing.T) {
	for what, tc := range map[string]struct {
		by      string // who edited another line since
		diff    bool   // whether the diff is kept
		refused bool
	}{
		"displaced since": {by: "emend"}, "the diff": {by: "a person", diff: true}, "neither": {by: "a person", refused: true},
	} {
		t.Run(what, func(t *testing.T) {
			s := begin(t, "f", eleven)
			edited := s.edit("f", "two\n", "zwei\n")
			if tc.by == "emend" {
				s.edit("f", "ten\n", "zehn\n")
			} else {
				s.save("f", strings.Replace(s.read("f"), "ten\n", "zehn\n", 1))
			}
			if !tc.diff {
				s.must(os.Remove(s.at(".emend/slots/" + edited + ".diff")))
			}
			if tc.refused {
				s.refused(api.UndoRequest{Entry: edited}, fail.Stale, "f: it was changed since, and how this change left it is no longer kept", "by hand")
				return
			}
			s.undo(edited)
			if got := s.read("f"); got != strings.Replace(eleven, "ten\n", "zehn\n", 1) {
				t.Error(got)
			}
		})
	}
}

// TestUndoBelow: in a root below the top an undo takes back what happened there, and touches nothing else.
func TestUndoBelow(t *testing.T) {
	s := begin(t, "d1/x", "X\n")
	d1 := s.below("d1")
	s.create("seed", "s\n")
	d1.create("mine", "m\n")
	other := s.as("both").create("d2/other", "o\n")
	d1.undo("")
	s.has(`d1/, d1/x "X\n", d2/, d2/other "o\n", seed "s\n"`)
	d1.refused(api.UndoRequest{Entry: other}, fail.OutsideWorkspace, "from a workspace that has the path inside")
	d1.as("both").create("mine", "m\n")
	d1.refused(api.UndoRequest{SessionID: "both"}, fail.OutsideWorkspace, "from a workspace that has the path inside")
	for _, border := range [][2]string{{"d2/other", "d1/other"}, {"d1/other", "d2/back"}} {
		s.move(border[0], border[1])
		d1.refused(api.UndoRequest{}, fail.OutsideWorkspace, "d2/", "the change also touched this path", "from a workspace that has the path inside")
	}
	d1.refused(api.UndoRequest{Entry: "20200101-000000-aaaaaaaaaa"}, fail.NotFound, "emend log")
}

// TestUndoBelowKeepsItsRoot: the directory that a workspace is stays, though the change that is taken back made it.
func TestUndoBelowKeepsItsRoot(t *testing.T) {
	s := begin(t, "x", "X\n")
	made := s.create("up/d/e/f", "f\n")
	s.below("up/d").undo(made)
	s.has(`up/, up/d/, x "X\n"`)
}

// TestUndoAfterPermanent: what was deleted for good does not come back, and the refusal names the change before it.
func TestUndoAfterPermanent(t *testing.T) {
	s := begin(t, "a", "A\n", "b", "B\n")
	before, _ := s.remove("a")
	gone, err := s.ws.Delete(s.ctx, api.DeleteRequest{Path: "b", Permanent: true})
	s.must(err)
	s.refused(api.UndoRequest{}, fail.NotFound, "b: the last change deleted it for good", "emend undo "+before)
	s.refused(api.UndoRequest{Entry: gone.Tx}, fail.NotFound, "b: it was deleted for good", "emend log")
	s.undo(before)
	s.has(`a "A\n"`)
	s.refused(api.UndoRequest{}, fail.NotFound, "there is no older change")
}

const unseen = "\U0001F469\u200d\U0001F4BB.md" // two code points and, between them, one that nobody sees

// TestUnseenNames: a name that nobody may make comes back where it was; a new one is refused, also on the way back.
func TestUnseenNames(t *testing.T) {
	for _, name := range []string{unseen, "two\nlines", "d\u200b/f"} {
		s := begin(t, name, "x\n", "y", "y\n").as("s")
		was := s.tree()
		for what, do := range map[string]func(){
			"deleted":    func() { s.remove(name) },
			"moved":      func() { s.move(name, "plain") },
			"moved over": func() { s.move(name, "y") },
		} {
			do()
			s.undoSession("s")
			if got := s.tree(); got != was {
				t.Errorf("%q %s: %s", name, what, got)
			}
		}
		_, id := s.remove(name)
		_, err := s.ws.Restore(s.ctx, api.RestoreRequest{TrashedPath: id, TargetPath: "other\u200b"})
		s.refusal(err, fail.CommandFailed, "invisible character U+200B", "without control")
		s.restore(id, "")
		s.has(was)
		_, err = s.ws.Move(s.ctx, api.MoveRequest{FromPath: "y", ToPath: "y\u200b", ExpectedSha256: s.sha("y")})
		s.refusal(err, fail.CommandFailed, "invisible character U+200B")
	}
}

// TestRefusalOnOneLine: a path with a line end does not end the line of a refusal.
func TestRefusalOnOneLine(t *testing.T) {
	s := begin(t, "two\nlines", "x\n")
	tx, _ := s.remove("two\nlines")
	s.write("two\nlines", "person\n")
	s.refused(api.UndoRequest{Entry: tx}, fail.Stale, `"two\nlines": something else is there since`)
	_, err := s.ws.Undo(s.ctx, api.UndoRequest{Entry: tx})
	if strings.Contains(err.Error(), "two\n") {
		t.Error(err)
	}
}

// TestRestoreIsForTheTrash: what an edit replaced is no trash.
func TestRestoreIsForTheTrash(t *testing.T) {
	s := begin(t, "f", "one\n")
	edited := s.edit("f", "one", "two")
	_, err := s.ws.Restore(s.ctx, api.RestoreRequest{TrashedPath: edited + ".0", TargetPath: "g"})
	s.refusal(err, fail.NotFound, "the trash has nothing called", "undo brings it back")
	s.has(`f "two\n"`)
	s.undo(edited)
	s.has(`f "one\n"`)
}

// TestConflictIsInTheTrash: what a transaction that was taken back could not put into its place, where somebody had saved
// a newer file, is in the trash and comes back from there.
func TestConflictIsInTheTrash(t *testing.T) {
	s := begin(t, "a", "A\n", "b", "B\n")
	tx, id := s.remove("a")
	_, other := s.remove("b")
	s.write("a", "person\n")
	s.ws.Close()
	appended(t, s.ws, audit.Record{Kind: audit.Abort, Tx: tx, ErrorKind: "stale_file", Message: "a: somebody saved it meanwhile; what it had before is kept as " + id})
	s.ws = openTree(t, s.ws.Root())
	if got := paths(trash(t, s.ws)); got != "delete b, conflict a" {
		t.Errorf("the trash has %s", got)
	}
	f, err := s.ws.Host().TrashShow(s.ctx, id)
	if err != nil || f.Content != "A\n" || f.Operation != "conflict" {
		t.Errorf("%+v, %v", f, err)
	}
	_, err = s.ws.Restore(s.ctx, api.RestoreRequest{TrashedPath: id})
	s.refusal(err, fail.AlreadyExists, "targetPath")
	s.restore(id, "a.mine")
	s.has(`a "person\n", a.mine "A\n"`)
	s.restore(other, "")
	if got := trash(t, s.ws); len(got) != 0 {
		t.Errorf("the trash has %+v", got)
	}
	s.refused(api.UndoRequest{Entry: tx}, fail.NotFound, "no change has the entry")
}

// TestUndoTakesNoOther: a kept file that belongs to another path is copied, and stays where it is in the trash.
func TestUndoTakesNoOther(t *testing.T) {
	s := begin(t, "a", "", "b", "", "c", "C\n")
	tx, mine := s.remove("a")
	_, others := s.remove("b")
	s.restore(mine, "a2")
	s.undo(tx)
	s.has(`a "", a2 "", c "C\n"`)
	s.restore(others, "")
	s.has(`a "", a2 "", b "", c "C\n"`)

	tx, mine = s.remove("c")
	s.restore(mine, "c2")
	s.refused(api.UndoRequest{Entry: tx}, fail.NotFound, "c: what it was before is no longer kept", "emend trash list")
}

// TestRestoreGoesWhereItWas: a restore without a target goes to where the file was, not to the same name below a base.
func TestRestoreGoesWhereItWas(t *testing.T) {
	s := begin(t, "sub/a", "A\n", "sub/sub/b", "B\n")
	_, id := s.remove("sub/a")
	s.opened(s.ws.Root(), emend.Base("sub")).restore(id, "")
	s.has(`sub/, sub/a "A\n", sub/sub/, sub/sub/b "B\n"`)
}

// TestUndoAfterRestore: a restore is taken back into the trash, and from there the file can be had again.
func TestUndoAfterRestore(t *testing.T) {
	s := begin(t, "a", "A\n")
	tx, id := s.remove("a")
	s.undo(s.restore(id, "b"))
	s.has("")
	all := trash(t, s.ws)
	if len(all) == 0 || all[0].Path != "b" {
		t.Fatalf("the trash has %+v", all)
	}
	s.undo(tx)
	s.has(`a "A\n"`)
}

// TestUndoOfWrittenPast: what is kept and was written to since, through another name of it, is not put back.
func TestUndoOfWrittenPast(t *testing.T) {
	for what, text := range map[string]string{"longer": "one\nperson\n", "of the same size": "six\n"} {
		for how, change := range map[string]func(s *story) string{
			"edited":  func(s *story) string { return s.edit("f", "one", "two") },
			"deleted": func(s *story) string { tx, _ := s.remove("f"); return tx },
			"edited, and by a person": func(s *story) string {
				tx := s.edit("f", "one", "two")
				s.write("f", "two\n\n\nmore\n")
				return tx
			},
		} {
			t.Run(how+", "+what, func(t *testing.T) {
				s := begin(t, "f", "one\n")
				s.must(os.Link(s.at("f"), s.at("h")))
				tx := change(s)
				s.write("h", text)
				s.refused(api.UndoRequest{Entry: tx}, fail.Stale, "f: what is kept of it was written to since, through another hard link", "emend show "+tx)
			})
		}
	}
}
