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

// GrantToSession allows the asking session, until the process ends, what the rules of q are about. A call without a session
// gets nothing.
func (w *Workspace) GrantToSession(q api.Question) {
	if q.Actor.Session == "" {
		return
	}
	w.grants.mu.Lock()
	defer w.grants.mu.Unlock()
	list := w.grants.list
	for _, g := range grantsFor(q) {
		if !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	w.grants.list = slices.Clone(list[max(0, len(list)-maxGrants):])
}

// GrantedToSession reports whether the asking session was granted all that q is about.
func (w *Workspace) GrantedToSession(q api.Question) bool {
	if q.Actor.Session == "" || len(q.Paths) == 0 {
		return false
	}
	w.grants.mu.Lock()
	defer w.grants.mu.Unlock()
	return !slices.ContainsFunc(grantsFor(q), func(g grant) bool { return !slices.Contains(w.grants.list, g) })
}
