package commit

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

// stage prepares everything that can be prepared without the lock. If it fails, only slots have been made.
func (t *transaction) stage(ctx context.Context) error {
	if err := t.planActs(); err != nil {
		return err
	}
	if err := t.markStaging(); err != nil {
		return storeError(err)
	}
	t.syncOnce = t.syncsOnce()
	if err := t.stageAll(ctx); err != nil {
		return err
	}
	if t.syncOnce && !plant.Enabled(plant.NoStageSync) {
		return storeError(t.s.dir.SyncAll())
	}
	if plant.Enabled(plant.NoDirSync) || t.s.opts.NoSync {
		return nil
	}
	return storeError(t.s.syncSlots.sync(t.s.hist.Slots().Sync))
}

// markStaging marks the transaction as alive.
func (t *transaction) markStaging() (err error) {
	for range 100 {
		t.marker, err = t.s.hist.Begin(t.id, len(t.tx.Changes))
		if !errors.Is(err, history.ErrTaken) {
			return err
		}
		t.id = history.NewID(t.s.opts.now())
	}
	return err
}

const (
	// syncWorkers is how many files are synced at once.
	syncWorkers = 16
	// batchSize is how many files are made before they are synced.
	batchSize = 256
	// parallelFrom is the number of acts from which several workers make files.
	parallelFrom = 64
	// syncOnceFrom is the number of finished files from which one sync of the file system is cheaper than one for each.
	syncOnceFrom = 256
	// otherOpenFiles is how many other files a process may well have open.
	otherOpenFiles = 48
)

// ExpectChanges prepares for a transaction of n changes, which needs about as many open files.
func ExpectChanges(n int) {
	if n > otherOpenFiles/2 {
		vfs.ExpectOpenFiles(otherOpenFiles + min(n, maxHeld) + min(n, batchSize))
	}
}

// stageAll writes the slots. They are on disk when it returns.
func (t *transaction) stageAll(ctx context.Context) error {
	ExpectChanges(len(t.acts))
	hands := 1
	if len(t.acts) >= parallelFrom {
		hands = runtime.GOMAXPROCS(0)
	}
	tell := t.progressFunc()
	for acts := range slices.Chunk(t.acts, max(1, min(batchSize, t.s.openLimit/4))) {
		if err := t.stageBatch(ctx, acts, hands, tell); err != nil {
			return err
		}
	}
	for _, a := range t.acts {
		if a.heldEarly {
			t.heldCount++
		}
		for _, what := range a.lostAttrs {
			t.note("%s: not kept: %s.", a.Path, what)
		}
	}
	return nil
}

// stageBatch makes the new files of some acts with all their names, so that the system can write them out together, and
// only then syncs them: the sync of a new file also writes what changed in its directory.
func (t *transaction) stageBatch(ctx context.Context, acts []*act, hands int, tell func()) error {
	err := parallel(len(acts), hands, func(i int) error {
		a := acts[i]
		err := t.stageOne(ctx, a)
		tell()
		if t.s.opts.NoSync {
			err = errors.Join(err, a.closeStaged())
		} else if err == nil && a.staged != nil && !t.syncOnce {
			a.staged.StartWriteback()
		}
		return err
	})
	if err == nil {
		err = parallel(len(acts), syncWorkers, func(i int) error { return t.syncStaged(acts[i]) })
	}
	for _, a := range acts {
		err = errors.Join(err, a.closeStaged())
	}
	return err
}

// progressFunc returns a function that reports one more staged file, one call at a time.
func (t *transaction) progressFunc() func() {
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

// stageOne prepares the slot of an act, unless the caller has cancelled.
func (t *transaction) stageOne(ctx context.Context, a *act) error {
	if err := ctx.Err(); err != nil {
		return cancelled(ctx)
	}
	return t.stageSlot(a)
}

// syncStaged makes the staged file durable, if there is one.
func (t *transaction) syncStaged(a *act) error {
	if a.staged == nil || t.s.opts.NoSync || t.syncOnce || plant.Enabled(plant.NoStageSync) {
		return nil
	}
	return storeError(a.staged.Sync())
}

// closeStaged closes the staged file, if there is one.
func (a *act) closeStaged() error {
	if a.staged == nil {
		return nil
	}
	f := a.staged
	a.staged = nil
	return storeError(f.Close())
}
