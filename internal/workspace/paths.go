package workspace

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
)

type baseKey struct{}

// Actor is who asks, for the log.
func (w *Workspace) Actor(ctx context.Context) api.Actor {
	out := w.Keeper.Actor
	a, _ := ctx.Value(caller.ActorKey{}).(api.Actor)
	for to, text := range map[*string]string{&out.Client: a.Client, &out.Session: a.Session, &out.Agent: a.Agent, &out.Tool: a.Tool, &out.Call: a.Call} {
		if text != "" {
			*to = caller.Clean(text)
		}
	}
	return out
}

// From returns a context in which paths are relative to dir. The directory may be missing, since the call may create it.
func (w *Workspace) From(ctx context.Context, dir string) (context.Context, error) {
	if dir == "" || dir == "." {
		return ctx, nil
	}
	e, err := w.Guard.Resolve(Unslashed(dir), guard.Request{Base: w.Base, Absolute: true, Follow: true})
	if err != nil {
		return ctx, err
	}
	if e.Kind != guard.Directory && e.Kind != guard.Missing {
		return ctx, &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: dir, Msg: "is no directory",
			Hint: "Name a directory of the workspace, or leave it out."}
	}
	return context.WithValue(ctx, baseKey{}, e.Rel), nil
}

// BaseDir returns the directory that the paths of a call are relative to.
func (w *Workspace) BaseDir(ctx context.Context) string {
	if dir, ok := ctx.Value(baseKey{}).(string); ok {
		return dir
	}
	return w.Base
}

// Spellings returns the paths from the root under which the log may have p: where p leads now, and p as it is written. They
// differ when p leads through a link, which may be newer than the entries. Of a path that is missing, or may not be looked
// at, it returns the written one.
func (w *Workspace) Spellings(p string) ([]string, error) {
	if len(p) > 1 {
		p = strings.TrimRight(p, "/")
	}
	literal := path.Join(w.Base, p)
	e, err := w.Guard.Resolve(p, guard.Request{Base: w.Base, Absolute: true})
	switch {
	case errors.Is(err, fail.NotFound), errors.Is(err, fail.PermissionDenied):
		return []string{literal}, nil // what was refused there can be looked up
	case err != nil || path.IsAbs(p) || e.Rel == literal:
		return []string{e.Rel}, err
	}
	return []string{e.Rel, literal}, nil
}

// LogPath turns a path, as the caller wrote it, into a path of the log, which counts from the top of the tree. An
// absolute path stays as it is.
func (w *Workspace) LogPath(ctx context.Context, p string) string {
	if p == "" || path.IsAbs(p) {
		return p
	}
	return w.Paths().ToTop(path.Join(w.BaseDir(ctx), p))
}

// Unslashed removes the slashes at the end of a directory's path.
func Unslashed(path string) string {
	if bare := strings.TrimRight(path, "/"); bare != "" {
		return bare
	}
	return "/."
}

// Paths translates paths between the top of the tree that the store belongs to, as the log has them, and the root of the
// workspace, which may be a directory below the top. Prefix leads from the top to the root; "." or "" says that they are
// the same directory.
type Paths struct{ Prefix string }

// Paths translates between the log and the workspace. Until the store is open, top and root count as the same.
func (w *Workspace) Paths() Paths { return Paths{w.Keeper.Way()} }

// FromTop makes a path of the log relative to the root. ok is false for a path outside of the root, and for "".
func (p Paths) FromTop(top string) (rel string, ok bool) {
	if p.Prefix == "." || p.Prefix == "" {
		return top, top != ""
	}
	if rel, ok = strings.CutPrefix(top, p.Prefix+"/"); !ok {
		return "", false
	}
	return rel, true
}

// Inside reports whether a path of the log is below the root.
func (p Paths) Inside(top string) bool {
	_, ok := p.FromTop(top)
	return ok
}

// ToTop makes a path that is relative to the root a path of the log.
func (p Paths) ToTop(rel string) string { return path.Join(p.Prefix, rel) }
