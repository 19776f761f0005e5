package web

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/panics"
)

const (
	maxStreams     = 100 // per workspace; one more ends the oldest
	heartbeat      = 15 * time.Second
	stopDelay      = 5 * time.Second        // after the last page is closed: the next one may be about to open
	loadedPageTime = time.Minute            // how long a page without a stream counts as open
	pollInterval   = 200 * time.Millisecond // between two looks for calls that wait
)

// hubUpdate is the message to open pages.
type hubUpdate struct {
	Head    uint64 `json:"head"`             // the number of the log's newest record
	Waiting int    `json:"waiting"`          // how many calls wait for a person
	Newest  string `json:"newest,omitempty"` // the id of the one that came last
}

// hub tells the open pages of one workspace what is new. While a page is open, the hub watches the log and the calls that
// wait, once for all pages, and lets such calls know that a person is there.
type hub struct {
	ws        *Workspace
	log       *slog.Logger
	stopDelay time.Duration // the constant, except in tests
	readOnly  bool          // nobody can answer here, so calls do not wait for this page

	mu        sync.Mutex
	closed    bool
	streams   []*stream  // oldest first
	last      *hubUpdate // nil until the hub has looked
	openUntil time.Time  // until then a page without a stream counts as open
	stop      func()     // ends the watch; nil while there is none
	stopTimer *time.Timer
}

// stream is one open page.
type stream struct {
	updates chan hubUpdate // holds one: a newer update replaces one that is not read yet
	cancel  context.CancelFunc
}

func newHub(ws *Workspace, log *slog.Logger) *hub {
	return &hub{ws: ws, log: log, stopDelay: stopDelay}
}

// subscribe opens a stream. The context that it returns ends with ctx, with the site, and when the stream is the oldest of
// too many.
func (h *hub) subscribe(ctx context.Context) (*stream, context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{updates: make(chan hubUpdate, 1), cancel: cancel}
	if h.closed {
		cancel()
		return s, ctx
	}
	if len(h.streams) >= maxStreams {
		h.streams[0].cancel()
		h.streams = slices.Delete(h.streams, 0, 1)
	}
	h.streams = append(h.streams, s)
	h.openUntil = time.Time{} // the page that counted as open now has a stream
	h.start()
	if h.last != nil {
		s.send(*h.last)
	}
	return s, ctx
}

// unsubscribe closes a stream.
func (h *hub) unsubscribe(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.cancel()
	h.streams = slices.DeleteFunc(h.streams, func(other *stream) bool { return other == s })
	h.stopSoon()
}

// pageLoaded counts a page without a stream as open for a while.
func (h *hub) pageLoaded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.openUntil = time.Now().Add(loadedPageTime)
	h.start()
	h.stopSoon()
}

// start begins the watch, if there is none.
func (h *hub) start() {
	if h.stopTimer != nil {
		h.stopTimer.Stop()
		h.stopTimer = nil
	}
	if h.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	leave := h.announcePage()
	done := make(chan struct{})
	panics.Go(func() { defer close(done); h.watch(ctx) }, panics.LogTo(h.log, "telling open pages what is new"))
	h.stop = func() { cancel(); <-done; leave() }
}

// announcePage lets calls that wait for a person know that a page is open, until leave is called.
func (h *hub) announcePage() (leave func()) {
	if h.readOnly {
		return func() {}
	}
	leave, err := h.ws.Host().PageOpen(api.AnsweredByPage)
	if err != nil {
		h.log.Warn("calls that wait for a person cannot be told that a page is open", "workspace", h.ws.Name, "error", err)
		return func() {}
	}
	return leave
}

// stopSoon ends the watch after a delay, if no page is open.
func (h *hub) stopSoon() {
	if len(h.streams) > 0 || h.stop == nil || h.stopTimer != nil {
		return
	}
	h.stopTimer = time.AfterFunc(max(h.stopDelay, time.Until(h.openUntil)), h.stopIfIdle)
}

// stopIfIdle ends the watch, unless a page was opened since.
func (h *hub) stopIfIdle() {
	h.mu.Lock()
	h.stopTimer = nil
	stop := h.stop
	switch {
	case len(h.streams) > 0 || stop == nil:
		stop = func() {}
	case !h.closed && time.Now().Before(h.openUntil):
		stop = func() {}
		h.stopSoon()
	default:
		h.stop, h.last = nil, nil
	}
	h.mu.Unlock()
	stop()
}

func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	for _, s := range h.streams {
		s.cancel()
	}
	h.streams = nil
	h.mu.Unlock()
	h.stopIfIdle()
}

// watch tells the streams what is new, until ctx ends.
func (h *hub) watch(ctx context.Context) {
	var both panics.Group
	both.Go(func() { h.followLog(ctx) })
	for tick := time.NewTicker(pollInterval); ctx.Err() == nil; {
		waiting, newest := h.waiting(ctx)
		h.broadcast(func(n *hubUpdate) { n.Waiting, n.Newest = waiting, newest })
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
		}
	}
	both.Wait()
}

// followLog tells of each new record of the log. If the log cannot be read, as while it is being made, it tries again.
func (h *hub) followLog(ctx context.Context) {
	for said := false; ctx.Err() == nil; {
		err := h.ws.Watch(ctx, func(head api.Head) { h.broadcast(func(n *hubUpdate) { n.Head = head.Seq }) })
		if err != nil && !said {
			h.log.Warn("open pages cannot be told what is new", "workspace", h.ws.Name, "error", err)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * pollInterval):
		}
	}
}

// waiting returns how many calls wait, and the id of the one that came last.
func (h *hub) waiting(ctx context.Context) (n int, newest string) {
	list, err := h.ws.Waiting(ctx)
	if err != nil || len(list) == 0 {
		return 0, ""
	}
	return len(list), list[len(list)-1].ID
}

// broadcast changes the last update, and sends it to every stream if it is different now.
func (h *hub) broadcast(change func(*hubUpdate)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var n hubUpdate
	if h.last != nil {
		n = *h.last
	}
	change(&n)
	if h.last != nil && *h.last == n {
		return
	}
	h.last = &n
	for _, s := range h.streams {
		s.send(n)
	}
}

// send replaces what the stream has not read yet. It never blocks.
func (s *stream) send(n hubUpdate) {
	select {
	case <-s.updates:
	default:
	}
	s.updates <- n
}

// waitingCount returns how many calls of a workspace wait for a person.
func (s *Site) waitingCount(w *Workspace) int {
	n, _ := s.hubs[w.Name].waiting(context.Background())
	return n
}
