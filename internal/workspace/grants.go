package workspace

import (
	"slices"
	"sync"

	"github.com/emend-dev/emend/api"
)

// maxGrants bounds how many grants are remembered. The oldest is forgotten first; a person is then asked again.
const maxGrants = 1000

// grants are the permissions that persons gave to sessions. They end with the process.
type grants struct {
	mu   sync.Mutex
	list []grant // the oldest first
}

// grant is one rule, for reading or for writing, that is allowed to one session of one client.
type grant struct {
	client, session string
	write           bool
	rule            string
}

// grantsFor returns the grants that q asks for.
func grantsFor(q api.Question) (out []grant) {
	for _, p := range q.Paths {
		if g := (grant{q.Actor.Client, q.Actor.Session, p.Write, p.Rule}); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// add adds the grants that q asks for.
func (g *grants) add(q api.Question) {
	if q.Actor.Session == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, is := range grantsFor(q) {
		if !slices.Contains(g.list, is) {
			g.list = append(g.list, is)
		}
	}
	g.list = slices.Clone(g.list[max(0, len(g.list)-maxGrants):])
}

// cover reports whether q asks for nothing else than what was granted.
func (g *grants) cover(q api.Question) bool {
	if q.Actor.Session == "" || len(q.Paths) == 0 {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return !slices.ContainsFunc(grantsFor(q), func(is grant) bool { return !slices.Contains(g.list, is) })
}
