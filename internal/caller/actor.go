package caller

import (
	"cmp"
	"context"

	"github.com/emend-dev/emend/api"
)

type ActorKey struct{}

// As says who asks for what is called with the context that it returns. Fields that are empty are those of an earlier As,
// else those of [By].
func As(ctx context.Context, a api.Actor) context.Context {
	was, _ := ctx.Value(ActorKey{}).(api.Actor)
	return context.WithValue(ctx, ActorKey{}, api.Actor{Client: cmp.Or(a.Client, was.Client), Session: cmp.Or(a.Session, was.Session),
		Agent: cmp.Or(a.Agent, was.Agent), Tool: cmp.Or(a.Tool, was.Tool), Call: cmp.Or(a.Call, was.Call)})
}
