package emendtest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/logtest"
	"github.com/emend-dev/emend/internal/vfs"
)

// MustApply applies a patch as an actor, or with the options of ws for the zero Actor, and returns its transaction.
func MustApply(t *testing.T, ws *emend.Workspace, a api.Actor, dialect, text string) string {
	t.Helper()
	by, err := emend.Open(ws.Root(), emend.ByActor(a))
	if err != nil {
		t.Fatal(err)
	}
	defer by.Close()
	if a == (api.Actor{}) {
		by = ws // with its own options
	}
	rep, err := by.Apply(context.Background(), text, api.PatchOptions{Dialect: dialect})
	if err != nil {
		t.Fatal(err)
	}
	return rep.Tx
}

// AppendRecords appends records to the log of a workspace, as another process would.
func AppendRecords(t *testing.T, ws *emend.Workspace, records ...audit.Record) {
	t.Helper()
	dir, err := vfs.Open(filepath.Join(ws.Root(), ".emend/log"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	l, err := audit.Open(dir, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range records {
		if err := l.Append(&records[i], true); err != nil {
			t.Fatal(err)
		}
	}
}

// LongLog opens a workspace with a log of so many entries.
func LongLog(t testing.TB, entries int) *emend.Workspace {
	t.Helper()
	dir := t.TempDir()
	if err := logtest.Make(dir, entries); err != nil {
		t.Fatal(err)
	}
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}
