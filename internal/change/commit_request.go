package change

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/workspace"
)

// CommitRequest holds what a call asks of the commit besides its plan: what the log records of the call, how its answer
// is worded, and what a person has to approve.
type CommitRequest struct {
	Kind            audit.Kind
	Key, Request    string
	Undoes          []string                      // ids of the transactions that the call undoes
	Parts           []audit.Part                  // pieces of transactions that the call undoes
	RemoveEmptyDirs []string                      // directories that the commit removes when they become empty
	MakeDirs        []string                      // directories that the commit makes where they are missing, by their path from the top of the tree
	DirModes        map[string]fs.FileMode        // permissions of directories that the commit makes, by their path
	Dirs            []commit.Change               // directories that the commit takes away with all that is in them
	DirOps          []audit.Op                    // of Dirs, and of directories without a file, for the log
	Check           func() error                  // is called with the lock held, before anything is changed; nil for none
	Permanent       bool                          // keep no copy of deleted files, and no diff
	resultOf        func(*Report) api.Result      // words the report; nil for the words of a patch
	resultFromLog   func(loggedChange) api.Result // words the log's entry of the first call, when its answer is lost
	Progress        func(done, total int)
	Asks            []api.AskedPath // paths that a person is asked about
	notes           []string        // what the answer says beside what the commit finds
	approved        *consent.Result // the person's earlier approval, which covers Asks
	earlierSections *Report         // what the call's earlier sections did; it is part of the answer
}

// answer returns the result of the whole call. rep reports its last commit.
func (r CommitRequest) answer(rep *Report) api.Result {
	if r.earlierSections != nil {
		rep = r.earlierSections.Merge(rep)
	}
	if r.resultOf != nil {
		return r.resultOf(rep)
	}
	return rep.Result()
}

// loggedChange is the log's entry of a call that changed one file.
type loggedChange struct {
	audit.Op
	tx        string
	TrashedTo string
	OldSize   int64
}

// withTool records tool as the tool of the call, unless the caller has named one.
func withTool(ctx context.Context, w *workspace.Workspace, tool string) context.Context {
	if w.Actor(ctx).Tool != "" {
		return ctx
	}
	return caller.WithActor(ctx, api.Actor{Tool: tool})
}

// requestSum returns a hash that differs for requests that differ in their tool, their fields, or the directory that
// their paths are relative to. It finds an idempotency key that is used for two requests.
func requestSum(ctx context.Context, w *workspace.Workspace, tool string, request any) string {
	b, err := json.Marshal(request)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(fmt.Appendf(nil, "%s %d %q %s", tool, w.Guard.RootID().Ino, path.Join(".", w.BaseDir(ctx)), b))
	return hex.EncodeToString(h[:])
}
