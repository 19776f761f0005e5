// Package looks has a server look at its workspace for the hooks of agents' programs. A server that stays can have the system say what
// changed between two looks, where each process of a hook would have to walk through the whole tree.
//
// The two meet at a socket in the directory of the store that belongs to looks. If there is nobody, or no answer, or another version of
// emend, the hook looks by itself: it needs nobody.
package looks

import (
	"context"
	"errors"
	"time"

	"github.com/emend-dev/emend/api"
)

// ErrNobody says that no server looks for the hook. Nothing was done.
var ErrNobody = errors.New("no server looks at this workspace")

// Request asks a server to look at its workspace.
type Request struct {
	Root  string // the real path of the workspace
	Actor api.Actor
	Look  api.LookRequest
	Limit time.Duration // how long the hook waits
}

// Look answers a request.
type Look func(context.Context, Request) error
