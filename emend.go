// Package emend takes the patch text that a coding agent wrote and makes it true in the files of a workspace, entirely
// or not at all; or says why not and what would work instead.
//
//	ws, err := emend.Open(".")
//	...
//	plan, err := ws.Plan(ctx, text, api.PatchOptions{}) // reads only: which lines, how sure, with a diff
//	if refused, ok := errors.AsType[*emend.Refusal](err); ok {
//		fmt.Println(refused.Result().Text()) // every failure, what is really there, the next step
//	}
//	...
//	report, err := ws.Commit(ctx, plan) // all of it, or nothing
//
// A patch may be written in any of the dialects that [Dialects] lists; the zero PatchOptions recognise which. Files are
// reached through handles beneath the workspace's root, never by a path that could have moved outside, and protected
// names are refused. A commit survives kill -9, a full disk and a power cut; it keeps what it displaces, and a record.
package emend

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

// Option changes how a workspace is opened.
type Option func(*settings)

type settings = workspace.Config

// Base makes the paths of patches and requests relative to dir, a slash-separated path below the root.
func Base(dir string) Option { return func(s *settings) { s.Base = dir } }

// AllowProtected permits changes to protected paths that match the patterns.
func AllowProtected(patterns ...string) Option {
	return func(s *settings) { s.AllowProtected = append(s.AllowProtected, patterns...) }
}

// Policy names a policy file: rules by which a person denies paths, allows them, or wants to be asked. The file must be
// outside of the workspace.
func Policy(file string) Option { return func(s *settings) { s.Policy = file } }

// ByActor says who makes the calls, for the log. [WithActor] says it for one call.
func ByActor(a api.Actor) Option { return func(s *settings) { s.Actor = a } }

// Store names the directory of the store, which must be on the mount of the workspace. Without it Open uses an existing
// store, at the root or above. The first change makes one if there is none: in the nearest .git directory, else as .emend at
// the root.
func Store(dir string) Option { return func(s *settings) { s.Store = dir } }

// NoSync leaves out the syncs. A commit then still survives kill -9, but not a power cut.
func NoSync() Option { return func(s *settings) { s.NoSync = true } }

// NoRecovery makes Open leave what a crash interrupted as it is, for a program that only looks; [Host.Recovered] then says
// what is pending. A call that changes a file recovers first all the same.
func NoRecovery() Option { return func(s *settings) { s.NoRecovery = true } }

// UnsafeFS permits commits on a network file system, where they promise less.
func UnsafeFS() Option { return func(s *settings) { s.UnsafeFS = true } }

// KeepReads keeps in memory, for an hour and at most 16 MiB, what Read shows of files: a lenient patch for it can then be merged into
// a file that somebody changed since. It is for programs that serve a workspace to agents.
func KeepReads() Option { return func(s *settings) { s.KeepReads = true } }

// WithLimits bounds what one patch may do. Zero fields keep their default.
func WithLimits(l api.Limits) Option { return func(s *settings) { s.Limits = l } }

// Open opens the workspace whose root is dir. It finishes, or takes back, what a crash left in its tree, and [Host.Recovered]
// says what. The caller closes the workspace when done.
func Open(dir string, options ...Option) (*Workspace, error) {
	var s settings
	for _, o := range options {
		o(&s)
	}
	ws, err := workspace.Open(dir, s)
	if err != nil {
		return nil, err
	}
	return &Workspace{ws}, nil
}

// FindRoot returns the workspace that dir belongs to: the nearest directory upward that has .git or .emend, or dir itself.
// base is the path of dir in it, for [Base].
func FindRoot(dir string) (root, base string, err error) { return guard.FindRoot(dir) }

// Close waits for the calls in hand, prunes and packs the history if that is due, and closes the root and the store. Later
// calls are refused.
func (w *Workspace) Close() error {
	return w.s.Close(func() { // their failure is no reason to fail
		kept.Prune(context.Background(), w.s)
		kept.Pack(context.Background(), w.s)
	})
}

// call runs one call of a room while the workspace is open, and turns its error into a [*Refusal].
func call[R, T any](ctx context.Context, w *workspace.Workspace, f func(context.Context, *workspace.Workspace, R) (T, error), r R) (t T, err error) {
	if err := w.Enter(); err != nil {
		return t, refused(err)
	}
	defer w.Leave()
	t, err = f(ctx, w, r)
	return t, refused(err)
}

// refused makes err a [*Refusal].
func refused(err error) error {
	if err == nil {
		return nil
	}
	r, _ := errors.AsType[*report.Refusal](report.Refused(err))
	return newRefusal(r)
}

// Workspace is a directory tree that patches may change. It may be used by several goroutines at once.
type Workspace struct{ s *workspace.Workspace }

// Root is the path of the root, to be shown to people.
func (w *Workspace) Root() string { return w.s.Root() }
