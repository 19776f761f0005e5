package emend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emend-dev/emend/patch"
)

// TestAheadEnded: who asks twice for a path that is not read any more gets nothing, and does not wait for it.
func TestAheadEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a := &ahead{todo: make(chan int, aheadBatches), named: []*patch.Section{{Path: "a"}}}
	a.ended, a.end = context.WithCancel(ctx)
	for i := range aheadBatches {
		a.done = append(a.done, make(chan []fetched, 1))
		a.ask(i)
	}
	a.work.Go(a.run)
	defer a.stop()
	for range 2 {
		if got := a.next("a"); got != nil {
			t.Errorf("%+v", got)
		}
	}
}

// TestAheadPanic: a panic comes out where the path is asked for, so that the call fails and not the process.
func TestAheadPanic(t *testing.T) {
	a := &ahead{todo: make(chan int, 1), done: []chan []fetched{make(chan []fetched, 1)}, named: []*patch.Section{{Path: "a"}},
		fetch: func(*patch.Section) fetched { panic("a defect") }}
	a.ended, a.end = context.WithCancel(context.Background())
	a.ask(0)
	for range aheadBatches - 1 {
		a.done = append(a.done, make(chan []fetched, 1))
	}
	a.work.Go(a.run)
	defer a.stop()
	defer func() {
		if p := recover(); p != "a defect" {
			t.Errorf("it panicked with %v", p)
		}
	}()
	a.next("a")
}

// sudden is a context that has ended when it was asked so often, and tells nobody before.
type sudden struct {
	context.Context
	left atomic.Int32
}

func (s *sudden) Err() error {
	if s.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestAheadLeft: a plan that ends early leaves nobody behind who reads for it (the race detector sees it).
func TestAheadLeft(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("*** Begin Patch\n")
	for i := range 200 {
		name := fmt.Sprint("f", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "*** Update File: %s\n@@\n-old\n+new\n", name)
	}
	text.WriteString("*** End Patch\n")
	ws, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for left := range 30 {
		ctx := &sudden{Context: context.Background()}
		ctx.left.Store(int32(left))
		if _, err := ws.Plan(ctx, text.String(), Options{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d: %v", left, err)
		}
	}
}
