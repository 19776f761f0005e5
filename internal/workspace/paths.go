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

// From makes the paths of what is called with the context that it returns relative to dir. A directory that is not there
// may be one that the call makes.
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

// At is the directory that the paths of a call are relative to.
func (w *Workspace) At(ctx context.Context) string {
	if dir, ok := ctx.Value(baseKey{}).(string); ok {
		return dir
	}
	return w.Base
}

// Spelled are the paths from the root that p, as a caller wrote it, may have had: where it leads now, and what it says,
// which is where it led if a link on the way is new, or if nothing of it is left.
func (w *Workspace) Spelled(p string) ([]string, error) {
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

// FromTop is a path, as a patch writes it, as the log has it: from the top of the tree. An absolute one stays.
func (w *Workspace) FromTop(ctx context.Context, p string) string {
	if p == "" || path.IsAbs(p) {
		return p
	}
	return path.Join(w.Keeper.Prefix, w.At(ctx), p)
}

// Unslashed is the path of a directory without the slash that it may end in.
func Unslashed(path string) string {
	if bare := strings.TrimRight(path, "/"); bare != "" {
		return bare
	}
	return "/."
}

// Below is a path of the log from the workspace's root; ok is false for what is outside.
func (w *Workspace) Below(p string) (rel string, ok bool) {
	prefix := w.Keeper.Prefix
	if prefix == "." || prefix == "" {
		return p, true
	}
	return strings.CutPrefix(p, prefix+"/")
}

func (w *Workspace) Inside(p string) bool {
	_, ok := w.Below(p)
	return ok
}
