package mcp

import (
	"sync"

	"github.com/emend-dev/emend"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionGrants has what a person allowed for the rest of each session. A session is the protocol's own: the one client over
// standard input and output, or over HTTP whoever knows the random id that initialize returned. No name decides which it is,
// since a client sends what it likes.
//
// Over HTTP the revisions since 2026-07-28 have no sessions, and their calls get no grants. A connection of TCP is no session
// either: a proxy sends the calls of several clients over one.
type sessionGrants struct {
	start func(what string, f func())

	mu  sync.Mutex
	all map[*sdk.ServerSession]*emend.Grants
}

// of returns the grants of the session that a call belongs to, or nil if it belongs to none.
func (g *sessionGrants) of(req *sdk.CallToolRequest) *emend.Grants {
	if overHTTP(req.Extra) && req.Session.ID() == "" {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.all[req.Session]
	if out == nil {
		out = new(emend.Grants)
		g.all[req.Session] = out
		g.start("a session", func() { g.endWith(req.Session) })
	}
	return out
}

// endWith forgets the grants of a session when it ends.
func (g *sessionGrants) endWith(session *sdk.ServerSession) {
	session.Wait() //nolint:errcheck // how it ended does not matter
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.all, session)
}

func (g *sessionGrants) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.all)
}
