package workspace

import (
	"cmp"
	"context"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/caller"
)

// Freeze keeps the tree from being changed until [Workspace.Thaw].
func (w *Workspace) Freeze(ctx context.Context, r api.FreezeRequest) (*api.Frozen, error) {
	a := w.Actor(ctx)
	why := api.Frozen{By: caller.ForLog(cmp.Or(r.By, a.Agent, a.Client)), Reason: caller.ForLog(r.Reason), At: time.Now().UTC()}
	s, err := w.OpenOrMakeStore()
	if err != nil {
		return nil, err
	}
	return &why, s.Freeze(ctx, why)
}

// Thaw ends what [Workspace.Freeze] began.
func (w *Workspace) Thaw(ctx context.Context) error {
	s, err := w.OpenStore()
	if err != nil || s == nil {
		return err
	}
	return s.Thaw(ctx)
}

// Frozen says who froze the tree; nil if nobody did.
func (w *Workspace) Frozen() (*api.Frozen, error) {
	if err := w.Enter(); err != nil {
		return nil, err
	}
	defer w.Leave()
	s, err := w.OpenStore()
	if err != nil || s == nil {
		return nil, err
	}
	return s.Frozen()
}
