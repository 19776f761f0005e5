package web

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/panics"
)

// logCounts are the counts at one time. They do not change any more.
type logCounts struct {
	api.Tally
	Fresh bool // they were up to date when the page was made
}

// logCounter counts the log of a workspace in the background, and keeps the last counts. A page waits for a count only for a
// moment; the next page has what it found.
type logCounter struct {
	ctx    context.Context
	cancel context.CancelFunc
	ws     *Workspace
	tally  api.Tally // only the running count uses it

	mu   sync.Mutex
	last *logCounts
	done chan struct{} // closed at the end of the running count; nil if none runs
}

// countWait is the time that a page waits for a count.
const countWait = 40 * time.Millisecond

func newLogCounter(ws *Workspace) *logCounter {
	c := &logCounter{ws: ws}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// logCounts returns the counts of the workspace's log, or nil while it is counted for the first time.
func (r *request) logCounts() *logCounts {
	return r.site.counters[r.ws.Name].latest(countWait, r.site.Log)
}

// close ends the running count, and waits for it.
func (c *logCounter) close() {
	c.cancel()
	c.mu.Lock()
	done := c.done
	c.mu.Unlock()
	if done != nil {
		<-done
	}
}

// latest starts a count, unless one runs, waits for it a moment, and returns the newest counts.
func (c *logCounter) latest(wait time.Duration, log *slog.Logger) *logCounts {
	c.mu.Lock()
	if c.done == nil {
		c.done = make(chan struct{})
		panics.Go(func() { c.count(log) }, panics.LogTo(log, "the count of the log"))
	}
	done := c.done
	c.mu.Unlock()
	fresh := false
	select {
	case <-done:
		fresh = true
	case <-time.After(wait):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		return nil
	}
	out := *c.last
	out.Fresh = fresh
	return &out
}

// count reads what is new in the log. If that fails, the next page tries again.
func (c *logCounter) count(log *slog.Logger) {
	err := panics.Call(func() error { return c.ws.Host().Tally(c.ctx, &c.tally) })
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && c.ctx.Err() == nil:
		log.Warn("the log could not be counted", "error", err)
	case err == nil && (c.last == nil || c.last.Head != c.tally.Head):
		c.last = &logCounts{Tally: snapshot(&c.tally)}
	}
	close(c.done)
	c.done = nil
}

// snapshot copies counts that a running count goes on changing.
func snapshot(t *api.Tally) api.Tally {
	out := *t
	out.Hours = maps.Clone(t.Hours)
	out.Sessions, out.Agents, out.Clients = slices.Clone(t.Sessions), slices.Clone(t.Agents), slices.Clone(t.Clients)
	out.Tools, out.Notes = slices.Clone(t.Tools), slices.Clone(t.Notes)
	return out
}
