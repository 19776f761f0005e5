package workspace

import (
	"sync"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
)

// Workspace is a directory tree that patches may change. It may be used by several goroutines at once.
type Workspace struct {
	Guard  *guard.Guard
	Base   string
	Limits api.Limits
	Keeper Keeper
	Undone UndoneIndex
	Index  audit.Index

	Mu     sync.Mutex
	Closed bool
	Calls  sync.WaitGroup // those that use the workspace

	Grants caller.Grants // what persons allowed to sessions

	Found   *api.Recovery // what opening recovered
	Pending error         // why something pending could not be
}

// Enter begins a call that uses the workspace; w.calls.Done ends it.
func (w *Workspace) Enter() error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if w.Closed {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "the workspace is closed", Hint: "Open it again."}
	}
	w.Calls.Add(1)
	return nil
}

// Root is the path of the root, to be shown to people.
func (w *Workspace) Root() string { return w.Guard.RootPath() }
