package web

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/panics"
)

// filterCounter counts the calls of the last month that a filter lets through, in the background. A page waits for that only
// for a moment. The counts of the last few filters are kept until the log has something new.
type filterCounter struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	kept map[string]*filterCount // by the conditions
	work sync.WaitGroup
}

// filterCount is one count. hours is read after done is closed.
type filterCount struct {
	head  uint64
	hours map[int64]api.Count // nil if the count failed
	took  time.Duration
	ended time.Time
	done  chan struct{}
}

// maxFilterCounts limits the counts that are kept.
const maxFilterCounts = 16

func newFilterCounter() *filterCounter {
	c := &filterCounter{kept: map[string]*filterCount{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// close ends the running counts, and waits for them.
func (c *filterCounter) close() {
	c.cancel()
	c.work.Wait()
}

// of returns the calls that a filter lets through, by the hour, or nil while they are counted.
func (c *filterCounter) of(r *request, f *filter, now time.Time) map[int64]api.Count {
	key := f.Query.Encode()
	c.mu.Lock()
	n := c.kept[key]
	if n == nil || n.head != r.head && n.stale() {
		if len(c.kept) >= maxFilterCounts {
			maps.DeleteFunc(c.kept, func(_ string, old *filterCount) bool { return old.finished() })
		}
		if len(c.kept) >= maxFilterCounts || c.ctx.Err() != nil {
			c.mu.Unlock()
			return nil
		}
		n = &filterCount{head: r.head, done: make(chan struct{})}
		c.kept[key] = n
		request, ws := f.request, r.ws
		request.Since = later(request.Since, midnight(now.Local()).AddDate(0, 0, 1-chartDays))
		request.Before = 0
		c.work.Add(1)
		panics.Go(func() { defer c.work.Done(); defer close(n.done); n.count(c.ctx, ws, request) }, panics.LogTo(r.site.Log, "the count of a filter"))
	}
	c.mu.Unlock()
	select {
	case <-n.done:
		return n.hours
	case <-time.After(countWait):
		return nil
	}
}

// stale reports whether the count is finished and old enough to be made anew. A count that took long is kept for longer, so that
// a log that grows all the time is not counted all the time.
func (n *filterCount) stale() bool {
	return n.finished() && (n.hours == nil || time.Since(n.ended) > 10*n.took)
}

func (n *filterCount) finished() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

// count counts page by page, so that few calls are in memory at a time.
func (n *filterCount) count(ctx context.Context, ws *Workspace, request api.TimelineRequest) {
	start := time.Now()
	defer func() { n.ended = time.Now(); n.took = n.ended.Sub(start) }()
	hours := map[int64]api.Count{}
	request.Limit = 500
	for {
		t, err := ws.Timeline(ctx, request)
		if err != nil {
			return
		}
		for i := range t.Calls {
			hour := t.Calls[i].Timestamp.Unix() / 3600
			hours[hour] = logbook.AddCounts(hours[hour], logbook.CountOf(t.Calls[i].Outcome))
		}
		if request.Before = t.Next; t.Next == 0 {
			n.hours = hours
			return
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
