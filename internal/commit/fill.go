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
	// many is from how many steps on several are staged at once.
	many = 64
	// others is how many files a process may well have open beside those of a transaction.
	others = 48
)

// Room prepares for a transaction of n changes, which is going to have about as many files open.
func Room(n int) {
	if n > others/2 {
		vfs.Room(others + min(n, maxHeld))
	}
}

// fill writes the slots, and has them on disk when it returns.
func (t *transaction) fill(ctx context.Context) error {
	Room(len(t.acts))
	fill := t.fillMany
	if len(t.acts) < many && len(t.acts) <= t.s.files/8 {
		fill = t.fillFew
	}
	if err := fill(ctx); err != nil {
		return err
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

// fillFew writes one after the other, so that the system can write them out together, and then syncs all. All of them are
// open at once.
func (t *transaction) fillFew(ctx context.Context) error {
	files := make([]vfs.File, len(t.acts))
	tell := t.teller()
	err := inTurn(len(files), 1, func(i int) (err error) {
		files[i], err = t.staged(ctx, i)
		tell()
		if err == nil && files[i] != nil && !t.s.opts.NoSync {
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

// fillMany has several hands, each of which makes one new file after the other durable: while some wait for the disk
// others work.
func (t *transaction) fillMany(ctx context.Context) error {
	hands := syncers
	if t.s.opts.NoSync {
		hands = runtime.GOMAXPROCS(0)
	}
	hands = min(hands, t.s.files/16+1) // each has two files open
	tell := t.teller()
	return inTurn(len(t.acts), hands, func(i int) error {
		f, err := t.staged(ctx, i)
		if err == nil {
			err = t.sync(f)
		}
		tell()
		return errors.Join(err, done(f))
	})
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
func (t *transaction) staged(ctx context.Context, i int) (vfs.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, cancelled(ctx)
	}
	return t.slot(t.acts[i])
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
