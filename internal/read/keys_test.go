package read_test

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/emendtest"
)

// TestKeysAreNoted: text that is returned and looks like a key has a note, with its line in the file.
func TestKeysAreNoted(t *testing.T) {
	token := "npm" + "_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	s := emendtest.NewStory(t, "a.txt", "one\ntwo\nt = "+token+"\nfour\n", "b.txt", "t = "+token+"\n", "c.txt", "t = none\n")
	const note = "line 3 looks like a key (npm token). Do not repeat it"
	for _, r := range []api.ReadRequest{{Path: "a.txt"}, {Path: "a.txt", StartLine: 3}, {Path: "a.txt", StartLine: 2, EndLine: 3}} {
		a, err := s.WS.Read(s.Ctx, r)
		s.Must(err)
		if len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0], note) || !strings.Contains(strings.SplitN(a.Result().Text(), "\n", 2)[0], note) {
			t.Errorf("%+v: %q, %s", r, a.Notes, a.Result().Text())
		}
	}
	a, err := s.WS.Read(s.Ctx, api.ReadRequest{Path: "a.txt", StartLine: 4})
	s.Must(err)
	if len(a.Notes) > 0 {
		t.Errorf("lines without a key: %q", a.Notes)
	}
	for _, r := range []api.SearchRequest{{Query: "t = "}, {Query: "two", ContextLines: 1}} {
		a, err := s.WS.Search(s.Ctx, r)
		s.Must(err)
		if len(a.Notes) == 0 || !strings.HasPrefix(a.Notes[0], "a.txt: "+note) || len(a.Notes) != 2-r.ContextLines || !strings.Contains(a.Result().Text(), note) {
			t.Errorf("%+v: %q", r, a.Notes)
		}
	}
}
