package logbook_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/report"
)

// follow starts to follow. next returns the letter and the path of the next entry, or the next note.
func follow(t *testing.T, ws *emend.Workspace, r api.HistoryRequest) (next func() string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	told, end := make(chan string, 100), make(chan error, 1)
	go func() {
		end <- ws.Follow(ctx, r, func(entries []api.LogEntry, notes []string) error {
			for _, e := range entries {
				told <- report.StatusLetter(&e) + " " + report.EntryPath(&e)
			}
			for _, n := range notes {
				told <- n
			}
			return nil
		})
	}()
	next = func() string {
		select {
		case s := <-told:
			return s
		case err := <-end:
			return "ended: " + errorText(err)
		case <-time.After(20 * time.Second):
			return "nothing"
		}
	}
	return next, func() {
		cancel()
		if err := <-end; err != nil {
			t.Error(err)
		}
		if len(told) > 0 {
			t.Errorf("told as well: %q", <-told)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return "well"
	}
	return err.Error()
}

func expect(t *testing.T, next func() string, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := next(); !strings.HasPrefix(got, w) {
			t.Fatalf("told %q, want %q", got, w)
		}
	}
}

// Follow tells the entries that the log has, the oldest first, and then new ones, also where there is no store yet.
func TestFollow(t *testing.T) {
	next, stop := follow(t, logged(t), api.HistoryRequest{Limit: 4})
	expect(t, next, "M f", "R d/m -> d/n", "! f", "! .env")
	stop()

	ws := emendtest.Workspace(t, "f", "one\n", "g", "one\n")
	next, stop = follow(t, ws, api.HistoryRequest{Path: "f"})
	emendtest.MustApply(t, ws, api.Actor{}, "emend", "*** Begin Patch\n*** Update File: g\n@@\n-one\n+two\n*** Update File: f\n@@\n-one\n+two\n*** End Patch\n")
	expect(t, next, "M f")
	refuse(t, ws, "*** Begin Patch\n*** Update File: f\n@@\n-nosuch\n+x\n*** End Patch\n")
	expect(t, next, "! f")
	stop()
}

// Follow tells a change again when it was aborted after it was told.
func TestFollowTakenBack(t *testing.T) {
	ws := logged(t)
	next, stop := follow(t, ws, api.HistoryRequest{Limit: 1})
	expect(t, next, "! .env")
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Commit, Tx: "a", OK: true, Ops: []audit.Op{{Operation: "add", Path: "a"}}})
	expect(t, next, "A a")
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Abort, Tx: "a", ErrorKind: "stale_file"})
	expect(t, next, "! a")
	emendtest.AppendRecords(t, ws, decided(audit.Undo, "u", "b")...)
	expect(t, next, "U u")
	stop()
}

// Follow notes that the log was replaced by an older one.
func TestFollowReplacedLog(t *testing.T) {
	ws := logged(t)
	name := filepath.Join(ws.Root(), ".emend/log/00000001.jsonl")
	log, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	next, stop := follow(t, ws, api.HistoryRequest{Limit: 1})
	expect(t, next, "! .env")
	if err := os.WriteFile(name, log[:strings.Index(string(log), "\n")+1], 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, next, "The log is another one now, after record 1")
	refuse(t, ws, "*** Begin Patch\n*** Update File: d/n\n@@\n-nosuch\n+x\n*** End Patch\n")
	expect(t, next, "! d/n")
	other, err := os.ReadFile(filepath.Join(logged(t).Root(), ".emend/log/00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, other, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, next, "The log is another one now, after record 7")
	stop()
}
