package workspace

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// Recover finishes, or takes back, what a crash left in the tree that the workspace belongs to. Where there is nothing to do
// it returns an empty Recovery. It waits for another process that holds the lock, until ctx ends.
func (w *Workspace) Recover(ctx context.Context) (*api.Recovery, error) {
	if err := w.Enter(); err != nil {
		return nil, err
	}
	defer w.Leave()
	s, err := w.OpenStore()
	if err != nil {
		return nil, err
	}
	w.StorePlace().Tidy()
	if s == nil {
		return &api.Recovery{}, nil
	}
	return s.Recover(ctx)
}

// Recovered returns what Open recovered; nil for nothing. An error says that the store could not be used, or that something
// is pending and could not be recovered.
func (w *Workspace) Recovered() (*api.Recovery, error) { return w.recovered, w.pending }

// Ready reports what keeps files from being changed now: an interrupted change that was not recovered, or a store that cannot
// be written. It only looks; [Workspace.Doctor] tries.
func (w *Workspace) Ready() error {
	if err := w.Enter(); err != nil {
		return err
	}
	defer w.Leave()
	if err := w.interrupted(); err != nil {
		return err
	}
	return w.StorePlace().Usable()
}

// interrupted reports a change that a crash interrupted. It leaves the change as it is.
func (w *Workspace) interrupted() error {
	s, err := w.OpenStore()
	if err != nil || s == nil {
		return err
	}
	pending, err := s.Pending()
	if len(pending) == 0 || err != nil {
		return err
	}
	if who, err := s.Holder(); who != "" || err != nil {
		return err // a process is committing it
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate,
		Msg:  "the change " + pending[0].Tx + " was interrupted, and files may be partly old and partly new",
		Hint: "‹Run recover›."}
}

// recoverOnOpen recovers without waiting for the lock. It returns what it recovered, nil for nothing, and why something is
// still pending.
func (w *Workspace) recoverOnOpen() (*api.Recovery, error) {
	s, err := w.OpenStore()
	if err != nil || s == nil {
		return nil, err
	}
	// This look takes no lock, so a commit of another process may be what is pending. TryRecover tells them apart.
	if pending, err := s.Pending(); err == nil && len(pending) == 0 {
		return nil, nil
	}
	found, err := s.TryRecover()
	if found.Nothing() {
		found = nil
	}
	if e, ok := errors.AsType[*fail.Error](err); ok && e.Reason == fail.Indeterminate {
		err = &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Cause: err,
			Msg:  "a patch was interrupted here and could not be recovered, and files may be partly old and partly new: " + err.Error(),
			Hint: "‹Run recover›."}
	}
	return found, err
}
