package lost

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/wire"
)

var grow = flag.String("grow", "10x2000", "WORKSPACESxRECORDS, with commas: sizes to measure")

// TestGrowth measures what records cost a hub, for numbers of workspaces and of records. Every workspace has its records when it joins, as after days
// offline, and sends them as fast as the hub takes them. Figures are printed, and not asserted; that all arrives is.
func TestGrowth(t *testing.T) {
	program := program(t)
	for size := range strings.SplitSeq(*grow, ",") {
		w, r, _ := strings.Cut(size, "x")
		workspaces, err := strconv.Atoi(w)
		if err != nil {
			t.Fatal(err)
		}
		records, err := strconv.Atoi(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(size, func(t *testing.T) { measure(t, program, workspaces, records) })
	}
}

func measure(t *testing.T, program string, workspaces, records int) {
	h := &hub{t: t, program: program, dir: t.TempDir(), listen: freePort(t), https: freePort(t)}
	h.start()
	defer h.kill()
	b := h.attach()
	defer b.Close()
	invite, err := b.Invite(t.Context(), "https://"+h.https, true, wire.Invitation{Uses: workspaces, Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	sims := joinSims(t, invite, workspaces)
	for _, s := range sims {
		for s.head().Seq < uint64(records/workspaces) {
			s.grow(1 << 30)
		}
	}
	idle := memory(t, h.cmd.Process.Pid)
	begin := time.Now()
	made, sent := uint64(0), uint64(0)
	for _, s := range sims {
		all.Go(func() { s.ship.Run(ctx) })
	}
	for _, s := range sims {
		made += s.head().Seq
		for s.ship.Progress().Shipped != s.head() {
			if time.Since(begin) > 15*time.Minute {
				t.Fatalf("not everything arrived: %+v", s.ship.Progress())
			}
			time.Sleep(2 * time.Millisecond)
		}
		sent += s.ship.Progress().Bytes
	}
	shipped := time.Since(begin)
	last, size, err := b.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var indexed int64
	for {
		x, err := index.Open(t.Context(), filepath.Join(h.dir, "index.db"), 1)
		if err != nil {
			t.Fatal(err)
		}
		n, err := x.Position(t.Context())
		indexed = x.Bytes()
		x.Close()
		if err != nil {
			t.Fatal(err)
		}
		if n >= last {
			break
		}
		if time.Since(begin) > 20*time.Minute {
			t.Fatalf("the index is at %d of %d", n, last)
		}
		time.Sleep(20 * time.Millisecond)
	}
	current := time.Since(begin)
	disk := int64(0)
	filepath.Walk(filepath.Join(h.dir, "nats"), func(_ string, i os.FileInfo, err error) error {
		if err == nil && !i.IsDir() {
			disk += i.Size()
		}
		return nil
	})
	n, mem := float64(made), memory(t, h.cmd.Process.Pid)
	h.stop() // the index merges what was written lately into its file
	rest, err := os.Stat(filepath.Join(h.dir, "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("fleet: %d workspaces, %d records: acknowledged at %.0f a second, in the index at %.0f a second; of a record %.0f bytes are sent, %.0f are in the stream (%.0f on disk), %.0f in the index (%.0f at rest); the hub's memory is %d MiB (%d MiB before, at most %d MiB)",
		workspaces, made, n/shipped.Seconds(), n/current.Seconds(), float64(sent)/n, float64(size)/n, float64(disk)/n, float64(indexed)/n, float64(rest.Size())/n, mem.now, idle.now, mem.most)
}

type memoryOf struct{ now, most int }

// memory returns what a process has, in MiB; 0 where the system does not say.
func memory(t *testing.T, pid int) (m memoryOf) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kib, _ := strconv.Atoi(f[1])
		switch f[0] {
		case "VmRSS:":
			m.now = kib >> 10
		case "VmHWM:":
			m.most = kib >> 10
		}
	}
	return m
}
