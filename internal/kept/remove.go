package kept

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/workspace"
)

// purgeOperation is the operation of a removal in the log.
const purgeOperation = "purge"

// maxRecordOps bounds the removals in one record of the log.
const maxRecordOps = 1000

// remove removes files from the history, on record, and returns the newest record of the log.
func remove(ctx context.Context, w *workspace.Workspace, what commit.Removal) (*api.Head, error) {
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return nil, err
	}
	err = store.Purge(ctx, what)
	w.ForgetReads(time.Now())
	head := store.Head()
	return &head, err
}

// removalRecords returns the records of a removal, as many as its changes need.
func removalRecords(ctx context.Context, w *workspace.Workspace, tool, message string, ops []audit.Op) []audit.Record {
	actor := w.Actor(ctx)
	actor.Tool = tool
	r := audit.Record{Kind: audit.Purge, Actor: actor, PolicyHash: w.Guard.PolicyHash(), OK: true, Message: message}
	if len(ops) == 0 {
		return []audit.Record{r}
	}
	var out []audit.Record
	for part := range slices.Chunk(ops, maxRecordOps) {
		r.Ops = part
		out = append(out, r)
	}
	return out
}

// JoinSome joins names with spaces: the first hundred, and how many more there are.
func JoinSome(names []string) string {
	const most = 100
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}
