package source

import (
	"context"
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
