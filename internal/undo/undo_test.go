package undo_test

import (
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
)

// TestUndoCreate: undo deletes a created file only while it is still that file.
func TestUndoCreate(t *testing.T) {
	tests := []struct {
		name  string
		then  func(s *emendtest.Story) (later string)
		words string // of the refusal; "" when it is taken back
	}{
		{"nothing", func(*emendtest.Story) string { return "" }, ""},
		{"deleted by a person", func(s *emendtest.Story) string { s.Must(os.Remove(s.At("f"))); return "" }, ""},
		{"saved with the same text", func(s *emendtest.Story) string { s.Save("f", ""); return "" }, ""},
		{"edited, and edited back", func(s *emendtest.Story) string {
			_, err := s.WS.Write(s.Ctx, api.WriteRequest{Path: "f", Content: "x\n", ExpectedSha256: s.Sha("f")})
			s.Must(err)
			_, err = s.WS.Write(s.Ctx, api.WriteRequest{Path: "f", ExpectedSha256: s.Sha("f")})
			s.Must(err)
			return ""
		}, ""},
		{"deleted, which was taken back", func(s *emendtest.Story) string { tx, _ := s.Remove("f"); s.Undo(tx); return "" }, ""},
		{"deleted and made anew", func(s *emendtest.Story) string { s.Remove("f"); return s.Create("f", "") }, "f: somebody made it anew since"},
		{"moved away", func(s *emendtest.Story) string { return s.Move("f", "g") }, "f: it was moved since"},
		{"moved away, another in its place", func(s *emendtest.Story) string { s.Move("f", "g"); return s.Create("f", "new\n") }, "f: it was changed since"},
		{"written into", func(s *emendtest.Story) string { s.Write("f", "person\n"); return "" }, "f: it was changed since"},
		{"a link instead", func(s *emendtest.Story) string { s.Must(os.Remove(s.At("f"))); s.Link("x", "f"); return "" }, "f: a link is there now"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := emendtest.NewStory(t, "x", "X\n")
			made := s.As("A").Create("f", "")
			later := tt.then(s.As("B"))
			if tt.words == "" {
				s.Undo(made)
				s.Has(`x "X\n"`)
				return
			}
			words := []string{tt.words}
			if later != "" {
				words = append(words, "session B", "Undo that one first: "+later)
			}
			s.Refused(api.UndoRequest{Entry: made}, fail.Stale, words...)
			s.Refused(api.UndoRequest{SessionID: "A"}, fail.Stale, words...)
		})
	}
}

// TestUndoOfEqualText: a file with the text that the change left counts as unchanged, whoever wrote it.
func TestUndoOfEqualText(t *testing.T) {
	s := emendtest.NewStory(t, "flags", "debug=false\n")
	s.As("A").Edit("flags", "false", "true")
	s.As("B").Edit("flags", "true", "false")
	s.As("B").Edit("flags", "false", "true")
	s.UndoSession("A")
	s.Has(`flags "debug=false\n"`)
}

const eleven = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n"

// TestUndoKeepsAnEdit: a person's edit in another part of the file stays, from whichever root of the store the change is made
// and undone, and whatever the file is called.
func TestUndoKeepsAnEdit(t *testing.T) {
	for _, name := range []string{"plain", "a b", "caf\u00e9", `q"q`, "tab\tb", "new\nline", `back\slash`} {
		for _, roots := range [][2]string{{".", "."}, {".", "d"}, {"d", "."}, {"d", "d"}} {
			s := emendtest.NewStory(t, "d/"+name, eleven)
			s.Create("seed", "s\n") // the store is at the top
			path := map[string]string{".": "d/" + name, "d": name}
			edited := s.Below(roots[0]).Edit(path[roots[0]], "two\n", "zwei\n")
			s.Write("d/"+name, s.Read("d/"+name)+"person\n")
			s.Below(roots[1]).Undo(edited)
			if got := s.Read("d/" + name); got != eleven+"person\n" {
				t.Errorf("%q, changed in %s, taken back in %s: %q", name, roots[0], roots[1], got)
			}
		}
	}
}

