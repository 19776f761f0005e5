package web

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/emend-dev/emend"
)

// logCounts are the counts at one time. They do not change any more.
type logCounts struct {
	emend.Tally
	Fresh bool // they were up to date when the page was made
}

// logCounter counts the log of a workspace in the background, and keeps the last counts. A page waits for a count only for a
// moment; the next page has what it found.
type logCounter struct {
	mu     sync.Mutex
	ws     *Workspace
	tally  emend.Tally
	last   *logCounts
	ready  chan struct{} // closed at the end of the running count; nil if none runs
	ctx    context.Context
	cancel context.CancelFunc
}

// countWait is how long a page waits for a count.
const countWait = 40 * time.Millisecond

// logCounters holds the counters of a site.
type logCounters struct {
	mu          sync.Mutex
	byWorkspace map[*Workspace]*logCounter
	closed      bool
}

// logCounts returns the counts of the workspace's log, or nil while it is counted for the first time.
func (r *request) logCounts() *logCounts {
	c := r.site.counters.counter(r.ws)
	if c == nil {
		return nil
	}
	return c.latest(countWait, r.site.Log)
}

func (s *logCounters) counter(ws *Workspace) *logCounter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byWorkspace == nil {
		s.byWorkspace = map[*Workspace]*logCounter{}
	}
	if s.byWorkspace[ws] == nil && !s.closed {
		c := &logCounter{ws: ws}
		c.ctx, c.cancel = context.WithCancel(context.Background())
		s.byWorkspace[ws] = c
	}
	return s.byWorkspace[ws]
}

// close ends every running count, and waits for it.
func (s *logCounters) close() {
	s.mu.Lock()
	s.closed = true
	all := slices.Collect(maps.Values(s.byWorkspace))
	s.mu.Unlock()
	for _, c := range all {
		c.cancel()
		c.mu.Lock()
		ready := c.ready
		c.mu.Unlock()
		if ready != nil {
			<-ready
		}
	}
}

// latest starts a count, unless one runs, waits for it a moment, and returns the newest counts.
func (c *logCounter) latest(wait time.Duration, log *slog.Logger) *logCounts {
	c.mu.Lock()
	ready := c.ready
	if ready == nil {
		ready = make(chan struct{})
		c.ready = ready
		go c.count(ready, log)
	}
	c.mu.Unlock()
	fresh := false
	select {
	case <-ready:
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
func (c *logCounter) count(ready chan struct{}, log *slog.Logger) {
	err := c.ws.Tally(c.ctx, &c.tally)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && c.ctx.Err() == nil:
		log.Warn("the log could not be counted", "error", err)
	case err == nil && (c.last == nil || c.last.Head != c.tally.Head):
		c.last = &logCounts{Tally: snapshot(&c.tally)}
	}
	c.ready = nil
	close(ready)
}

// snapshot copies counts that a running count goes on changing.
func snapshot(t *emend.Tally) emend.Tally {
	out := *t
	out.Hours = maps.Clone(t.Hours)
	out.Sessions, out.Agents, out.Clients = slices.Clone(t.Sessions), slices.Clone(t.Agents), slices.Clone(t.Clients)
	out.Tools, out.Notes = slices.Clone(t.Tools), slices.Clone(t.Notes)
	return out
}
