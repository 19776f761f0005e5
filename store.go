package emend

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/workspace"
)

// Recover finishes, or takes back, what a crash left in the tree that the workspace belongs to. Where there is nothing to do
// it returns an empty Recovery. It waits for another process that holds the lock, until ctx ends.
func (w *Workspace) Recover(ctx context.Context) (*api.Recovery, error) { return w.s.Recover(ctx) }

// Recovered returns what opening the workspace recovered; nil for nothing. An error says that the store could not be used, or
// that something is pending and could not be recovered: files may then be partly old and partly new.
func (h *Host) Recovered() (*api.Recovery, error) { return h.s.Recovered() }

// Doctor examines the store and tries, on files of its own in it, what a commit relies on.
func (h *Host) Doctor(ctx context.Context) (*api.Health, error) { return h.s.Doctor(ctx) }

// Ready reports what keeps files from being changed now: an interrupted change that was not recovered, or a store that cannot
// be written. It only looks and leaves nothing; [Host.Doctor] tries.
func (h *Host) Ready() error { return h.s.Ready() }

// Freeze keeps the tree that the workspace belongs to from being changed, until [Host.Thaw]: every change is refused, whoever makes it,
// and nothing is purged. When it returns, no change is being made any more. Recovery goes on.
func (h *Host) Freeze(ctx context.Context, r api.FreezeRequest) (*api.Frozen, error) {
	return call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, r api.FreezeRequest) (*api.Frozen, error) {
		return ws.Freeze(ctx, r)
	}, r)
}

// Thaw ends what [Host.Freeze] began.
func (h *Host) Thaw(ctx context.Context) error {
	_, err := call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, _ struct{}) (struct{}, error) {
		return struct{}{}, ws.Thaw(ctx)
	}, struct{}{})
	return err
}

// Frozen says who froze the tree, and why; nil if nobody did.
func (h *Host) Frozen() (*api.Frozen, error) { return h.s.Frozen() }

// PolicyHash identifies the rules that apply to the workspace, as the records of its log have it.
func (h *Host) PolicyHash() string { return h.s.Guard.PolicyHash() }

// PageOnly reports whether the policy takes an answer to what it asks from a page only.
func (h *Host) PageOnly() bool { return h.s.Guard.PageOnly() }

// Migrate moves the store: to the place that [Store] named, if that has no store, else to where a new one would be made.
// It returns both places. Until it returns, other calls may not find the store at either.
func (h *Host) Migrate(ctx context.Context) (from, to string, err error) { return h.s.Migrate(ctx) }

// Adopt makes a store that was copied here, with its tree, the store of this place. It closes what the store had pending and
// touches no file. It returns the files of what was pending, which may be partly old and partly new.
func (h *Host) Adopt() (store string, pending []string, err error) { return h.s.Adopt() }

// AccessPaths returns the paths that the workspace needs, for a caller that confines the process to them. Below write are the
// root, the top of the tree that shares its store, which recovery may have to repair, and the store; for a named store that
// is still to be made, the directory that will hold it. read lists the files outside of these, and the directories of
// files, that say what is ignored.
func (h *Host) AccessPaths() (write, read []string, err error) { return h.s.AccessPaths() }
