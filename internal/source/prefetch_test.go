package source

import (
	"context"
	"testing"

	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/patch"
)

// TestPrefetchCancelled: after a cancellation next returns nil and does not block, however often it is called.
func TestPrefetchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := &prefetcher{todo: make(chan int, prefetchBatches), sections: []*patch.Section{{Path: "a"}}}
	p.ctx, p.cancel = context.WithCancel(ctx)
	for i := range prefetchBatches {
		p.done = append(p.done, make(chan []fetched, 1))
		p.schedule(i)
	}
	p.workers.Go(p.work)
	defer p.stop()
	for range 2 {
		if got := p.next("a"); got != nil {
			t.Errorf("%+v", got)
		}
	}
}

// TestPrefetchPanic: next repeats the panic of a worker, so that the call fails and not the process.
func TestPrefetchPanic(t *testing.T) {
	p := &prefetcher{todo: make(chan int, 1), done: []chan []fetched{make(chan []fetched, 1)}, sections: []*patch.Section{{Path: "a"}},
		fetch: func(*patch.Section) fetched { panic("a defect") }}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.schedule(0)
	for range prefetchBatches - 1 {
		p.done = append(p.done, make(chan []fetched, 1))
	}
	p.workers.Go(p.work)
	defer p.stop()
	defer func() {
		if v := panics.Recovered(recover()); v == nil || v.Panic != "a defect" {
			t.Errorf("it panicked with %v", v)
		}
	}()
	p.next("a")
}
