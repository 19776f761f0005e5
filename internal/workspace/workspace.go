// Package workspace holds an opened root: its guard, its limits, its store and the translation between its paths and those
// of the log. It opens, makes, moves, checks and recovers the store.
//
// It never plans or changes a file of the user itself; the one exception is recovery, which package commit does. Which calls
// there are is the business of the rooms that use it.
package workspace

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/board"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
)

// Workspace is a directory tree that patches may change. Several goroutines may use it at once.
type Workspace struct {
	// Open sets these, and nothing changes them.
	Guard        *guard.Guard
	base         string
	limits       api.Limits
	actor        api.Actor
	historyAge   time.Duration
	historyBytes int64
	logKeep      audit.Retention
	runAge       time.Duration
	runWrite     []string
	recovered    *api.Recovery // what Open recovered; nil for nothing
	pending      error         // why something pending was not recovered

	// These have locks of their own.
	store      storeHandle
	reads      reads
	LineCounts LineCounts

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup // the calls between Enter and Leave
}

// Close waits for the calls in hand, runs last, and closes the store and the root. Enter fails from then on. Closing twice
// does nothing.
func (w *Workspace) Close(last func()) error {
	w.mu.Lock()
	was := w.closed
	w.closed = true
	w.mu.Unlock()
	if was {
		return nil
	}
	w.calls.Wait()
	last()
	return errors.Join(w.store.close(), w.Guard.Close())
}

// Enter begins a call that uses the workspace; [Workspace.Leave] ends it. It fails when the workspace is closed.
func (w *Workspace) Enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "the workspace is closed", Hint: "Open it again."}
	}
	w.calls.Add(1)
	return nil
}

// Leave ends a call that began with [Workspace.Enter].
func (w *Workspace) Leave() { w.calls.Done() }

// Root returns the path of the root for display.
func (w *Workspace) Root() string { return w.Guard.RootPath() }

// RealRoot returns the absolute path of the root, with links resolved.
func (w *Workspace) RealRoot() string { return w.store.root }

// Limits returns what one patch may do at most.
func (w *Workspace) Limits() api.Limits { return w.limits }

// HistoryBounds returns how long, and how much, the history is to keep. Zero stands for the default, a negative value for no
// bound.
func (w *Workspace) HistoryBounds() (age time.Duration, bytes int64) {
	return w.historyAge, w.historyBytes
}

// LogRetention returns how much of the log the policy keeps.
func (w *Workspace) LogRetention() audit.Retention { return w.logKeep }

// LayerAge returns for how long the policy keeps layers that did not land, 0 for as long as nobody discards them.
func (w *Workspace) LayerAge() time.Duration { return w.runAge }

// WritableDirs returns where a confined command may write beside the tree: the temporary directory, and what the policy names.
func (w *Workspace) WritableDirs() []string { return append([]string{os.TempDir()}, w.runWrite...) }

// Paths translates paths between the log and the workspace. Until the store is open, top and root count as the same.
func (w *Workspace) Paths() Paths { return w.store.paths() }

// OpenStore returns the store of the workspace, nil if there is none yet.
func (w *Workspace) OpenStore() (*commit.Store, error) { return w.store.open() }

// OpenOrMakeStore returns the store of the workspace and makes it if there is none. It fails where nothing may be written.
func (w *Workspace) OpenOrMakeStore() (*commit.Store, error) { return w.store.openOrMake() }

// TopGuard returns the guard of the tree that the store belongs to; nil until the store is open.
func (w *Workspace) TopGuard() *guard.Guard { return w.store.topGuard() }

// StorePlace returns where the store is, or would be made, as the last opening found it.
func (w *Workspace) StorePlace() commit.Place { return w.store.currentPlace() }

// WrittenStore returns the store if this workspace opened it for writing, else nil.
func (w *Workspace) WrittenStore() *commit.Store { return w.store.written() }

// Board returns the board of the store, on which calls wait for a person. It is nil where there is none yet; create says to
// make it, and the store.
func (w *Workspace) Board(create bool) (*board.Board, error) { return w.store.openBoard(create) }
