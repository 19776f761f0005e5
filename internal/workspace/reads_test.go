package workspace

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// shows notes a content of a path.
func shows(w *Workspace, path, data string) {
	c := w.NewCapture()
	half := len(data) / 2
	c.Add([]byte(data[:half]))
	c.Add([]byte(data[half:]))
	w.NoteRead(c, path, "sum of "+data[:min(len(data), 9)])
}

// has lists the contents that are kept of a path.
func has(w *Workspace, path, sum string) string {
	var out []string
	for _, r := range w.Reads(path, sum) {
		out = append(out, r.Data[:min(len(r.Data), 9)])
	}
	return strings.Join(out, " ")
}

func TestReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Workspace{}
		check := func(what, path, sum, want string) {
			t.Helper()
			if got := has(w, path, sum); got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		shows(w, "f", "never")
		check("a program that is no server keeps nothing", "f", "", "")
		w.reads.on = true
		shows(w, "f", "one")
		shows(w, "f", "two")
		shows(w, "g", "three")
		shows(w, "f", "one")
		check("the newest first, each once", "f", "", "one two")
		check("by hash", "f", "sum of two", "two")
		check("by a hash of another path", "f", "sum of three", "")
		shows(w, "f", strings.Repeat("x", maxReadFile+1))
		check("not what is too large", "f", "", "one two")

		time.Sleep(maxReadAge / 2)
		shows(w, "f", "young")
		w.ForgetReads(time.Now().Add(-time.Minute))
		check("what was forgotten", "f", "", "young")
		time.Sleep(maxReadAge / 2)
		check("half as old as it may be", "f", "", "young")
		time.Sleep(maxReadAge/2 + 1)
		check("too old", "f", "", "")

		for i := range 20 {
			shows(w, "f", fmt.Sprint(1000+i, strings.Repeat("x", maxReadFile-4)))
		}
		if got := w.Reads("f", ""); len(got) != maxReadBytes/maxReadFile || got[0].Data[:4] != "1019" || w.reads.bytes != maxReadBytes {
			t.Errorf("%d are kept of %d bytes", len(got), w.reads.bytes)
		}
		w.ForgetReads(time.Now())
		if w.reads.kept.len() > 0 || w.reads.bytes != 0 {
			t.Errorf("%d are kept of %d bytes", w.reads.kept.len(), w.reads.bytes)
		}
	})
}

// What a session knows of a file is what it was shown last, for an hour, and the oldest of too many is forgotten.
func TestKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Workspace{}
		w.reads.on = true
		check := func(session, path, want string) {
			t.Helper()
			if got := w.Known(session, path); got != want {
				t.Errorf("session %s knows %q of %s, want %q", session, got, path, want)
			}
		}
		w.NoteKnown("s", "a", "1")
		w.NoteKnown("s", "b", "2")
		w.NoteKnown("t", "a", "3")
		w.NoteKnown("s", "a", "4")
		check("s", "a", "4")
		check("t", "a", "3")
		check("t", "b", "")
		for i := range maxSights - 2 {
			w.NoteKnown("u", fmt.Sprint(i), "5")
		}
		check("s", "b", "")
		check("t", "a", "3")
		check("s", "a", "4")
		time.Sleep(maxReadAge + 1)
		check("s", "a", "")
		w.NoteKnown("s", "c", "6")
		if n := w.reads.known.len(); n != 1 {
			t.Errorf("%d are kept after an hour, want 1", n)
		}
	})
}
