package logbook_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// watch starts to watch. next returns the next head.
func watch(t *testing.T, ws *emend.Workspace) (next func() api.Head, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	heads, end := make(chan api.Head, 100), make(chan error, 1)
	go func() { end <- ws.Watch(ctx, func(h api.Head) { heads <- h }) }()
	next = func() api.Head {
		select {
		case h := <-heads:
			return h
		case err := <-end:
			t.Fatalf("ended: %v", err)
		case <-time.After(20 * time.Second):
			t.Fatal("nothing is told")
		}
		return api.Head{}
	}
	return next, func() {
		cancel()
		if err := <-end; err != nil {
			t.Error(err)
		}
		if len(heads) > 0 {
			t.Errorf("told as well: %v", <-heads)
		}
	}
}

// until waits until Watch tells the head that the log has now.
func until(t *testing.T, ws *emend.Workspace, next func() api.Head) api.Head {
	t.Helper()
	is, err := ws.Timeline(t.Context(), api.TimelineRequest{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for {
		if h := next(); h == is.Head {
			return h
		}
	}
}

// Watch tells the head at once and whenever it changes: when a store is made, after a refusal, when the log is replaced, when the
// store is moved away and back.
func TestWatch(t *testing.T) {
	ws := emendtest.Workspace(t, "f", "one\n")
	next, stop := watch(t, ws)
	if h := next(); h != (api.Head{}) {
		t.Errorf("%v before there is a store", h)
	}
	emendtest.MustApply(t, ws, api.Actor{}, "emend", emendtest.Envelope("*** Update File: f", "@@", "-one", "+two"))
	until(t, ws, next)
	refuse(t, ws, emendtest.Envelope("*** Update File: f", "@@", "-nosuch", "+x"))
	until(t, ws, next)
	store := filepath.Join(ws.Root(), ".emend")
	other, err := os.ReadFile(filepath.Join(logged(t).Root(), ".emend/log/00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, "log/00000001.jsonl"), other, 0o600); err != nil {
		t.Fatal(err)
	}
	was := until(t, ws, next)
	if err := os.Rename(store, store+".away"); err != nil {
		t.Fatal(err)
	}
	if h := next(); h != (api.Head{}) {
		t.Errorf("%v of a store that is gone", h)
	}
	if err := os.Rename(store+".away", store); err != nil {
		t.Fatal(err)
	}
	if h := next(); h != was {
		t.Errorf("%v of a store that is back, want %v", h, was)
	}
	stop()
}

// descriptors returns how many files this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("NOT RUN: open files cannot be counted here: %v", err)
	}
	return len(names)
}

// Calls that a server makes again and again leave no file open.
func TestPagesLeaveNothingOpen(t *testing.T) {
	ws := logged(t)
	tally := new(api.Tally)
	round := func() {
		refuse(t, ws, emendtest.Envelope("*** Update File: f", "@@", "-nosuch", "+x"))
		refresh(t, ws, tally)
		pages(t, ws, api.TimelineRequest{Limit: 3})
		next, stop := watch(t, ws)
		next()
		stop()
	}
	round()
	before := descriptors(t)
	for range 20 {
		round()
	}
	if now := descriptors(t); now > before {
		t.Errorf("%d open files, and %d before", now, before)
	}
}
