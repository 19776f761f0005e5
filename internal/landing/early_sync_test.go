//go:build linux

package landing

import (
	"errors"
	"testing"

	"github.com/emend-dev/emend/internal/workspace"
)

// TestEarlySync: the sync begins with the first directory that is one change and lands, once, and its error is that of the landing.
func TestEarlySync(t *testing.T) {
	w, err := workspace.Open(t.TempDir(), workspace.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(func() {})
	store, err := w.OpenOrMakeStore()
	if err != nil {
		t.Fatal(err)
	}
	if dir, err := store.OpenDir(runsName, true); err != nil {
		t.Fatal(err)
	} else if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	isWhole := func(p string) bool { return p == "node_modules" }
	var dry, e earlySync
	if whole := dry.with(isWhole, w, true); !whole("node_modules") || dry.done != nil {
		t.Error("a dry run syncs")
	}
	if e.with(nil, w, false) != nil {
		t.Error("directories are one change where they cannot be")
	}
	whole := e.with(isWhole, w, false)
	if whole("src") || e.done != nil {
		t.Error("it syncs for what lands file by file")
	}
	if err := e.wait(); err != nil {
		t.Error(err)
	}
	if !whole("node_modules") || e.done == nil {
		t.Fatal("it does not sync")
	}
	begun := e.done
	if whole("node_modules"); e.done != begun {
		t.Error("it syncs twice")
	}
	if err := errors.Join(e.wait(), e.wait()); err != nil {
		t.Error(err)
	}
	if e.err = errors.New("full"); e.wait() == nil {
		t.Error("its error is lost")
	}
}
