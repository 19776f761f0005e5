package workspace

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
)

type baseKey struct{}

// WithBase makes the paths of calls with the returned context relative to dir. If dir does not exist, the call may create it.
func (w *Workspace) WithBase(ctx context.Context, dir string) (context.Context, error) {
	if dir == "" || dir == "." {
		return ctx, nil
	}
	e, err := w.Guard.Resolve(TrimSlashes(dir), guard.Request{Base: w.base, Absolute: true, Follow: true})
	if err != nil {
		return ctx, err
	}
	if e.Kind != guard.Directory && e.Kind != guard.Missing {
		return ctx, &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: dir, Msg: "is no directory",
			Hint: "Name a directory of the workspace, or leave it out."}
	}
	return context.WithValue(ctx, baseKey{}, e.Rel), nil
}

// WithRootAsBase makes the paths of calls with the returned context relative to the root.
func (w *Workspace) WithRootAsBase(ctx context.Context) context.Context {
	return context.WithValue(ctx, baseKey{}, ".")
}

// BaseDir returns the directory that the paths of a call are relative to.
func (w *Workspace) BaseDir(ctx context.Context) string {
	if dir, ok := ctx.Value(baseKey{}).(string); ok {
		return dir
	}
	return w.base
}

// DefaultBase returns the directory that paths are relative to where a call names no other.
func (w *Workspace) DefaultBase() string { return w.base }

// Spellings returns the paths from the root under which the log may have p: where p leads now, and p as it is written. They
// differ when p leads through a link, which may be newer than the entries. Of a path that is missing, or may not be looked
// at, it returns the written one.
func (w *Workspace) Spellings(p string) ([]string, error) {
	if len(p) > 1 {
		p = strings.TrimRight(p, "/")
	}
	literal := path.Join(w.base, p)
	e, err := w.Guard.Resolve(p, guard.Request{Base: w.base, Absolute: true})
	switch {
	case errors.Is(err, fail.NotFound), errors.Is(err, fail.PermissionDenied):
		return []string{literal}, nil // the log may still be asked what was refused there
	case err != nil || path.IsAbs(p) || e.Rel == literal:
		return []string{e.Rel}, err
	}
	return []string{e.Rel, literal}, nil
}

// LogPath turns a path, as the caller wrote it, into a path of the log. An absolute path stays as it is.
func (w *Workspace) LogPath(ctx context.Context, p string) string {
	if p == "" || path.IsAbs(p) {
		return p
	}
	return w.Paths().ToTop(path.Join(w.BaseDir(ctx), p))
}

// TrimSlashes removes the slashes at the end of a directory's path.
func TrimSlashes(path string) string {
	if bare := strings.TrimRight(path, "/"); bare != "" {
		return bare
	}
	return "/."
}
