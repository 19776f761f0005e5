package consent

import (
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/workspace"
)

// AllowedBefore reports whether a person has allowed, to the session that asks and until it ends, all that q is about.
func AllowedBefore(w *workspace.Workspace, q api.Question) bool {
	if q.Actor.Session == "" || len(q.Paths) == 0 {
		return false
	}
	w.Grants.Mu.Lock()
	defer w.Grants.Mu.Unlock()
	return !slices.ContainsFunc(caller.GrantsOf(q), func(is caller.Grant) bool { return !slices.Contains(w.Grants.List, is) })
}
