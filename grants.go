package emend

import (
	"slices"
	"sync"
)

// grants are what was allowed to sessions, until the process ends.
type grants struct {
	mu   sync.Mutex
	list []grant // the oldest first
}

// grant is one rule, for reading or for writing, allowed to one session of one client.
type grant struct {
	client, session string
	write           bool
	rule            string
}

// maxGrants is how many are remembered. The oldest is forgotten first: then a person is asked again.
const maxGrants = 1000

func grantsOf(q Question) (out []grant) {
	for _, p := range q.Paths {
		if g := (grant{q.Actor.Client, q.Actor.Session, p.Write, p.Rule}); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

func (g *grants) add(q Question) {
	if q.Actor.Session == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, is := range grantsOf(q) {
		if !slices.Contains(g.list, is) {
			g.list = append(g.list, is)
		}
	}
	g.list = slices.Clone(g.list[max(0, len(g.list)-maxGrants):])
}

// AllowedBefore reports whether a person has allowed, to the session that asks and until it ends, all that q is about.
func (w *Workspace) AllowedBefore(q Question) bool {
	if q.Actor.Session == "" || len(q.Paths) == 0 {
		return false
	}
	w.grants.mu.Lock()
	defer w.grants.mu.Unlock()
	return !slices.ContainsFunc(grantsOf(q), func(is grant) bool { return !slices.Contains(w.grants.list, is) })
}
