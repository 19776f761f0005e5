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

// tally is what was counted, as it was at one time: it does not change any more.
type tally struct {
	emend.Tally
	Fresh bool // nothing has come since, as far as this program knows
}

// counter counts the log of a workspace in the background, and has the last result at hand. A page waits for it only for a
// moment: what is counted then is shown by the next page.
type counter struct {
	mu     sync.Mutex
	tally  *emend.Tally
	last   *tally
	ready  chan struct{} // closed when the count that runs is done; nil when none runs
	ctx    context.Context
	cancel context.CancelFunc
}

// patience is how long a page waits for a count.
const patience = 40 * time.Millisecond

// counters are those of a site, by workspace.
type counters struct {
	mu     sync.Mutex
	of     map[*Workspace]*counter
	closed bool
}

// tally is what the workspace's log has; nil while it is counted for the first time.
func (r *request) tally() *tally {
	c := r.site.counts.counter(r.space)
	if c == nil {
		return nil
	}
	return c.latest(patience, r.site.Log)
}

func (s *counters) counter(space *Workspace) *counter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[*Workspace]*counter{}
	}
	if s.of[space] == nil && !s.closed {
		c := &counter{tally: space.NewTally()}
		c.ctx, c.cancel = context.WithCancel(context.Background())
		s.of[space] = c
	}
	return s.of[space]
}

// close ends every count that runs, and waits for it.
func (s *counters) close() {
	s.mu.Lock()
	s.closed = true
	all := slices.Collect(maps.Values(s.of))
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

// latest begins a count, unless one runs, and waits for it a moment.
func (c *counter) latest(wait time.Duration, log *slog.Logger) *tally {
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

// count reads what is new in the log. What fails is tried again by the next page.
func (c *counter) count(ready chan struct{}, log *slog.Logger) {
	err := c.tally.Refresh(c.ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && c.ctx.Err() == nil:
		log.Warn("the log could not be counted", "error", err)
	case err == nil && (c.last == nil || c.last.Head != c.tally.Head):
		c.last = &tally{Tally: frozen(c.tally)}
	}
	c.ready = nil
	close(ready)
}

// frozen is a copy that stays as it is while the count goes on.
func frozen(t *emend.Tally) emend.Tally {
	out := *t
	out.Hours = maps.Clone(t.Hours)
	out.Sessions, out.Agents, out.Clients = slices.Clone(t.Sessions), slices.Clone(t.Agents), slices.Clone(t.Clients)
	out.Tools, out.Notes = slices.Clone(t.Tools), slices.Clone(t.Notes)
	return out
}
