package emend

import (
	"context"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
)

type baseKey struct{}

// from makes the paths of what is called with the context that it returns relative to dir. A directory that is not there
// may be one that the call makes.
func (w *Workspace) from(ctx context.Context, dir string) (context.Context, error) {
	if dir == "" || dir == "." {
		return ctx, nil
	}
	e, err := w.guard.Look(unslashed(dir), guard.Ask{Base: w.base, Absolute: true, Follow: true})
	if err != nil {
		return ctx, err
	}
	if e.Kind != guard.Directory && e.Kind != guard.Missing {
		return ctx, &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: dir, Msg: "is no directory",
			Hint: "Name a directory of the workspace, or leave it out."}
	}
	return context.WithValue(ctx, baseKey{}, e.Rel), nil
}

// at is the directory that the paths of a call are relative to.
func (w *Workspace) at(ctx context.Context) string {
	if dir, ok := ctx.Value(baseKey{}).(string); ok {
		return dir
	}
	return w.base
}
