package find

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/watch"
)

// walker goes through a directory and everything below it with several goroutines, and hands over their results in the order
// of paths. Each directory is opened once and closed when nothing in it is left to do. The deepest directory is done first,
// so that few are open at a time.
type walker[T any] struct {
	ignore *ignorer
	// wants is called for each name that the ignore rules leave. It says whether handle gets the name, and whether to enter
	// it as a directory. Several goroutines call it.
	wants func(d *dir, n *guard.Name) (take, enter bool)
	// handle turns names in a directory into results. worker is the number of the goroutine, from 0.
	handle func(ctx context.Context, worker int, d *dir, names []guard.Name) []T
	// whole, if it is set, gets all names of a directory, and returns the directories to enter. wants and handle are not called then.
	whole func(worker int, d *dir, names []guard.Name) (enter []string)
	watch *watch.Watch // listens to each directory; may be nil
	// keepUnentered: unentered is filled.
	keepUnentered bool
	// inline: handle is so quick that it is called where the names are read, not as work for later.
	inline bool
	// emit takes results, in order, and reports whether it wants more.
	emit func([]T) bool
	// weigh returns how much memory results take, in units of some hundred bytes; nil counts the results.
	weigh func([]T) int

	progress
	unentered []string // directories that could not be entered or listed; with keepUnentered

	mu      sync.Mutex
	wake    *sync.Cond
	todo    []*unit[T] // the last one is next
	busy    int
	idle    int
	nextOut *unit[T] // the first that was not handed over
	waiting int      // the weight of the results that were not handed over
	stopped bool
	failed  error
}

// dir is an open directory.
type dir struct {
	folder *guard.Folder
	path   string // from the workspace
	rel    string // from the root of the walk
	depth  int    // of the names in it
	level  *ignoreLevel
	refs   atomic.Int32
}

// child returns the directory that is open as sub in d.
func (d *dir) child(f *guard.Folder, sub string) *dir {
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

// unit is a piece of work in a directory: some names, or one directory to enter.
type unit[T any] struct {
	next   *unit[T] // in the order of paths
	done   bool
	out    []T
	weight int
	dir    *dir
	names  []guard.Name
	enter  string
}

// batch is how many names a unit has.
const batch = 64

// maxWaiting is the weight of the results that may wait for a slow unit before them.
const maxWaiting = 50_000

// run walks. Its error is the reason why it could not go on at all.
func (w *walker[T]) run(ctx context.Context, root *dir, workers int) error {
	w.wake = sync.NewCond(&w.mu)
	defer context.AfterFunc(ctx, func() { w.stopWith(nil) })()
	first := &unit[T]{}
	w.nextOut, w.busy = first, 1
	s := &dirReader[T]{walker: w}
	root.refs.Store(1)
	below, err := s.readDir(ctx, root)
	w.finish(first, below)
	root.release()
	if err != nil {
		w.stopWith(err)
	}
	var all panics.Group
	for i := range workers {
		all.Go(func() {
			defer w.stopOnPanic()
			w.work(ctx, i)
		})
	}
	all.Wait()
	for _, u := range w.todo {
		u.dir.release()
	}
	if ctx.Err() != nil {
		return errCancelled(ctx)
	}
	return w.failed
}

// stopOnPanic has the other workers end, which would wait for what this one was at.
func (w *walker[T]) stopOnPanic() {
	if p := panics.Recovered(recover()); p != nil {
		w.stopWith(p)
		panic(p)
	}
}

// stopWith stops the walk.
func (w *walker[T]) stopWith(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.stopped, w.failed = true, err
	}
	w.wake.Broadcast()
}

// work does units until there are none.
func (w *walker[T]) work(ctx context.Context, worker int) {
	s := &dirReader[T]{walker: w, worker: worker}
	for u := w.next(nil, nil); u != nil; {
		var below []unit[T]
		if u.names != nil {
			u.out = w.handle(ctx, worker, u.dir, u.names)
		} else {
			below = s.openDir(ctx, u)
		}
		u.dir.release()
		u = w.next(u, below)
	}
}

