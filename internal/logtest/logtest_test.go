package logtest

import (
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// TestMake: the log looks as the engine would have left it. The chain is whole, every file matches the log, nothing is pending.
func TestMake(t *testing.T) {
	dir := t.TempDir()
	if err := Make(dir, 3000); err != nil {
		t.Fatal(err)
	}
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if found, err := ws.Host().Recovered(); found != nil || err != nil {
		t.Errorf("recovered %+v, %v", found, err)
	}
	v, err := ws.Verify(t.Context(), api.VerifyRequest{})
	if err != nil || !v.OK || len(v.Files) > 0 || v.Same < 300 {
		t.Errorf("%+v, %v", v, err)
	}
	for kind, least := range map[string]int{"commit": 2000, "undo": 50, "failed": 100, "denied": 20, "abort": 5, "recovered": 5} {
		if v.Kinds[kind] < least {
			t.Errorf("%d of %s, want %d", v.Kinds[kind], kind, least)
		}
	}
	h, err := ws.History(t.Context(), api.HistoryRequest{Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]bool{}
	for _, e := range h.Data.Entries {
		calls[e.Entry] = true
	}
	if n := len(calls); n < 3000 || n > 3030 {
		t.Errorf("%d calls", n)
	}
}
