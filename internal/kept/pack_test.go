package kept_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/emendtest"
)

// packedStory is a story whose first changes are packed: of an edited file, a mode, a deleted file and a moved one. It returns
// the transactions of the edits of "a", the session of the first of them, and the id of the deleted file.
func packedStory(t *testing.T) (s *emendtest.Story, edits []string, trashed string) {
	t.Helper()
	s = emendtest.NewStory(t, "a", text(0), "gone", "it was deleted\n", "b", "old b\n", "other", "x0\n")
	s.Chmod("a", 0o750)
	s.Chmod("gone", 0o604)
	when := time.Date(2001, 2, 3, 4, 5, 6, 789, time.UTC)
	s.Must(os.Chtimes(s.At("gone"), when, when))
	_, trashed = s.As("early").Remove("gone")
	for i := range 6 {
		edits = append(edits, s.As("early").Edit("a", fmt.Sprintf("line %d\n", 6*i), fmt.Sprintf("changed %d\n", i)))
	}
	s.As("early").Edit("b", "old", "new")
	fast, err := emend.Open(s.WS.Root(), emend.NoSync())
	s.Must(err)
	for i := range 100 {
		apply(t, fast, "", "*** Update File: other", "@@", fmt.Sprintf("-x%d", i), fmt.Sprintf("+x%d", i+1))
	}
	s.Must(fast.Close())
	return s, edits, trashed
}

func text(n int) string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "line %d\n", i+n)
	}
	return b.String()
}

// packAll packs, and checks that nothing of the transactions is left in the slots.
func packAll(t *testing.T, s *emendtest.Story, txs ...string) {
	t.Helper()
	p, err := s.WS.Host().PackAll(s.Ctx)
	s.Must(err)
	if p.Files == 0 || p.SizeBytes == 0 {
		t.Fatalf("packed %+v", p)
	}
	names := strings.Join(slots(t, s.WS), "\n")
	for _, tx := range txs {
		if strings.Contains(names, tx) {
			t.Fatalf("%s is not packed: %s", tx, names)
		}
	}
}

// answers are what every way to read says of the changes.
func answers(t *testing.T, s *emendtest.Story, edits []string, trashed string) string {
	t.Helper()
	var b strings.Builder
	for _, tx := range edits {
		show, err := s.WS.Show(s.Ctx, tx)
		s.Must(err)
		fmt.Fprintf(&b, "%+v\n", *show)
		c, err := s.WS.Content(s.Ctx, tx+".0")
		s.Must(err)
		fmt.Fprintf(&b, "%+v\n", *c)
	}
	f, err := s.WS.Host().TrashShow(s.Ctx, trashed)
	s.Must(err)
	fmt.Fprintf(&b, "%+v\n%+v\n%s\n", *f, emendtest.Trash(t, s.WS), s.Versions("a"))
	var archive bytes.Buffer
	s.Must(s.WS.Host().TrashExport(s.Ctx, trashed, &archive))
	fmt.Fprintf(&b, "%x\n", archive.Bytes())
	purgeable, err := s.WS.Host().Purgeable(s.Ctx, api.PurgeRequest{Path: "a"})
	s.Must(err)
	fmt.Fprintf(&b, "%+v\n", *purgeable)
	return b.String()
}

// TestPackedReads: everything that reads the history says the same before and after packing.
func TestPackedReads(t *testing.T) {
	s, edits, trashed := packedStory(t)
	want := answers(t, s, edits, trashed)
	packAll(t, s, edits...)
	if got := answers(t, s, edits, trashed); got != want {
		t.Errorf("after packing:\n%s\nbefore:\n%s", got, want)
	}
	h, err := s.WS.Host().Doctor(s.Ctx)
	s.Must(err)
	if len(h.Problems) > 0 {
		t.Errorf("%q", h.Problems)
	}
}

