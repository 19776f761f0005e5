package web

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/emend-dev/emend"
)

const (
	maxStreams     = 100 // of a workspace; the oldest ends when one more comes
	heartbeat      = 15 * time.Second
	stopDelay      = 5 * time.Second        // after the last page is closed: another may be about to open
	loadedPageTime = time.Minute            // that a page without a stream counts as open
	pollInterval   = 200 * time.Millisecond // at which it is looked whether a call waits
)

// news is what open pages are told.
type hubUpdate struct {
	Head    uint64 `json:"head"`             // of the log
	Waiting int    `json:"waiting"`          // calls that wait for a person
	Newest  string `json:"newest,omitempty"` // of them
}

// hub is where the open pages of one workspace hear what is new. While one is open it looks, once for all of them, and calls
// that wait for a person are told that one is there.
type hub struct {
	ws        *Workspace
	log       *slog.Logger
	stopDelay time.Duration // [lingering]
	readOnly  bool          // nobody can answer here, and no call waits for it

	mu        sync.Mutex
	closed    bool
	streams   []*stream  // the oldest first
	last      *hubUpdate // nil while nobody has looked
	openUntil time.Time  // that a page without a stream counts as open
	stop      func()     // of the watch; nil while there is none
	stopTimer *time.Timer
}

// stream is one open page.
type stream struct {
	updates chan hubUpdate // of one: what is not read yet is replaced by what is newer
	cancel  context.CancelFunc
}

func newHub(space *Workspace, log *slog.Logger) *hub {
	return &hub{ws: space, log: log, stopDelay: stopDelay}
}

// subscribe opens a stream, which ends when ctx or the site does.
func (d *hub) subscribe(ctx context.Context) (*stream, context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{updates: make(chan hubUpdate, 1), cancel: cancel}
	if d.closed {
		cancel()
		return s, ctx
	}
	if len(d.streams) >= maxStreams {
		d.streams[0].cancel()
		d.streams = slices.Delete(d.streams, 0, 1)
	}
	d.streams = append(d.streams, s)
	d.openUntil = time.Time{} // the page that counted as open without a stream has one now
	d.start()
	if d.last != nil {
		s.send(*d.last)
	}
	return s, ctx
}

// unsubscribe closes a stream.
func (d *hub) unsubscribe(s *stream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.cancel()
	d.streams = slices.DeleteFunc(d.streams, func(other *stream) bool { return other == s })
	d.stopSoon()
}

// pageLoaded counts a page without a stream as open for a while.
func (d *hub) pageLoaded() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.openUntil = time.Now().Add(loadedPageTime)
	d.start()
	d.stopSoon()
}

// start begins to look, if nobody does.
func (d *hub) start() {
	if d.stopTimer != nil {
		d.stopTimer.Stop()
		d.stopTimer = nil
	}
	if d.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	leave := d.announcePage()
	done := make(chan struct{})
	go func() { defer close(done); d.watch(ctx) }()
	d.stop = func() { cancel(); <-done; leave() }
}

// announcePage tells calls that wait for a person that one is there.
func (d *hub) announcePage() (leave func()) {
	if d.readOnly {
		return func() {}
	}
	leave, err := d.ws.Attend()
	if err != nil {
		d.log.Warn("calls that wait for a person cannot be told that a page is open", "workspace", d.ws.Name, "error", err)
		return func() {}
	}
	return leave
}

// stopSoon ends the looking when no page is open any more, a little later.
func (d *hub) stopSoon() {
	if len(d.streams) > 0 || d.stop == nil || d.stopTimer != nil {
		return
	}
	d.stopTimer = time.AfterFunc(max(d.stopDelay, time.Until(d.openUntil)), d.stopIfIdle)
}

// stopIfIdle ends the looking, unless a page was opened since.
func (d *hub) stopIfIdle() {
	d.mu.Lock()
	d.stopTimer = nil
	stop := d.stop
	switch {
	case len(d.streams) > 0 || stop == nil:
		stop = func() {}
	case !d.closed && time.Now().Before(d.openUntil):
		stop = func() {}
		d.stopSoon()
	default:
		d.stop, d.last = nil, nil
	}
	d.mu.Unlock()
	stop()
}

func (d *hub) close() {
	d.mu.Lock()
	d.closed = true
	for _, s := range d.streams {
		s.cancel()
	}
	d.streams = nil
	d.mu.Unlock()
	d.stopIfIdle()
}

// watch tells the streams what is new, until ctx ends.
func (d *hub) watch(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { d.followLog(ctx) })
	for tick := time.NewTicker(pollInterval); ctx.Err() == nil; {
		waiting, newest := d.waiting(ctx)
		d.broadcast(func(n *hubUpdate) { n.Waiting, n.Newest = waiting, newest })
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
		}
	}
	both.Wait()
}

// followLog tells of each change in the log. A log that cannot be read, as for a moment while it is made, is tried again.
func (d *hub) followLog(ctx context.Context) {
	for said := false; ctx.Err() == nil; {
		err := d.ws.Watch(ctx, func(h emend.Head) { d.broadcast(func(n *hubUpdate) { n.Head = h.Seq }) })
		if err != nil && !said {
			d.log.Warn("open pages cannot be told what is new", "workspace", d.ws.Name, "error", err)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * pollInterval):
		}
	}
}

// waiting is how many calls wait, and which came last.
func (d *hub) waiting(ctx context.Context) (n int, newest string) {
	list, err := d.ws.Waiting(ctx)
	if err != nil || len(list) == 0 {
		return 0, ""
	}
	return len(list), list[len(list)-1].ID
}

// broadcast has every stream hear of a change.
func (d *hub) broadcast(change func(*hubUpdate)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var n hubUpdate
	if d.last != nil {
		n = *d.last
	}
	change(&n)
	if d.last != nil && *d.last == n {
		return
	}
	d.last = &n
	for _, s := range d.streams {
		s.send(n)
	}
}

// send never waits: only the newest is of interest.
func (s *stream) send(n hubUpdate) {
	select {
	case <-s.updates:
	default:
	}
	s.updates <- n
}

// waitingCount is how many calls wait in a workspace.
func (s *Site) waitingCount(w *Workspace) int {
	n, _ := s.hubs[w.Name].waiting(context.Background())
	return n
}
