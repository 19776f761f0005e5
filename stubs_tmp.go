package emend

import (
	"context"
	"errors"
)

var errLater = errors.New("being written")

func (w *Workspace) List(ctx context.Context, r ListRequest) (*Answer[ListData], error) {
	return nil, errLater
}
func (w *Workspace) Search(ctx context.Context, r SearchRequest) (*Answer[SearchData], error) {
	return nil, errLater
}
func (w *Workspace) Glob(ctx context.Context, r GlobRequest) (*Answer[GlobData], error) {
	return nil, errLater
}
