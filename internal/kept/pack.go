package kept

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/workspace"
)

// Pack packs what changes displaced, if many were made since it was packed. It leaves the rest to the next call when it has taken
// a second, unless it is far behind.
func Pack(ctx context.Context, w *workspace.Workspace) (*api.Packed, error) {
	store := w.WrittenStore()
	if store == nil || !store.PackDue() {
		return &api.Packed{}, nil
	}
	done, err := store.Pack(ctx, false)
	return &api.Packed{Files: done.Files, SizeBytes: done.Bytes}, err
}

// PackAll packs everything that can be packed now.
func PackAll(ctx context.Context, w *workspace.Workspace) (*api.Packed, error) {
	store, err := w.OpenStore()
	if store == nil || err != nil {
		return &api.Packed{}, err
	}
	if store, err = w.OpenOrMakeStore(); err != nil {
		return nil, err
	}
	done, err := store.Pack(ctx, true)
	return &api.Packed{Files: done.Files, SizeBytes: done.Bytes}, err
}
