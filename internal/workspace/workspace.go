// Package workspace holds an opened root: its guard, its limits, its store and the translation between its paths and those
// of the log. It opens, makes, moves, checks and recovers the store.
//
// It never plans or changes a file of the user itself; the one exception is recovery, which package commit does. Which calls
// there are is the business of the rooms that use it.
package workspace

import (
	"cmp"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
)

// Config says how a workspace is opened. The zero Config is usable.
type Config struct {
	Base           string   // slash path below the root that the paths of calls are relative to
	Policy         string   // policy file, outside of the workspace
	AllowProtected []string // patterns of protected paths that are opened
	Limits         api.Limits
	Actor          api.Actor // who calls, where a call does not say; Call counts for nothing here
	Store          string    // directory of the store; "" to find one
	NoSync         bool
	NoRecovery     bool // leave what a crash interrupted as it is
	UnsafeFS       bool // write on network file systems too

	// How long, and how much, the history keeps. Zero leaves it to the policy, then to the default.
	HistoryAge   time.Duration
	HistoryBytes int64
}

// Workspace is a directory tree that patches may change. Several goroutines may use it at once.
type Workspace struct {
	// Open sets these, and nothing changes them.
	Guard        *guard.Guard
	base         string
	limits       api.Limits
	actor        api.Actor
	historyAge   time.Duration
	historyBytes int64
	recovered    *api.Recovery // what Open recovered; nil for nothing
	pending      error         // why something pending was not recovered

	// These have locks of their own.
	store    storeHandle
	undone   UndoneIndex
	logIndex audit.Index
	grants   grants

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup // the calls between Enter and Leave
}

// Open opens the workspace whose root is dir. Unless c says otherwise it finishes, or takes back, what a crash left in its
// tree.
func Open(dir string, c Config) (*Workspace, error) {
	w := &Workspace{base: c.Base, limits: limitsOrDefault(c.Limits), actor: forLog(c.Actor)}
	o := guard.Options{AllowProtected: c.AllowProtected, MaxDepth: w.limits.Depth, Store: storeBelow(dir, c.Store)}
	var err error
	if c.Policy != "" {
		if o.Policy, err = guard.ReadPolicy(c.Policy, dir); err != nil {
			return nil, err
		}
	}
	age, bytes := o.Policy.HistoryBounds()
	w.historyAge, w.historyBytes = cmp.Or(c.HistoryAge, age), cmp.Or(c.HistoryBytes, bytes)
	if w.Guard, err = guard.Open(dir, o); err != nil {
		return nil, err
	}
	if err := w.prepareStore(c); err != nil {
		w.Guard.Close()
		return nil, err
	}
	if c.NoRecovery {
		w.pending = w.interrupted()
	} else {
		w.recovered, w.pending = w.recoverOnOpen()
	}
	return w, nil
}

// prepareStore says which store is the workspace's. It opens none yet.
func (w *Workspace) prepareStore(c Config) error {
	root, err := filepath.EvalSymlinks(w.Guard.RootPath())
	if err != nil {
		return StoreError(err)
	}
	named := c.Store
	if named != "" {
		if named, err = filepath.Abs(named); err != nil {
			return err
		}
	}
	w.store = storeHandle{guard: w.Guard, root: root, actor: w.actor, unsafeFS: c.UnsafeFS, options: commit.Options{NoSync: c.NoSync}, named: named}
	return nil
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

// Undone returns the index of undone transactions.
func (w *Workspace) Undone() *UndoneIndex { return &w.undone }

// LogIndex returns the index of the log.
func (w *Workspace) LogIndex() *audit.Index { return &w.logIndex }
