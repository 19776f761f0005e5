package caller

import (
	"slices"
	"sync"

	"github.com/emend-dev/emend/api"
)

// Grants are what was allowed to sessions, until the process ends.
type Grants struct {
	Mu   sync.Mutex
	List []Grant // the oldest first
}

// Grant is one rule, for reading or for writing, allowed to one session of one client.
type Grant struct {
	client, session string
	write           bool
	rule            string
}

// maxGrants is how many are remembered. The oldest is forgotten first: then a person is asked again.
const maxGrants = 1000

func GrantsOf(q api.Question) (out []Grant) {
	for _, p := range q.Paths {
		if g := (Grant{q.Actor.Client, q.Actor.Session, p.Write, p.Rule}); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

func (g *Grants) Add(q api.Question) {
	if q.Actor.Session == "" {
		return
	}
	g.Mu.Lock()
	defer g.Mu.Unlock()
	for _, is := range GrantsOf(q) {
		if !slices.Contains(g.List, is) {
			g.List = append(g.List, is)
		}
	}
	g.List = slices.Clone(g.List[max(0, len(g.List)-maxGrants):])
}
