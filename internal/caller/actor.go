package caller

import (
	"cmp"
	"context"

	"github.com/emend-dev/emend/api"
)

type actorKey struct{}

// WithActor names who makes the calls with the returned context. Empty fields keep the value of an earlier WithActor, else
// that of the option ByActor.
func WithActor(ctx context.Context, a api.Actor) context.Context {
	was := Actor(ctx)
	return context.WithValue(ctx, actorKey{}, api.Actor{Client: cmp.Or(a.Client, was.Client), Session: cmp.Or(a.Session, was.Session),
		Agent: cmp.Or(a.Agent, was.Agent), Tool: cmp.Or(a.Tool, was.Tool), Call: cmp.Or(a.Call, was.Call), Turn: cmp.Or(a.Turn, was.Turn)})
}

// Actor returns what [WithActor] said.
func Actor(ctx context.Context) api.Actor {
	a, _ := ctx.Value(actorKey{}).(api.Actor)
	return a
}
