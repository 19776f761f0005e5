package look

import (
	"context"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/undo"
	"github.com/emend-dev/emend/internal/workspace"
)

// Mark is [undo.Mark], and looks first if a call is under way that changes files without emend: what it did until now is then recorded
// before the mark, and what it does later behind it.
func Mark(ctx context.Context, w *workspace.Workspace, r api.MarkRequest) (*api.Mark, error) {
	under, err := underWay(w)
	if err != nil {
		return nil, err
	}
	if under {
		if _, err := Look(ctx, w, api.LookRequest{Moment: api.AtMark}); err != nil {
			return nil, err
		}
	}
	return undo.Mark(ctx, w, r)
}

// underWay reports whether a call has begun, and not ended as far as emend knows.
func underWay(w *workspace.Workspace) (bool, error) {
	store, err := w.OpenStore()
	if store == nil || err != nil {
		return false, err
	}
	dir, err := workspace.OpenLooks(store, false)
	if err != nil {
		return false, nil // nobody has looked yet
	}
	defer dir.Close()
	c, err := loadCalls(dir, time.Now())
	if err != nil {
		return false, workspace.StoreError(err)
	}
	return len(c.Open) > 0, nil
}
