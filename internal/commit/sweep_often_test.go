package commit

import (
	"context"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs/vfstest"
)

// TestSweepsNowAndThen: a store sweeps at its first change, then not before a second has passed or its clock was set back; a recovery
// always sweeps.
func TestSweepsNowAndThen(t *testing.T) {
	w := newWorld(t, vfstest.Journal, files)
	s, err := w.open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	staging, err := tree(w.disk.Root).OpenDir(storeName + "/staging")
	if err != nil {
		t.Fatal(err)
	}
	defer staging.Close()
	now := time.Unix(2_000_000_000, 0)
	s.opts.Now = func() time.Time { return now }
	change := func() error {
		_, err := s.Run(context.Background(), Tx{Changes: w.changes(t, []wish{{op: "update", path: "a.txt", text: now.String()}}), Record: audit.Record{Kind: audit.Commit}})
		return err
	}
	for _, step := range []struct {
		passes time.Duration
		what   func() error
		swept  bool
	}{
		{0, change, true},
		{0, change, false},
		{sweepEvery - 1, change, false},
		{1, change, true},
		{1, change, false},
		{-time.Hour, change, true},
		{1, func() error { _, err := s.Recover(context.Background()); return err }, true},
		{1, change, false},
	} {
		now = now.Add(step.passes)
		dead := history.NewID(now) + "+1" // the marker of a process that was killed
		if err := createText(staging, dead, ""); err != nil {
			t.Fatal(err)
		}
		if err := step.what(); err != nil {
			t.Fatal(err)
		}
		_, there, err := exists(staging, dead)
		if err != nil || there == step.swept {
			t.Errorf("%v later: swept is %v, want %v; %v", step.passes, !there, step.swept, err)
		}
	}
}
