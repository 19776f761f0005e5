// Package emend takes the patch text that a coding agent wrote and makes it true in the files of a workspace, entirely
// or not at all; or says why not and what would work instead.
//
//	ws, err := emend.Open(".")
//	...
//	plan, err := ws.Plan(ctx, text, emend.Options{}) // reads only: which lines, how sure, with a diff
//	if refused, ok := errors.AsType[*emend.Refusal](err); ok {
//		fmt.Println(refused.Result().Text()) // every failure, what is really there, the next step
//	}
//	...
//	report, err := ws.Commit(ctx, plan) // all of it, or nothing
//
// A patch may be written in any of the dialects that [Dialects] lists; the zero Options recognise which. Files are
// reached through handles beneath the workspace's root, never by a path that could have moved outside, and protected
// names are refused. A commit survives kill -9, a full disk and a power cut; it keeps what it displaces, and a record.
package emend

import (
	"cmp"
	"context"
	"errors"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// Option changes how a workspace is opened.
type Option func(*settings)

type settings struct {
	policy string
	base   string
	guard  guard.Options
	limits api.Limits
	keeper workspace.Keeper

	asFound bool
}

// Base makes the paths in patches relative to dir, a slash-separated path relative to the root.
func Base(dir string) Option { return func(s *settings) { s.base = dir } }

// AllowProtected opens protected paths that match the patterns.
func AllowProtected(patterns ...string) Option {
	return func(s *settings) { s.guard.AllowProtected = append(s.guard.AllowProtected, patterns...) }
}

// Policy names a file in which a person has decided which paths are denied, asked for or allowed. It must be outside
// the workspace.
func Policy(file string) Option { return func(s *settings) { s.policy = file } }

// ByActor says who asks, for the log.
func ByActor(a api.Actor) Option { return func(s *settings) { s.keeper.Actor = a } }

// Store names the directory of the store, on the mount of the workspace. Without it an existing store above the root
// is used, or one is made in the nearest .git directory, or as .emend at the root.
func Store(dir string) Option { return func(s *settings) { s.keeper.Named = dir } }

// NoSync leaves the syncs out: a commit then still survives kill -9, but not a power cut.
func NoSync() Option { return func(s *settings) { s.keeper.Opts.NoSync = true } }

// NoRecovery leaves what a crash interrupted as it is, for who only looks: [Host.Recovered] then says that something is
// pending. Whatever changes a file recovers first all the same.
func NoRecovery() Option { return func(s *settings) { s.asFound = true } }

// UnsafeFS lets a commit write to a network file system, where less can be promised.
func UnsafeFS() Option { return func(s *settings) { s.keeper.Unsafe = true } }

// WithLimits bounds what one patch may do. Zero fields keep their default.
func WithLimits(l api.Limits) Option { return func(s *settings) { s.limits = l } }

// Open opens the workspace whose root is dir, and finishes, or takes back, what a crash left in its tree; Recovered
// says what. Close it when done.
func Open(dir string, options ...Option) (*Workspace, error) {
	var s settings
	for _, o := range options {
		o(&s)
	}
	s.limits = caller.OrDefault(s.limits)
	s.guard.MaxDepth = s.limits.Depth
	if s.policy != "" {
		var err error
		if s.guard.Policy, err = guard.ReadPolicy(s.policy, dir); err != nil {
			return nil, err
		}
	}
	age, bytes := s.guard.Policy.HistoryBounds()
	s.keeper.Age, s.keeper.Bytes = cmp.Or(s.keeper.Age, age), cmp.Or(s.keeper.Bytes, bytes)
	s.guard.Store = workspace.StoreIn(dir, s.keeper.Named)
	g, err := guard.Open(dir, s.guard)
	if err != nil {
		return nil, err
	}
	w := &Workspace{s: &workspace.Workspace{Guard: g, Base: s.base, Limits: s.limits}}
	if err := w.keep(&s); err != nil {
		g.Close()
		return nil, err
	}
	if s.asFound {
		w.s.Pending = w.s.Interrupted()
		return w, nil
	}
	w.s.Heal()
	return w, nil
}

// FindRoot is the workspace that dir belongs to, the nearest directory upward with .git or .emend in it, or dir
// itself, and dir's path in it for [Base].
func FindRoot(dir string) (root, base string, err error) { return guard.FindRoot(dir) }

// Close waits for the calls in hand and lets go of the root's handle and the store. Later calls are refused.
func (w *Workspace) Close() error {
	w.s.Mu.Lock()
	was := w.s.Closed
	w.s.Closed = true
	w.s.Mu.Unlock()
	if was {
		return nil
	}
	w.s.Calls.Wait()
	kept.Prune(context.Background(), w.s) // it is worth no error
	return errors.Join(w.s.Keeper.Close(), w.s.Guard.Close())
}

// call runs one call of a room while the workspace is open, and turns its error into a [*Refusal].
func call[R, T any](ctx context.Context, w *workspace.Workspace, f func(context.Context, *workspace.Workspace, R) (T, error), r R) (t T, err error) {
	if err := w.Enter(); err != nil {
		return t, outcome.Cannot(err)
	}
	defer w.Calls.Done()
	t, err = f(ctx, w, r)
	return t, outcome.Cannot(err)
}

// Plan reads text and the files it names, and settles what it would do. It never writes. An error is a *Refusal.
func (w *Workspace) Plan(ctx context.Context, text string, o api.PatchOptions) (*outcome.Plan, error) {
	if err := w.s.Enter(); err != nil {
		return nil, &outcome.Refusal{List: fail.All(err)}
	}
	defer w.s.Calls.Done()
	ctx, err := w.s.From(ctx, o.Base)
	if err != nil {
		return nil, &outcome.Refusal{List: fail.All(err)}
	}
	src := source.NewReader(ctx, w.s)
	defer src.Close()
	p, err := change.Preview(ctx, w.s, text, o, src)
	if err != nil {
		return nil, err
	}
	if no := change.Telling(ctx, w.s, src, nil); no != nil {
		return nil, &outcome.Refusal{View: p.View, List: fail.All(no)}
	}
	return p, nil
}

// Workspace is a directory tree that patches may change. It may be used by several goroutines at once.
type Workspace struct{ s *workspace.Workspace }

// Root is the path of the root, to be shown to people.
func (w *Workspace) Root() string { return w.s.Root() }
