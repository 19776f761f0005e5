package lost

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/wire"
)

// TestDiskFull: the disk of the hub fills while workspaces write. What it cannot take it refuses, and says so; when there is space again everything
// arrives, without a start of anything.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	mount := func(args ...string) error {
		out, err := exec.Command("mount", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: a full disk: it is a small tmpfs, which only Linux has")
	}
	size := "size=48m"
	if testing.Short() {
		size = "size=30m"
	}
	if err := mount("-t", "tmpfs", "-o", size, "tmpfs", dir); err != nil {
		t.Skipf("NOT RUN: a full disk: a small tmpfs cannot be mounted here (%v)", err)
	}
	defer exec.Command("umount", "-l", dir).Run()
	h := &hub{t: t, program: program(t), dir: dir, listen: freePort(t), https: freePort(t), args: []string{"--reserve", "24"}}
	h.start()
	b := h.attach()
	invite, err := b.Invite(t.Context(), "https://"+h.https, true, wire.Invitation{Uses: 8, Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	sims := joinSims(t, invite, 8)
	for _, s := range sims {
		all.Go(func() { s.ship.Run(ctx) })
	}
	writing, stop := context.WithCancel(ctx)
	var writers sync.WaitGroup
	for _, s := range sims {
		writers.Go(func() {
			for writing.Err() == nil {
				if !s.grow(3000) {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	refused := ""
	for start := time.Now(); refused == ""; time.Sleep(50 * time.Millisecond) {
		for _, s := range sims {
			if p := s.ship.Progress().Problem; strings.Contains(p, "maximum bytes") {
				refused = p
			}
		}
		if time.Since(start) > 3*time.Minute {
			t.Fatal("the disk does not fill")
		}
	}
	time.Sleep(2 * time.Second) // it stays so
	before := sims[0].ship.Progress().Shipped
	stop()
	writers.Wait()
	if err := mount("-o", "remount,size=400m", dir); err != nil {
		t.Fatal(err)
	}
	made := uint64(0)
	for _, s := range sims {
		made += s.head().Seq
		for start := time.Now(); s.ship.Progress().Shipped != s.head(); time.Sleep(50 * time.Millisecond) {
			if time.Since(start) > 2*time.Minute || s.violated != "" {
				t.Fatalf("not everything arrived: %+v, the log has %v; %s", s.ship.Progress(), s.head(), s.violated)
			}
		}
	}
	cancel()
	all.Wait()
	b = h.attach()
	defer b.Close()
	c := hubtest.NewCopy()
	if err := c.CatchUp(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for i, s := range sims {
		if st := c.Of(s.m.Joined.Workspace); st.Head != s.head() || st.Records != s.head().Seq || st.Epoch != 1 || st.Findings != 0 {
			t.Errorf("sim %d: the broker has %+v, the log %v", i, st, s.head())
		}
	}
	h.stop()
	t.Logf("fleet: the hub's disk was full: refused (%q) at record %d of a workspace; then all %d records of %d workspaces arrived", refused, before.Seq, made, len(sims))
}
