package workspace

import (
	"cmp"
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/caller"
)

// Actor returns who makes a call, for the log: what the context says, else what the workspace was opened with. The session and the
// turn of an agent whose client has hooks are those that the hooks told of.
func (w *Workspace) Actor(ctx context.Context) api.Actor {
	a := forLog(caller.Actor(ctx))
	a = api.Actor{Client: cmp.Or(a.Client, w.actor.Client), Session: cmp.Or(a.Session, w.actor.Session),
		Agent: cmp.Or(a.Agent, w.actor.Agent), Tool: cmp.Or(a.Tool, w.actor.Tool), Call: a.Call, Turn: a.Turn}
	if a.Turn == "" && w.actor.Session == "" {
		if name, s, ok := w.sessionOf(a.Client); ok {
			a.Session, a.Turn = name, s.Turn
		}
	}
	return a
}

// forLog makes the fields fit for the log.
func forLog(a api.Actor) api.Actor {
	return api.Actor{Client: caller.ForLog(a.Client), Session: caller.ForLog(a.Session), Agent: caller.ForLog(a.Agent),
		Tool: caller.ForLog(a.Tool), Call: caller.ForLog(a.Call), Turn: caller.ForLog(a.Turn)}
}