// TestUndoKeepsPermissions: permissions that were changed since stay; only the text comes back.
func TestUndoKeepsPermissions(t *testing.T) {
	s := emendtest.NewStory(t, "f", "one\n")
	edited := s.Edit("f", "one", "two")
	s.Chmod("f", 0o755)
	s.Undo(edited)
	s.Has(`f "one\n"`)
	if got := s.Modes("f"); got != "f 755" {
		t.Error(got)
	}
}

// TestUndoFindsWhatItLeft: to keep a later edit, undo needs the text that the change left: from a later change's slot or from
// the diff. Without either it is refused.
func TestUndoFindsWhatItLeft(t *testing.T) {
	for what, tc := range map[string]struct {
		by      string // who edited another line since
		diff    bool   // whether the diff is kept
		refused bool
	}{
		"displaced since": {by: "emend"}, "the diff": {by: "a person", diff: true}, "neither": {by: "a person", refused: true},
	} {
		t.Run(what, func(t *testing.T) {
			s := emendtest.NewStory(t, "f", eleven)
			edited := s.Edit("f", "two\n", "zwei\n")
			if tc.by == "emend" {
				s.Edit("f", "ten\n", "zehn\n")
			} else {
				s.Save("f", strings.Replace(s.Read("f"), "ten\n", "zehn\n", 1))
			}
			if !tc.diff {
				s.Must(os.Remove(s.At(".emend/slots/" + edited + ".diff")))
			}
			if tc.refused {
				s.Refused(api.UndoRequest{Entry: edited}, fail.Stale, "f: it was changed since, and how this change left it is no longer kept", "by hand")
				return
			}
			s.Undo(edited)
			if got := s.Read("f"); got != strings.Replace(eleven, "ten\n", "zehn\n", 1) {
				t.Error(got)
			}
		})
	}
}

// TestUndoBelow: below the top, an undo takes back changes inside its root only.
func TestUndoBelow(t *testing.T) {
	s := emendtest.NewStory(t, "d1/x", "X\n")
	d1 := s.Below("d1")
	s.Create("seed", "s\n")
	d1.Create("mine", "m\n")
	other := s.As("both").Create("d2/other", "o\n")
	d1.Undo("")
	s.Has(`d1/, d1/x "X\n", d2/, d2/other "o\n", seed "s\n"`)
	d1.Refused(api.UndoRequest{Entry: other}, fail.OutsideWorkspace, "from a workspace that has the path inside")
	d1.As("both").Create("mine", "m\n")
	d1.Refused(api.UndoRequest{SessionID: "both"}, fail.OutsideWorkspace, "from a workspace that has the path inside")
	for _, border := range [][2]string{{"d2/other", "d1/other"}, {"d1/other", "d2/back"}} {
		s.Move(border[0], border[1])
		d1.Refused(api.UndoRequest{}, fail.OutsideWorkspace, "d2/", "the change also touched this path", "from a workspace that has the path inside")
	}
	d1.Refused(api.UndoRequest{Entry: "20200101-000000-aaaaaaaaaa"}, fail.NotFound, "emend log")
}

// TestUndoBelowKeepsItsRoot: undo never removes the workspace root, even if the undone change made it.
func TestUndoBelowKeepsItsRoot(t *testing.T) {
	s := emendtest.NewStory(t, "x", "X\n")
	made := s.Create("up/d/e/f", "f\n")
	s.Below("up/d").Undo(made)
	s.Has(`up/, up/d/, x "X\n"`)
}

