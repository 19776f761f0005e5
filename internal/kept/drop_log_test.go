package kept_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/emendtest"
	"github.com/emend-dev/emend/internal/vfs"
)

// rotated makes a workspace whose first segment has one transaction, of which the history has nothing, and whose last
// pruning was days ago.
func rotated(t *testing.T) (ws *emend.Workspace, tx string) {
	t.Helper()
	ws = emendtest.Workspace(t, "a", "0\n")
	tx = apply(t, ws, "", "*** Update File: a", "@@", "-0", "+1").Tx
	if _, err := ws.Purge(t.Context(), api.PurgeRequest{Entries: []string{tx}}); err != nil {
		t.Fatal(err)
	}
	dir, err := vfs.Open(filepath.Join(ws.Root(), ".emend", "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	l, err := audit.Open(dir, audit.Options{SegmentSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Append(&audit.Record{Kind: audit.Failed}, true); err != nil {
		t.Fatal(err)
	}
	overdue(t, ws)
	return ws, tx
}

func TestDropLog(t *testing.T) {
	ctx := t.Context()
	ws, tx := rotated(t)
	if _, err := ws.Host().DropLog(ctx, api.DropLogRequest{}); err == nil || !strings.Contains(err.Error(), "how much of the log") {
		t.Errorf("without a bound: %v", err)
	}
	if d, err := ws.Host().DropLog(ctx, api.DropLogRequest{Age: time.Hour}); err != nil || d.Segments != 0 || d.Log != nil {
		t.Errorf("%+v, %v", d, err)
	}
	r := api.DropLogRequest{Bytes: 1}
	would, err := ws.Host().DroppableLog(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ws.Host().DropLog(ctx, r)
	if err != nil || d.Segments != 1 || d.Segments != would.Segments || d.First != 1 || d.Last != would.Last || d.Log == nil {
		t.Fatalf("%+v instead of %+v, %v", d, would, err)
	}

	for what, err := range map[string]error{
		"show":             failed(ws.Show(ctx, tx)),
		"show by a number": failed(ws.Show(ctx, "2")),
		"undo":             failed(ws.Undo(ctx, api.UndoRequest{Entry: tx})),
	} {
		if refusal, ok := errors.AsType[*emend.Refusal](err); !ok || !strings.Contains(refusal.Explain(), "what is older was dropped") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if h, err := ws.History(ctx, api.HistoryRequest{Limit: -1}); err != nil || len(h.Data.Entries) == 0 || slices.ContainsFunc(h.Data.Entries, func(e api.LogEntry) bool { return e.Entry == tx }) {
		t.Errorf("%+v, %v", h, err)
	}
	change(t, ws)
	v, err := ws.Verify(ctx, api.VerifyRequest{Heads: []api.Head{d.Last}})
	if err != nil || !v.OK || v.Dropped == nil || v.Dropped.Last != d.Last || v.Dropped.Rule != "beyond 1 bytes" || v.Dropped.Seq != d.Log.Seq {
		t.Errorf("%+v, %v", v, err)
	}
}

func failed[T any](_ T, err error) error { return err }

func TestPolicyDropsLog(t *testing.T) {
	for policy, want := range map[string]int{
		"":                                   2,
		"[log]\nage = \"1d\"":                2,
		"[log]\nage = \"any\"":               2,
		"[log]\nsize = \"1KiB\"":             1,
		"[log]\nage = \"1d\"\nsize=\"1KiB\"": 1,
	} {
		ws, _ := rotated(t)
		file := filepath.Join(t.TempDir(), "policy.toml")
		if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
			t.Fatal(err)
		}
		change(t, ws, emend.Policy(file))
		v, err := ws.Verify(t.Context(), api.VerifyRequest{})
		if err != nil || !v.OK || v.Segments != want || (v.Dropped == nil) != (want == 2) {
			t.Errorf("%q: %+v, %v", policy, v, err)
		}
	}
}
