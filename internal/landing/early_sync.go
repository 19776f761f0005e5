package landing

import (
	"sync"

	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/workspace"
)

// earlySync has the system write out what the command left, while the landing still reads and judges it. The commit syncs the file system
// again for a directory that lands whole, and has to wait for what is left then.
type earlySync struct {
	once sync.Once
	done chan struct{} // nil if nothing was begun
	err  error         // valid once done is closed
}

// with returns whole, which begins to sync at the first directory that is one change.
func (e *earlySync) with(whole func(p string) bool, w *workspace.Workspace, dry bool) func(p string) bool {
	if whole == nil || dry {
		return whole
	}
	return func(p string) bool {
		if !whole(p) {
			return false
		}
		e.once.Do(func() { e.begin(w) })
		return true
	}
}

func (e *earlySync) begin(w *workspace.Workspace) {
	store, err := w.OpenStore()
	if store == nil || err != nil {
		return // the commit says it
	}
	dir, err := store.OpenDir(runsName, false)
	if err != nil {
		return
	}
	e.done = make(chan struct{})
	panics.Go(func() {
		defer close(e.done)
		defer dir.Close()
		e.err = panics.Call(dir.SyncAll)
	}, func(*panics.Value) {})
}

// wait returns how the sync ended. An error of the disk is reported once, and the sync of the commit may not see it.
func (e *earlySync) wait() error {
	if e.done == nil {
		return nil
	}
	<-e.done
	return e.err
}
