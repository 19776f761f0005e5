package consent

import (
	"slices"
	"sync"

	"github.com/emend-dev/emend/api"
)

// Grants are what a person allowed for the rest of one session: rules of workspaces, for reading or for writing. The front
// that serves the session keeps them as long as the session lasts, and no longer. They are found through the session that was
// asked about and never by a name, since a client may send any name. The zero value has none. Several goroutines may use
// Grants at once.
type Grants struct {
	mu   sync.Mutex
	list []grant // the oldest first
}

// grant is one rule that a person allowed.
type grant struct {
	root    string
	write   bool
	rule    string
	builtIn bool   // a rule of emend's own
	by      string // where the person answered
}

// maxGrants bounds how many grants a session has. The oldest is forgotten first; a person is then asked again.
const maxGrants = 1000

// same reports whether two grants allow the same.
func (g grant) same(is grant) bool {
	is.by = g.by
	return g == is
}

// add grants what q is about.
func (g *Grants) add(q api.Question, by string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range q.Paths {
		if is := (grant{q.Root, p.Write, p.Rule, p.BuiltIn, by}); !slices.ContainsFunc(g.list, is.same) {
			g.list = append(g.list, is)
		}
	}
	g.list = slices.Clone(g.list[max(0, len(g.list)-maxGrants):])
}

// Cover reports whether q asks for nothing else than what was granted, and where the person granted it. A nil *Grants covers
// nothing.
func (g *Grants) Cover(q api.Question) (by string, ok bool) {
	if g == nil || len(q.Paths) == 0 {
		return "", false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range q.Paths {
		i := slices.IndexFunc(g.list, grant{q.Root, p.Write, p.Rule, p.BuiltIn, ""}.same)
		if i < 0 {
			return "", false
		}
		by = g.list[i].by
	}
	return by, true
}
