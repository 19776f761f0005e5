package find

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
)

// walk goes through a directory and what is below it, on several goroutines, and hands over what they make of it in the
// order of paths. Each directory is opened once and closed when nothing in it is left to do; what is deepest is done
// first, so that few are open at a time.
type walk[T any] struct {
	ig *ignorer
	// want says of a name that is not left out: whether do is to have it, and whether to go into it. It is called by
	// several goroutines.
	want func(d *dir, n *guard.Name) (take, enter bool)
	// do makes something of names in a directory. worker numbers the goroutine, from 0.
	do func(ctx context.Context, worker int, d *dir, names []guard.Name) []T
	// quick: do takes no longer than handing its work over would, and is called at once.
	quick bool
	// emit takes what do made, in order, and says whether it wants more.
	emit func([]T) bool
	// weigh is how much memory what do made takes, in things of some hundred bytes; nil counts them.
	weigh func([]T) int

	counter

	mu     sync.Mutex
	wake   *sync.Cond
	todo   []*unit[T] // the last is the next
	busy   int
	idle   int
	head   *unit[T] // the first that is not handed over
	ahead  int      // the weight of what is done and not handed over
	stop   bool
	failed error
}

// dir is an open directory.
type dir struct {
	folder *guard.Folder
	path   string // from the workspace
	rel    string // from the root of the walk
	depth  int    // of the names in it
	level  *level
	refs   atomic.Int32
}

// below is what is open as sub in d.
func (d *dir) below(f *guard.Folder, sub string) *dir {
	out := &dir{folder: f, path: f.Rel(), depth: d.depth + 1, level: d.level}
	n := len(sub)
	if d.rel != "" {
		n += len(d.rel) + 1
	}
	out.rel = out.path[len(out.path)-n:]
	out.refs.Store(1)
	return out
}

func (d *dir) release() {
	if d.refs.Add(-1) == 0 {
		d.folder.Close()
	}
}

// unit is a piece of work in a directory: some names, or a directory to go into.
type unit[T any] struct {
	next  *unit[T] // in the order of paths
	done  bool
	out   []T
	heavy int
	dir   *dir
	names []guard.Name
	sub   string
}

// batch is how many names are worked on at a time.
const batch = 64

// mostAhead is the weight of what may wait for a slow one in front of it.
const mostAhead = 50_000

// run walks. An error is what kept it from going on at all.
func (w *walk[T]) run(ctx context.Context, root *dir, workers int) error {
	w.wake = sync.NewCond(&w.mu)
	defer context.AfterFunc(ctx, func() { w.end(nil) })()
	first := &unit[T]{}
	w.head, w.busy = first, 1
	s := &scout[T]{walk: w}
	root.refs.Store(1)
	below, err := s.expand(ctx, root)
	w.settle(first, below)
	root.release()
	if err != nil {
		w.end(err)
	}
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { w.work(ctx, i) })
	}
	all.Wait()
	for _, u := range w.todo {
		u.dir.release()
	}
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	return w.failed
}

// end stops the walk.
func (w *walk[T]) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stop {
		w.stop, w.failed = true, err
	}
	w.wake.Broadcast()
}

// work does units until there are none.
func (w *walk[T]) work(ctx context.Context, worker int) {
	s := &scout[T]{walk: w, worker: worker}
	for u := w.next(nil, nil); u != nil; {
		var below []unit[T]
		if u.names != nil {
			u.out = w.do(ctx, worker, u.dir, u.names)
		} else {
			below = s.enter(ctx, u)
		}
		u.dir.release()
		u = w.next(u, below)
	}
}

// next settles a unit, when there is one, and waits for another. It returns nil when there will be none. While too much
// waits for what others are at, nothing new is begun; when nobody is at anything, the next unit is the one that is waited
// for.
func (w *walk[T]) next(done *unit[T], below []unit[T]) *unit[T] {
	w.mu.Lock()
	defer w.mu.Unlock()
	if done != nil {
		w.place(done, below)
	}
	for !w.stop && w.busy > 0 && (len(w.todo) == 0 || w.ahead > mostAhead) {
		w.idle++
		w.wake.Wait()
		w.idle--
	}
	if w.stop || len(w.todo) == 0 {
		w.wake.Broadcast()
		return nil
	}
	w.busy++
	last := len(w.todo) - 1
	u := w.todo[last]
	w.todo = w.todo[:last]
	if w.idle > 0 && last > 0 { // who is woken wakes the one after it
		w.wake.Signal()
	}
	return u
}

func (w *walk[T]) settle(u *unit[T], below []unit[T]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.place(u, below)
}

// place marks a unit as done, puts what came of it in its place, and hands over what is next in order.
func (w *walk[T]) place(u *unit[T], below []unit[T]) {
	u.done = true
	for i := len(below) - 1; i >= 0; i-- {
		b := &below[i]
		b.next, u.next = u.next, b
		if b.done {
			w.weight(b)
		} else {
			w.todo = append(w.todo, b)
		}
	}
	w.weight(u)
	w.hand()
	w.busy--
}

// hand hands over what is done, as far as it is next in order.
func (w *walk[T]) hand() {
	for w.head != nil && w.head.done && !w.stop {
		if len(w.head.out) > 0 && !w.emit(w.head.out) {
			w.stop = true
		}
		w.head.out = nil
		w.ahead -= w.head.heavy
		w.head = w.head.next
	}
}

func (w *walk[T]) weight(u *unit[T]) {
	u.heavy = len(u.out)
	if w.weigh != nil {
		u.heavy = w.weigh(u.out)
	}
	w.ahead += u.heavy
}

// cannot takes note of what could not be read. What went away meanwhile is none of it.
func (w *walk[T]) cannot(err error) {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		w.end(err)
	case !errors.Is(err, fail.NotFound) && !errors.Is(err, fail.Stale):
		w.unread.Add(1)
	}
}

// open opens the directory that e names as the root of a walk, with the rules that hold there.
func (ig *ignorer) open(g *guard.Guard, e guard.Entry) (*dir, error) {
	f, err := g.Folder(e)
	if err != nil {
		return nil, err
	}
	d := &dir{folder: f, path: rootPath(e), depth: 1, level: ig.first}
	if ig.off {
		return d, nil
	}
	for i := range d.path { // of each directory above it, from the workspace down
		if i == 0 || d.path[i] == '/' {
			d.level = ig.of(g, d.path[:i], d.level)
		}
	}
	return d, nil
}

// of adds the rules of a directory of the workspace. One that cannot be read says nothing.
func (ig *ignorer) of(g *guard.Guard, path string, up *level) *level {
	if path == "" {
		path = "."
	}
	e, err := g.Resolve(path, guard.Request{})
	if err != nil || e.Kind != guard.Directory {
		return up
	}
	f, err := g.Folder(e)
	if err != nil {
		return up
	}
	defer f.Close()
	return ig.enter(up, f, look(f))
}
