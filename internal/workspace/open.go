package workspace

import (
	"cmp"
	"path/filepath"
	"time"

	"github.com/emend-dev/emend/api"
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
	KeepReads      bool // keep in memory what callers were shown, see [Workspace.Reads]

	// How long, and how much, the history keeps. Zero leaves it to the policy, then to the default.
	HistoryAge   time.Duration
	HistoryBytes int64
}

// Open opens the workspace whose root is dir. Unless c says otherwise it finishes, or takes back, what a crash left in its
// tree.
func Open(dir string, c Config) (*Workspace, error) {
	w := &Workspace{base: c.Base, limits: limitsOrDefault(c.Limits), actor: forLog(c.Actor), reads: reads{on: c.KeepReads}}
	o := guard.Options{AllowProtected: c.AllowProtected, MaxDepth: w.limits.Depth, Store: storeBelow(dir, c.Store)}
	var err error
	if c.Policy != "" {
		if o.Policy, err = guard.ReadPolicy(c.Policy, dir); err != nil {
			return nil, err
		}
	}
	age, bytes := o.Policy.HistoryBounds()
	w.historyAge, w.historyBytes = cmp.Or(c.HistoryAge, age), cmp.Or(c.HistoryBytes, bytes)
	age, bytes = o.Policy.LogBounds()
	w.logKeep = audit.Retention{Age: max(0, age), Bytes: max(0, bytes)}
	w.runAge, w.runWrite = o.Policy.RunBounds()
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

// patience is how long a commit waits for a program to close a file that it has open for writing.
const patience = time.Second / 4

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
	w.store = storeHandle{guard: w.Guard, root: root, actor: w.actor, unsafeFS: c.UnsafeFS, options: commit.Options{NoSync: c.NoSync, Patience: patience}, named: named}
	return nil
}
