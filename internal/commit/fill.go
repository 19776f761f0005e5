package commit

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

const (
	// syncers is how many files are synced at once.
	syncers = 16
	// batch is how many files are made before they are synced.
	batch = 256
	// many is from how many steps on several hands make files.
	many = 64
	// others is how many files a process may well have open beside those of a transaction.
	others = 48
)

// Room prepares for a transaction of n changes, which is going to have about as many files open.
func Room(n int) {
	if n > others/2 {
		vfs.Room(others + min(n, maxHeld) + min(n, batch))
	}
}

// fill writes the slots, and has them on disk when it returns.
func (t *transaction) fill(ctx context.Context) error {
	Room(len(t.acts))
	hands := 1
	if len(t.acts) >= many {
		hands = runtime.GOMAXPROCS(0)
	}
	tell := t.teller()
	for acts := range slices.Chunk(t.acts, max(1, min(batch, t.s.files/4))) {
		if err := t.fillBatch(ctx, acts, hands, tell); err != nil {
			return err
		}
	}
	for _, a := range t.acts {
		if a.early {
			t.held++
		}
		for _, what := range a.lost {
			t.note("%s: not kept: %s.", a.Path, what)
		}
	}
	return nil
}

// fillBatch makes the new files of some steps with all their names, so that the system can write them out together, and
// only then syncs them: the sync of a new file also writes what has changed in its directory.
func (t *transaction) fillBatch(ctx context.Context, acts []*act, hands int, tell func()) error {
	files := make([]vfs.File, len(acts))
	err := inTurn(len(acts), hands, func(i int) (err error) {
		files[i], err = t.staged(ctx, acts[i])
		tell()
		if t.s.opts.NoSync {
			err = errors.Join(err, done(files[i]))
			files[i] = nil
		} else if err == nil && files[i] != nil {
			files[i].Hint()
		}
		return err
	})
	if err == nil {
		err = inTurn(len(files), syncers, func(i int) error { return t.sync(files[i]) })
	}
	for _, f := range files {
		err = errors.Join(err, done(f))
	}
	return err
}

// teller returns what tells of one file more that is staged, one at a time.
func (t *transaction) teller() func() {
	if t.tx.Progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		t.tx.Progress(done, len(t.acts))
	}
}

// staged prepares the slot of a step, unless the caller does not want it any more.
func (t *transaction) staged(ctx context.Context, a *act) (vfs.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, cancelled(ctx)
	}
	return t.slot(a)
}

// sync makes a staged file durable, if there is one.
func (t *transaction) sync(f vfs.File) error {
	if f == nil || t.s.opts.NoSync || plant.Is(plant.NoStageSync) {
		return nil
	}
	return unwritable(f.Sync())
}

// done closes a staged file, if there is one.
func done(f vfs.File) error {
	if f == nil {
		return nil
	}
	return unwritable(f.Close())
}

// inTurn calls do for 0 to n-1, in this order, with so many hands at once, until one fails. The error is that of the first
// number that failed: with any number of hands it is the one that a single hand finds.
func inTurn(n, hands int, do func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, n)
	work := func() {
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errs[i] = do(i); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	var wg sync.WaitGroup
	for range min(hands, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return errs[i]
}