// TestPackedComesBack: undo and restore bring packed files back with mode and time, once.
func TestPackedComesBack(t *testing.T) {
	s, edits, trashed := packedStory(t)
	packAll(t, s, edits...)
	s.Restore(trashed, "")
	is, err := os.Stat(s.At("gone"))
	s.Must(err)
	if s.Read("gone") != "it was deleted\n" || is.Mode() != 0o604 || !is.ModTime().Equal(time.Date(2001, 2, 3, 4, 5, 6, 789, time.UTC)) {
		t.Errorf("it came back as %v, %v, %q", is.Mode(), is.ModTime(), s.Read("gone"))
	}
	if left := emendtest.Trash(t, s.WS); len(left) > 0 {
		t.Errorf("the trash still has %+v", left)
	}
	// An edit in the middle of others is taken back alone; then all of them.
	s.Undo(edits[2])
	if got := s.Read("a"); !strings.Contains(got, "line 12\n") || !strings.Contains(got, "changed 5\n") {
		t.Errorf("after one undo: %q", got)
	}
	s.UndoSession("early")
	if s.Read("a") != text(0) || s.Modes("a") != "a 750" || s.Read("b") != "old b\n" {
		t.Errorf("after all: %q, %s, %q", s.Read("a"), s.Modes("a"), s.Read("b"))
	}
	// What is restored can be deleted, packed away and restored again.
	packAll(t, s)
	if names := strings.Join(slots(t, s.WS), "\n"); strings.Contains(names, ".left") {
		t.Errorf("marks are left: %s", names)
	}
}

// TestPackedPurge: a purge of a file leaves no byte of it, and the rest as it was; a cleared trash is gone; a pruning removes
// what is old.
func TestPackedPurge(t *testing.T) {
	s, edits, trashed := packedStory(t)
	packAll(t, s, edits...)
	_, err := s.WS.Purge(s.Ctx, api.PurgeRequest{Path: "a"})
	s.Must(err)
	for _, tx := range edits {
		if _, err := s.WS.Content(s.Ctx, tx+".0"); err == nil {
			t.Errorf("%s can be read", tx)
		}
	}
	s.Refused(api.UndoRequest{Entry: edits[5]}, fail.NotFound, "purged")
	if f, err := s.WS.Host().TrashShow(s.Ctx, trashed); err != nil || f.Content != "it was deleted\n" {
		t.Errorf("%+v, %v", f, err)
	}
	c, err := s.WS.TrashClear(s.Ctx, api.ClearRequest{})
	s.Must(err)
	if len(c.Entries) != 1 || len(emendtest.Trash(t, s.WS)) > 0 {
		t.Errorf("%+v", c)
	}
	_, err = s.WS.Purge(s.Ctx, api.PurgeRequest{SessionID: "early"})
	s.Must(err)
	if packs, err := os.ReadDir(filepath.Join(s.WS.Root(), ".emend", "slots", "packs")); err != nil || len(packs) > 0 {
		t.Errorf("%v, %v", packs, err)
	}
}

// TestPackedPrune: a pruning removes what is too old from packs as well.
func TestPackedPrune(t *testing.T) {
	ws, txs := changedTimes(t, 130)
	if _, err := ws.Host().PackAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names := strings.Join(slots(t, ws), "\n"); strings.Contains(names, txs[1]) {
		t.Fatalf("nothing was packed: %s", names)
	}
	change(t, ws, emend.KeepHistory(time.Nanosecond, -1))
	for i, tx := range txs {
		_, err := ws.Content(t.Context(), tx+".0")
		if kept := err == nil; kept != (i == 0 || i > 31) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestPacksByItself: changes of many processes pack the history, and leave few names.
func TestPacksByItself(t *testing.T) {
	ws, _ := changedTimes(t, 300)
	one, err := emend.Open(ws.Root(), emend.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 130 {
		apply(t, one, "", "*** Add File: "+fmt.Sprint("n", i), "+x")
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if names := slots(t, ws); len(names) > 500 {
		t.Errorf("%d names", len(names))
	}
}