// next finishes a unit, if there is one, and waits for another. It returns nil if there will be none. While too many results
// wait for the units that others are at, no unit is begun; if nobody is at any, the next unit is the one that the results
// wait for.
func (w *walker[T]) next(done *unit[T], below []unit[T]) *unit[T] {
	w.mu.Lock()
	defer w.mu.Unlock()
	if done != nil {
		w.finishLocked(done, below)
	}
	for !w.stopped && w.busy > 0 && (len(w.todo) == 0 || w.waiting > maxWaiting) {
		w.idle++
		w.wake.Wait()
		w.idle--
	}
	if w.stopped || len(w.todo) == 0 {
		w.wake.Broadcast()
		return nil
	}
	w.busy++
	last := len(w.todo) - 1
	u := w.todo[last]
	w.todo = w.todo[:last]
	if w.idle > 0 && last > 0 { // the goroutine that is woken wakes the next one
		w.wake.Signal()
	}
	return u
}

func (w *walker[T]) finish(u *unit[T], below []unit[T]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finishLocked(u, below)
}

// finishLocked marks a unit as done, puts the units that came of it in its place, and hands over the results that are next in
// order.
func (w *walker[T]) finishLocked(u *unit[T], below []unit[T]) {
	u.done = true
	for i := len(below) - 1; i >= 0; i-- {
		b := &below[i]
		b.next, u.next = u.next, b
		if b.done {
			w.addWeight(b)
		} else {
			w.todo = append(w.todo, b)
		}
	}
	w.addWeight(u)
	w.emitReady()
	w.busy--
}

// emitReady hands over results as far as they are next in order.
func (w *walker[T]) emitReady() {
	for w.nextOut != nil && w.nextOut.done && !w.stopped {
		if len(w.nextOut.out) > 0 && !w.emit(w.nextOut.out) {
			w.stopped = true
		}
		w.nextOut.out = nil
		w.waiting -= w.nextOut.weight
		w.nextOut = w.nextOut.next
	}
}

func (w *walker[T]) addWeight(u *unit[T]) {
	u.weight = len(u.out)
	if w.weigh != nil {
		u.weight = w.weigh(u.out)
	}
	w.waiting += u.weight
}

// noteError counts a file or directory that could not be read, but not one that is gone meanwhile. It stops the walk if the
// system is out of handles or memory.
func (w *walker[T]) noteError(err error) {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		w.stopWith(err)
	case !errors.Is(err, fail.NotFound) && !errors.Is(err, fail.Stale):
		w.unreadable.Add(1)
	}
}

// noteDir counts a directory that could not be entered or listed.
func (w *walker[T]) noteDir(path string, err error) {
	w.noteError(err)
	if w.keepUnentered {
		w.mu.Lock()
		w.unentered = append(w.unentered, path)
		w.mu.Unlock()
	}
}

// openRoot opens the directory that e names as the root of a walk, with the rules that apply there.
func (ig *ignorer) openRoot(g *guard.Guard, e guard.Entry) (*dir, error) {
	f, err := g.Folder(e)
	if err != nil {
		return nil, err
	}
	d := &dir{folder: f, path: rootPath(e), depth: 1, level: ig.aboveRoot}
	if ig.disabled {
		return d, nil
	}
	for i := range d.path { // for each directory above it, from the workspace down
		if i == 0 || d.path[i] == '/' {
			d.level = ig.addDir(g, d.path[:i], d.level)
		}
	}
	return d, nil
}

// addDir adds the rules of a directory of the workspace. One that cannot be read adds none.
func (ig *ignorer) addDir(g *guard.Guard, path string, up *ignoreLevel) *ignoreLevel {
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
	return ig.levelOf(up, f, marksIn(f))
}

// reportProgress counts more files that were looked at, and reports the sum.
func (w *walker[T]) reportProgress(o *Options, more int, what string) {
	done := w.done.Add(int64(more))
	if o.Progress == nil {
		return
	}
	w.reporting.Lock()
	defer w.reporting.Unlock()
	o.Progress(int(done), what)
}
