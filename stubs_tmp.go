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
func (w *Workspace) Create(ctx context.Context, r CreateRequest) (*Answer[CreateData], error) {
	return nil, errLater
}
func (w *Workspace) Write(ctx context.Context, r WriteRequest) (*Answer[WriteData], error) {
	return nil, errLater
}
func (w *Workspace) Edit(ctx context.Context, r EditRequest) (*Answer[EditData], error) {
	return nil, errLater
}
func (w *Workspace) Delete(ctx context.Context, r DeleteRequest) (*Answer[DeleteData], error) {
	return nil, errLater
}
func (w *Workspace) Restore(ctx context.Context, r RestoreRequest) (*Answer[RestoreData], error) {
	return nil, errLater
}
func (w *Workspace) Move(ctx context.Context, r MoveRequest) (*Answer[MoveData], error) {
	return nil, errLater
}
func (w *Workspace) Undo(ctx context.Context, r UndoRequest) (*Report, error) { return nil, errLater }