// TestUndoAfterPermanent: a permanent deletion cannot be undone, and the refusal names the change before it.
func TestUndoAfterPermanent(t *testing.T) {
	s := emendtest.NewStory(t, "a", "A\n", "b", "B\n")
	before, _ := s.Remove("a")
	gone, err := s.WS.Delete(s.Ctx, api.DeleteRequest{Path: "b", Permanent: true})
	s.Must(err)
	s.Refused(api.UndoRequest{}, fail.NotFound, "b: the last change deleted it permanently", before)
	s.Refused(api.UndoRequest{Entry: gone.Tx}, fail.NotFound, "b: it was deleted permanently", "emend log")
	s.Undo(before)
	s.Has(`a "A\n"`)
	s.Refused(api.UndoRequest{}, fail.NotFound, "there is no older change")
}

const unseen = "\U0001F469\u200d\U0001F4BB.md" // an invisible U+200D between two code points

// TestUnseenNames: an existing file with an invisible character in its name can be restored; a new name with one is refused.
func TestUnseenNames(t *testing.T) {
	for _, name := range []string{unseen, "two\nlines", "d\u200b/f"} {
		s := emendtest.NewStory(t, name, "x\n", "y", "y\n").As("s")
		was := s.Tree()
		for what, do := range map[string]func(){
			"deleted":    func() { s.Remove(name) },
			"moved":      func() { s.Move(name, "plain") },
			"moved over": func() { s.Move(name, "y") },
		} {
			do()
			s.UndoSession("s")
			if got := s.Tree(); got != was {
				t.Errorf("%q %s: %s", name, what, got)
			}
		}
		_, id := s.Remove(name)
		_, err := s.WS.Restore(s.Ctx, api.RestoreRequest{TrashedPath: id, TargetPath: "other\u200b"})
		s.Refusal(err, fail.CommandFailed, "invisible character U+200B", "without control")
		s.Restore(id, "")
		s.Has(was)
		_, err = s.WS.Move(s.Ctx, api.MoveRequest{FromPath: "y", ToPath: "y\u200b", ExpectedSha256: s.Sha("y")})
		s.Refusal(err, fail.CommandFailed, "invisible character U+200B")
	}
}

// TestRefusalOnOneLine: a newline in a path does not break the line of a refusal.
func TestRefusalOnOneLine(t *testing.T) {
	s := emendtest.NewStory(t, "two\nlines", "x\n")
	tx, _ := s.Remove("two\nlines")
	s.Write("two\nlines", "person\n")
	s.Refused(api.UndoRequest{Entry: tx}, fail.Stale, `"two\nlines": something else is there since`)
	_, err := s.WS.Undo(s.Ctx, api.UndoRequest{Entry: tx})
	if strings.Contains(err.Error(), "two\n") {
		t.Error(err)
	}
}

// TestRestoreIsForTheTrash: a file that an edit replaced is not in the trash.
func TestRestoreIsForTheTrash(t *testing.T) {
	s := emendtest.NewStory(t, "f", "one\n")
	edited := s.Edit("f", "one", "two")
	_, err := s.WS.Restore(s.Ctx, api.RestoreRequest{TrashedPath: edited + ".0", TargetPath: "g"})
	s.Refusal(err, fail.NotFound, "the trash has nothing called", "brings it back")
	s.Has(`f "two\n"`)
	s.Undo(edited)
	s.Has(`f "one\n"`)
}

