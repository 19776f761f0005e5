package emend

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
)

// WithActor says who makes the calls that get the context, for the log. Empty fields are those of an earlier WithActor, else those
// of [ByActor].
func WithActor(ctx context.Context, a api.Actor) context.Context { return caller.WithActor(ctx, a) }

// WithAsker has f ask a person about paths for which a policy says "ask"; without it these paths are refused. f is called at most
// once in a call, when everything else about the call is settled and nothing has happened yet: no file is changed, and nothing
// that was read is returned. An error of f is a no, and the caller gets its reason; [api.ErrUnanswered] ends the call as if it had
// not been made. Otherwise f returns by what the person was asked, for the log. What the person saw may have changed by the time
// f returns: then the commit refuses.
func WithAsker(ctx context.Context, f func(context.Context, api.Question) (by string, err error)) context.Context {
	return caller.WithAsker(ctx, f)
}

// WithAnsweredBy says by what means a person answers with calls that get the context, for the log: [api.AnsweredByPage],
// [api.AnsweredByTerminal] or [api.AnsweredByCommand]. Without it the log says that a program answered.
func WithAnsweredBy(ctx context.Context, means string) context.Context {
	return caller.WithAnsweredBy(ctx, means)
}

// WithoutDirs makes List, Search and Glob leave out the directories with these names, instead of what ignore files, .git and
// node_modules make them leave out.
func WithoutDirs(ctx context.Context, names ...string) context.Context {
	return caller.WithoutDirs(ctx, names...)
}

// WithAbsolutePaths makes Read, List, Search, Glob and the calls that change one file accept an absolute path that leads into the
// root. Without it an absolute path is refused.
func WithAbsolutePaths(ctx context.Context) context.Context { return caller.WithAbsolutePaths(ctx) }

// WithTyped says that a person types the calls that get the context. A call that is refused because it does not fit the files, such as
// one with a path that does not exist, is then not in the log.
func WithTyped(ctx context.Context) context.Context { return caller.WithTyped(ctx) }

// WithProgress has f called with the progress of a call, at most ten times a second and by one goroutine at a time. total is 0
// while it is not known. f must return at once.
func WithProgress(ctx context.Context, f func(done, total int, what string)) context.Context {
	return caller.WithProgress(ctx, f)
}

// ParseHead reads what [api.Head.String] writes.
func ParseHead(s string) (api.Head, error) { return audit.ParseHead(s) }
