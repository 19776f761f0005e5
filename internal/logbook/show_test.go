package logbook_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/report"
)

// The name of an agent cannot forge a line or control a terminal.
func TestEntryLine(t *testing.T) {
	e := api.LogEntry{SessionID: "a\n2026", AgentName: "\x1b[31m", Path: "x\u202ey\n#1", Operation: "add", OK: true}
	if got, want := report.EntryLine(&e), `0001-01-01T00:00:00Z    a\n2026/\x1b[31m/-  A  x\u202ey\n#1  ok`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestShow(t *testing.T) {
	ws := logged(t)
	ctx := context.Background()
	h, err := ws.History(ctx, api.HistoryRequest{Path: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	tx := h.Data.Entries[0].Entry
	for _, name := range []string{tx, tx[:len(tx)-3], "#2", "2", "3"} { // 3 is the mark that it was applied
		a, err := ws.Show(ctx, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d := a.Data
		if d.Entry != tx || d.Seq != 2 || !d.OK || d.End != "applied" || len(d.Files) != 3 || len(d.Kept) != 2 || d.AgentName != "alice" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	for _, name := range []string{"", "#", "#0", "0", "1", "#1", "99", "20260101", "#18446744073709551616", "x1", tx[:5]} {
		if a, err := ws.Show(ctx, name); err == nil || !isKind(err, fail.NotFound) {
			t.Errorf("%q: %+v, %v", name, a, err)
		}
	}
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Purge, Tx: tx, OK: true, Ops: []audit.Op{{Operation: "purge", Path: "gone"}}})
	for name, kind := range map[string]string{tx: "commit", tx[:len(tx)-3]: "commit", "#8": "purge"} {
		if a, err := ws.Show(ctx, name); err != nil || a.Data.Kind != kind {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	below, err := emend.Open(filepath.Join(ws.Root(), "e"))
	if err != nil {
		t.Fatal(err)
	}
	defer below.Close()
	if _, err := below.Show(ctx, tx); err == nil {
		t.Error("an entry of which nothing is below the root is shown")
	}
}