// TestConflictIsInTheTrash: when an aborted transaction cannot put a file back, because somebody saved a newer one, the
// trash has the file.
func TestConflictIsInTheTrash(t *testing.T) {
	s := emendtest.NewStory(t, "a", "A\n", "b", "B\n")
	tx, id := s.Remove("a")
	_, other := s.Remove("b")
	s.Write("a", "person\n")
	s.WS.Close()
	emendtest.AppendRecords(t, s.WS, audit.Record{Kind: audit.Abort, Tx: tx, ErrorKind: "stale_file", Message: "a: somebody saved it meanwhile; what it had before is kept as " + id})
	s.WS = emendtest.Open(t, s.WS.Root())
	if got := emendtest.TrashPaths(emendtest.Trash(t, s.WS)); got != "delete b, conflict a" {
		t.Errorf("the trash has %s", got)
	}
	f, err := s.WS.Host().TrashShow(s.Ctx, id)
	if err != nil || f.Content != "A\n" || f.Operation != "conflict" {
		t.Errorf("%+v, %v", f, err)
	}
	_, err = s.WS.Restore(s.Ctx, api.RestoreRequest{TrashedPath: id})
	s.Refusal(err, fail.AlreadyExists, "Name another place")
	s.Restore(id, "a.mine")
	s.Has(`a "person\n", a.mine "A\n"`)
	s.Restore(other, "")
	if got := emendtest.Trash(t, s.WS); len(got) != 0 {
		t.Errorf("the trash has %+v", got)
	}
	s.Refused(api.UndoRequest{Entry: tx}, fail.NotFound, "no change has the entry")
}

// TestUndoTakesNoOther: undo copies a kept file that belongs to another path, and leaves it in the trash.
func TestUndoTakesNoOther(t *testing.T) {
	s := emendtest.NewStory(t, "a", "", "b", "", "c", "C\n")
	tx, mine := s.Remove("a")
	_, others := s.Remove("b")
	s.Restore(mine, "a2")
	s.Undo(tx)
	s.Has(`a "", a2 "", c "C\n"`)
	s.Restore(others, "")
	s.Has(`a "", a2 "", b "", c "C\n"`)

	tx, mine = s.Remove("c")
	s.Restore(mine, "c2")
	s.Refused(api.UndoRequest{Entry: tx}, fail.NotFound, "c: what it was before is no longer kept", "emend trash list")
}

// TestRestoreGoesWhereItWas: a restore without a target goes to where the file was, not to the same name below a base.
func TestRestoreGoesWhereItWas(t *testing.T) {
	s := emendtest.NewStory(t, "sub/a", "A\n", "sub/sub/b", "B\n")
	_, id := s.Remove("sub/a")
	s.Opened(s.WS.Root(), emend.Base("sub")).Restore(id, "")
	s.Has(`sub/, sub/a "A\n", sub/sub/, sub/sub/b "B\n"`)
}

// TestUndoAfterRestore: undo of a restore moves the file back to the trash, from which it can be restored again.
func TestUndoAfterRestore(t *testing.T) {
	s := emendtest.NewStory(t, "a", "A\n")
	tx, id := s.Remove("a")
	s.Undo(s.Restore(id, "b"))
	s.Has("")
	all := emendtest.Trash(t, s.WS)
	if len(all) == 0 || all[0].Path != "b" {
		t.Fatalf("the trash has %+v", all)
	}
	s.Undo(tx)
	s.Has(`a "A\n"`)
}

// TestUndoOfWrittenPast: undo does not put back a kept file that was written to through another hard link.
func TestUndoOfWrittenPast(t *testing.T) {
	for what, text := range map[string]string{"longer": "one\nperson\n", "of the same size": "six\n"} {
		for how, change := range map[string]func(s *emendtest.Story) string{
			"edited":  func(s *emendtest.Story) string { return s.Edit("f", "one", "two") },
			"deleted": func(s *emendtest.Story) string { tx, _ := s.Remove("f"); return tx },
			"edited, and by a person": func(s *emendtest.Story) string {
				tx := s.Edit("f", "one", "two")
				s.Write("f", "two\n\n\nmore\n")
				return tx
			},
		} {
			t.Run(how+", "+what, func(t *testing.T) {
				s := emendtest.NewStory(t, "f", "one\n")
				s.Must(os.Link(s.At("f"), s.At("h")))
				tx := change(s)
				s.Write("h", text)
				s.Refused(api.UndoRequest{Entry: tx}, fail.Stale, "f: what is kept of it was written to since, through another hard link", "emend show "+tx)
			})
		}
	}
}
