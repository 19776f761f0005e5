package change

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/workspace"
)

// CommitRequest is what the log says of a call beside what it does.
type CommitRequest struct {
	Kind            audit.Kind
	Key, Request    string
	Undoes          []string                      // the transactions that it takes back
	RemoveEmptyDirs []string                      // directories to remove when nothing is left in them
	Permanent       bool                          // keep nothing of what is deleted
	resultOf        func(*Report) api.Result      // words the outcome, where it is not a patch's
	resultFromLog   func(loggedChange) api.Result // the same from the log, when the outcome is lost
	Progress        func(done, total int)
	Asks            []api.AskedPath // what a person is to be asked about
	approved        *audit.Asked    // what they said yes to already
	earlierSections *Report         // what the same call has done so far, section by section; it is part of the answer
}

// answer is what the call is told when rep, the last of it, is done.
func (r CommitRequest) answer(rep *Report) api.Result {
	if r.earlierSections != nil {
		rep = r.earlierSections.Merge(rep)
	}
	if r.resultOf != nil {
		return r.resultOf(rep)
	}
	return rep.Result()
}

// recalled is what the log has of a call that changed one file.
type loggedChange struct {
	audit.Op
	tx        string
	TrashedTo string
	OldSize   int64
}

// withTool names the tool for the log, unless the caller has.
func withTool(ctx context.Context, w *workspace.Workspace, tool string) context.Context {
	if w.Actor(ctx).Tool != "" {
		return ctx
	}
	return caller.WithActor(ctx, api.Actor{Tool: tool})
}

// requestSum tells requests under one key apart: by the tool, by all that is asked, and by the directory that its paths are
// relative to.
func requestSum(ctx context.Context, w *workspace.Workspace, tool string, request any) string {
	b, err := json.Marshal(request)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(fmt.Appendf(nil, "%s %d %q %s", tool, w.Guard.RootID().Ino, path.Join(".", w.BaseDir(ctx)), b))
	return hex.EncodeToString(h[:])
}
