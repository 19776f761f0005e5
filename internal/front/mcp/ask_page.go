package mcp

import (
	"context"
	"errors"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// askAtPage asks the person who has a page open. The call waits, in every revision of the protocol.
func (r *askRound) askAtPage(ctx context.Context, q api.Question) (by string, err error) {
	ws := r.s.workspace(q.Root)
	if ws == nil {
		return "", errors.New("the client cannot ask a person")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer cancelWhenClientGone(ctx, cancel)()
	grants := r.s.grants.of(r.req)
	if _, allowed := grants.Cover(q); r.s.AskWait > 0 && !allowed {
		var endWait func()
		if ctx, endWait, err = r.beginWait(ctx); err != nil {
			return "", err
		}
		defer endWait()
	}
	by, err = ws.Host().AskAtPage(ctx, q, r.s.AskWait, grants)
	if e, ok := errors.AsType[*fail.Error](err); ok && errors.Is(err, api.ErrNoPage) {
		refusal := *e
		refusal.Msg = "this client cannot ask a person, since it offers no elicitation, and " + e.Msg
		if q.PageOnly {
			refusal.Msg = "only a page may answer, says the policy, and " + e.Msg
		}
		err = &refusal
	}
	return by, err
}

// workspace returns the workspace with that root, or nil.
func (s *Server) workspace(root string) *emend.Workspace {
	for _, w := range s.Workspaces {
		if w.Root() == root {
			return w.Workspace
		}
	}
	return nil
}
