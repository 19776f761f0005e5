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
	// maxBatch is how many staged files are open at once, and syncers how many are synced at once.
	maxBatch = 256
	syncers  = 16
	// many is from how many steps on several are staged at once.
	many = 64
)

// fill writes the slots, batch by batch: all of a batch first, so that the system can write them out together, then a
// sync of each.
func (t *transaction) fill(ctx context.Context) error {
	t.room()
	tell := t.teller()
	for batch := range slices.Chunk(t.acts, min(maxBatch, t.s.files/8+1)) {
		files := make([]vfs.File, len(batch))
		err := inTurn(len(batch), t.hands(), func(i int) (err error) {
			if err := ctx.Err(); err != nil {
				return cancelled(ctx)
			}
			files[i], err = t.slot(batch[i])
			if t.s.opts.NoSync {
				err = errors.Join(err, closed(&files[i]))
			}
			tell()
			return err
		})
		if err == nil {
			err = unwritable(t.sync(files))
		}
		for i := range files {
			err = errors.Join(err, closed(&files[i]))
		}
		if err != nil {
			return err
		}
	}
	for _, a := range t.acts {
		for _, what := range a.lost {
			t.note("%s: not kept: %s.", a.Path, what)
		}
	}
	return nil
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

// room prepares for the files that will be open at once: those being staged, and those held from verification on.
func (t *transaction) room() {
	if n := len(t.acts); n >= many {
		vfs.Room(many + min(n, maxBatch) + min(n, maxHeld))
	}
}

// closed closes a file, if there is one.
func closed(f *vfs.File) error {
	if *f == nil {
		return nil
	}
	err := unwritable((*f).Close())
	*f = nil
	return err
}

// hands is how many steps are staged at once: a few are not worth a second goroutine.
func (t *transaction) hands() int {
	if len(t.acts) < many {
		return 1
	}
	return runtime.GOMAXPROCS(0)
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

// sync makes files durable, several at a time. It reports every error there was.
func (t *transaction) sync(files []vfs.File) error {
	if t.s.opts.NoSync || plant.Is(plant.NoStageSync) {
		return nil
	}
	errs := make([]error, len(files))
	inTurn(len(files), syncers, func(i int) error { //nolint:errcheck // the errors are in errs
		if files[i] != nil {
			errs[i] = files[i].Sync()
		}
		return nil
	})
	return errors.Join(errs...)
}
