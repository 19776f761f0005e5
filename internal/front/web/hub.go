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
	mostStreams = 100 // of a workspace; the oldest ends when one more comes
	heartbeat   = 15 * time.Second
	lingering   = 5 * time.Second        // after the last page is closed: another may be about to open
	attending   = time.Minute            // that a page without a stream counts as open
	pace        = 200 * time.Millisecond // at which it is looked whether a call waits
)

// news is what open pages are told.
type news struct {
	Head    uint64 `json:"head"`             // of the log
	Waiting int    `json:"waiting"`          // calls that wait for a person
	Newest  string `json:"newest,omitempty"` // of them
}

// desk is where the open pages of one workspace hear what is new. While one is open it looks, once for all of them, and calls
// that wait for a person are told that one is there.
type desk struct {
	space  *Workspace
	log    *slog.Logger
	linger time.Duration // [lingering]
	mute   bool          // nobody can answer here, and no call waits for it

	mu      sync.Mutex
	closed  bool
	streams []*stream // the oldest first
	now     *news     // nil while nobody has looked
	until   time.Time // that a page without a stream counts as open
	stop    func()    // of the watch; nil while there is none
	rest    *time.Timer
}

// stream is one open page.
type stream struct {
	told chan news // of one: what is not read yet is replaced by what is newer
	end  context.CancelFunc
}

func newDesk(space *Workspace, log *slog.Logger) *desk {
	return &desk{space: space, log: log, linger: lingering}
}

// join opens a stream, which ends when ctx or the site does.
func (d *desk) join(ctx context.Context) (*stream, context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{told: make(chan news, 1), end: cancel}
	if d.closed {
		cancel()
		return s, ctx
	}
	if len(d.streams) >= mostStreams {
		d.streams[0].end()
		d.streams = slices.Delete(d.streams, 0, 1)
	}
	d.streams = append(d.streams, s)
	d.until = time.Time{} // the page that counted as open without a stream has one now
	d.open()
	if d.now != nil {
		s.tell(*d.now)
	}
	return s, ctx
}

// leave closes a stream.
func (d *desk) leave(s *stream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.end()
	d.streams = slices.DeleteFunc(d.streams, func(other *stream) bool { return other == s })
	d.settle()
}

// attend counts a page without a stream as open for a while.
func (d *desk) attend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.until = time.Now().Add(attending)
	d.open()
	d.settle()
}

// open begins to look, if nobody does.
func (d *desk) open() {
	if d.rest != nil {
		d.rest.Stop()
		d.rest = nil
	}
	if d.stop != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	leave := d.attended()
	done := make(chan struct{})
	go func() { defer close(done); d.watch(ctx) }()
	d.stop = func() { cancel(); <-done; leave() }
}

// attended tells calls that wait for a person that one is there.
func (d *desk) attended() (leave func()) {
	if d.mute {
		return func() {}
	}
	leave, err := d.space.Attend()
	if err != nil {
		d.log.Warn("calls that wait for a person cannot be told that a page is open", "workspace", d.space.Name, "error", err)
		return func() {}
	}
	return leave
}

// settle ends the looking when no page is open any more, a little later.
func (d *desk) settle() {
	if len(d.streams) > 0 || d.stop == nil || d.rest != nil {
		return
	}
	d.rest = time.AfterFunc(max(d.linger, time.Until(d.until)), d.retire)
}

// retire ends the looking, unless a page was opened since.
func (d *desk) retire() {
	d.mu.Lock()
	d.rest = nil
	stop := d.stop
	switch {
	case len(d.streams) > 0 || stop == nil:
		stop = func() {}
	case !d.closed && time.Now().Before(d.until):
		stop = func() {}
		d.settle()
	default:
		d.stop, d.now = nil, nil
	}
	d.mu.Unlock()
	stop()
}

func (d *desk) close() {
	d.mu.Lock()
	d.closed = true
	for _, s := range d.streams {
		s.end()
	}
	d.streams = nil
	d.mu.Unlock()
	d.retire()
}

// watch tells the streams what is new, until ctx ends.
func (d *desk) watch(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { d.follow(ctx) })
	for tick := time.NewTicker(pace); ctx.Err() == nil; {
		waiting, newest := d.waiting(ctx)
		d.tell(func(n *news) { n.Waiting, n.Newest = waiting, newest })
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
		}
	}
	both.Wait()
}

// follow tells of each change in the log. A log that cannot be read, as for a moment while it is made, is tried again.
func (d *desk) follow(ctx context.Context) {
	for said := false; ctx.Err() == nil; {
		err := d.space.Watch(ctx, func(h emend.Head) { d.tell(func(n *news) { n.Head = h.Seq }) })
		if err != nil && !said {
			d.log.Warn("open pages cannot be told what is new", "workspace", d.space.Name, "error", err)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * pace):
		}
	}
}

// waiting is how many calls wait, and which came last.
func (d *desk) waiting(ctx context.Context) (n int, newest string) {
	list, err := d.space.Waiting(ctx)
	if err != nil || len(list) == 0 {
		return 0, ""
	}
	return len(list), list[len(list)-1].ID
}

// tell has every stream hear of a change.
func (d *desk) tell(change func(*news)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var n news
	if d.now != nil {
		n = *d.now
	}
	change(&n)
	if d.now != nil && *d.now == n {
		return
	}
	d.now = &n
	for _, s := range d.streams {
		s.tell(n)
	}
}

// tell never waits: only the newest is of interest.
func (s *stream) tell(n news) {
	select {
	case <-s.told:
	default:
	}
	s.told <- n
}

// waitingIn is how many calls wait in a workspace.
func (s *Site) waitingIn(w *Workspace) int {
	n, _ := s.desks[w.Name].waiting(context.Background())
	return n
}
