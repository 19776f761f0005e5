//go:build linux || darwin

package commit

import (
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// TestTurns checks that a process whose calls queue for the lock lets another process have it in between.
func TestTurns(t *testing.T) {
	top := t.TempDir()
	server := onDisk(t, top)
	dir, err := vfs.Open(filepath.Join(top, storeName))
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open(dir, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, stop := context.WithCancel(t.Context())
	var holds atomic.Int64
	var calls sync.WaitGroup
	defer calls.Wait()
	defer stop()
	for range 16 {
		calls.Go(func() {
			for ctx.Err() == nil {
				if unlock, err := server.lock(ctx); err == nil {
					holds.Add(1)
					time.Sleep(2 * time.Millisecond) // it works
					unlock()
				}
			}
		})
	}
	const times, most = 20, 50
	for range times {
		was := holds.Load()
		for holds.Load() < was+2 { // the server is busy
			runtime.Gosched()
		}
		was = holds.Load()
		unlock, err := other.lock(t.Context())
		if err != nil {
			t.Fatalf("after %d calls of the server: %v", holds.Load()-was, err)
		}
		n := holds.Load() - was
		unlock()
		if n > most {
			t.Errorf("%d calls of the server came first, want at most %d", n, most)
		}
	}
}
