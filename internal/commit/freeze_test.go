package commit

import (
	"context"
	"errors"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// TestFreeze checks that a store that is frozen, also by a file that nobody can read, commits nothing, and another process sees it.
func TestFreeze(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx := context.Background()
	if f, err := s.Frozen(); f != nil || err != nil {
		t.Fatalf("a new store: %v, %v", f, err)
	}
	if err := s.Freeze(ctx, api.Frozen{By: "ann", Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	if f, err := other.Frozen(); err != nil || f == nil || f.By != "ann" || f.Reason != "enough" {
		t.Fatalf("%+v, %v", f, err)
	}
	if got := w.read(t, storeName+"/format"); got != laterFormat+"\ntop ..\n" {
		t.Errorf("the format is %q: older programs write", got)
	}
	if err := other.checkFrozen(); !errors.Is(err, fail.PermissionDenied) {
		t.Errorf("another process: %v", err)
	}
	if err := other.Purge(ctx, Removal{}); !errors.Is(err, fail.PermissionDenied) {
		t.Errorf("purge: %v", err)
	}
	s.dir.Remove(frozenName)
	f, err := s.dir.Create(frozenName, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("{not json"))
	f.Close()
	if f, err := other.Frozen(); err != nil || f == nil || other.checkFrozen() == nil {
		t.Errorf("a damaged file: %v, %v", f, err)
	}
	if err := other.Thaw(ctx); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Frozen(); f != nil || err != nil || s.checkFrozen() != nil {
		t.Errorf("after the thaw: %v, %v", f, err)
	}
}
