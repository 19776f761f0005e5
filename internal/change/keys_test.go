package change_test

import (
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/emendtest"
)

// token looks like a token and is none. It is put together here, so that no scanner takes this file for a leak.
var token = "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]

// TestKeysAreNoted: a change that writes what looks like a key says so in its result and in the log, with the line, and never
// with the key. Lines that it does not change are none of its business.
func TestKeysAreNoted(t *testing.T) {
	s := emendtest.NewStory(t, "a.txt", "one\ntwo\nthree\n", "old.txt", "x\nt = "+token+"\ny\n")
	const mark = "line 2 looks like a key: GitHub token"
	for _, step := range []struct {
		what, path string
		do         func() (string, error)
	}{
		{"patch", "a.txt", func() (string, error) {
			r, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Update File: a.txt", "@@", "-two", "+t = "+token), api.PatchOptions{})
			s.Must(err)
			return r.Result().Text(), nil
		}},
		{"create", "b.txt", func() (string, error) {
			r, err := s.WS.Create(s.Ctx, api.CreateRequest{Path: "b.txt", Content: "x\n" + token + "\n"})
			s.Must(err)
			return r.Result().Text(), nil
		}},
		{"edit", "b.txt", func() (string, error) {
			r, err := s.WS.Edit(s.Ctx, api.EditRequest{Path: "b.txt", ExpectedSha256: s.Sha("b.txt"), Edits: []api.TextEdit{{OldText: "ghp_aB", NewText: "ghp_Cd"}}})
			s.Must(err)
			return r.Result().Text(), nil
		}},
	} {
		said, _ := step.do()
		if note := step.path + ": line 2 looks like a key (GitHub token)"; !strings.Contains(said, note) {
			t.Errorf("%s: no note in %s", step.what, said)
		}
		h, err := s.WS.History(s.Ctx, api.HistoryRequest{Limit: 1})
		s.Must(err)
		if e := h.Data.Entries[0]; e.Path != step.path || len(e.Marks) != 1 || e.Marks[0] != mark {
			t.Errorf("%s: %+v", step.what, e)
		}
		if !strings.Contains(h.Result().Text(), mark) || strings.Contains(h.Result().Text(), "ghp_") {
			t.Errorf("%s: %s", step.what, h.Result().Text())
		}
	}
	_, err := s.WS.Apply(s.Ctx, emendtest.Envelope("*** Update File: old.txt", "@@", "-y", "+z"), api.PatchOptions{})
	s.Must(err)
	h, err := s.WS.History(s.Ctx, api.HistoryRequest{Limit: 1})
	s.Must(err)
	if e := h.Data.Entries[0]; e.Path != "old.txt" || len(e.Marks) > 0 {
		t.Errorf("a line that was there before is marked: %+v", e)
	}
	log, err := os.ReadFile(s.At(".emend/log.jsonl"))
	if err == nil && strings.Contains(string(log), "ghp_") {
		t.Error("the log has the key")
	}
}
