package kept

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	defaultAge   = 30 * 24 * time.Hour
	defaultBytes = 2 << 30
	alwaysKept   = 100 // transactions, the newest, whatever their age and size
	pruneEvery   = 24 * time.Hour
	maxPruned    = 2000             // files at once: nobody should wait long for the lock
	maxPruning   = 10 * time.Second // to find them
)

// Prune removes what is older, or more, than the workspace keeps, if the last pruning was a day ago or longer: of the history,
// and then of the log, if the policy bounds that. It removes nothing while somebody else has the lock.
func Prune(ctx context.Context, w *workspace.Workspace) (*api.Pruned, error) {
	store := w.WrittenStore()
	if store == nil || !store.PruneDue(pruneEvery) {
		return &api.Pruned{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxPruning)
	defer cancel()
	v, err := takeInventory(w, "")
	if err != nil {
		return nil, err
	}
	v.Prefix = "." // one history serves every root below the top
	age, bytes := w.HistoryBounds()
	out, what, more := v.prunable(ctx, cmp.Or(age, defaultAge), cmp.Or(bytes, defaultBytes))
	if len(what.Names) > 0 {
		what.Records[0].Actor.Client = w.Actor(ctx).Client
		what.Records[0].PolicyHash = w.Guard.PolicyHash()
		if done, err := store.Prune(what); err != nil || !done {
			return &api.Pruned{}, err
		}
	}
	if more {
		return out, nil // the next Prune goes on
	}
	if err := dropLogByPolicy(ctx, w, store); err != nil {
		return out, err
	}
	return out, store.Pruned()
}

// prunableTx lists the files of one transaction that may be pruned.
type prunableTx struct {
	names []string
	ops   []audit.Op
	bytes int64
}

// prunable returns what is due, the oldest first, and whether there is more.
func (v *inventory) prunable(ctx context.Context, age time.Duration, most int64) (out *api.Pruned, what commit.Removal, more bool) {
	out = &api.Pruned{}
	var due []prunableTx
	kept, names, newest := int64(0), v.namesByTx(), v.newest(alwaysKept)
	for t := range v.newestFirst(ctx) {
		p := v.prunableOf(t, names[t.Tx])
		kept += p.bytes
		late := age >= 0 && time.Since(t.TS) > age || most >= 0 && kept > most
		if late && !newest[t.Tx] && len(p.names) > 0 {
			due = append(due, p)
		}
	}
	r := audit.Record{Kind: audit.Purge, OK: true, Actor: audit.Actor{Tool: "prune"}}
	for _, p := range slices.Backward(due) {
		if more = out.Transactions > 0 && out.Files+len(p.names) > maxPruned; more {
			break
		}
		out.Transactions++
		out.Files += len(p.names)
		out.SizeBytes += p.bytes
		what.Names = append(what.Names, p.names...)
		r.Ops = append(r.Ops, p.ops...)
	}
	r.Ops = r.Ops[:min(len(r.Ops), maxRecordOps)]
	r.Message = fmt.Sprintf("pruned what was displaced by %d transaction(s): %d file(s), %d bytes", out.Transactions, out.Files, out.SizeBytes)
	what.Records = []audit.Record{r}
	return out, what, more
}

// newest returns the newest transactions of the log, so many.
func (v *inventory) newest(n int) map[string]bool {
	out := map[string]bool{}
	for r := range v.store.Log().Query(audit.Query{Need: func(audit.Kind, []byte) audit.Detail { return audit.WithActor }}) {
		if r != nil && logbook.IsTransaction(r) {
			if out[r.Tx] = true; len(out) == n {
				break
			}
		}
	}
	return out
}

func (v *inventory) namesByTx() map[string][]string {
	out := map[string][]string{}
	for name := range v.names {
		tx, _, _ := strings.Cut(name, ".")
		out[tx] = append(out[tx], name)
	}
	return out
}

// prunableOf returns what may be pruned of a transaction: nothing of one that failed, and of the others all but the trash
// and what could not take its place.
func (v *inventory) prunableOf(t keptTx, names []string) prunableTx {
	var out prunableTx
	if t.failed {
		return out
	}
	files, stored := map[string]vfs.Info{}, map[string]int64{}
	for _, name := range names {
		if is, size, err := v.store.History().Stat(name); err == nil {
			files[name], stored[name] = is, size
		}
	}
	stays := v.notPruned(t, files)
	for i := range t.Acts {
		a := &t.Acts[i]
		slot := history.Slot(t.Tx, a.Slot)
		if _, there := files[slot]; there && !stays[slot] && a.Old != nil {
			out.ops = append(out.ops, audit.Op{Operation: purgeOperation, Path: a.Path, Before: a.Old.Sum, Size: a.Old.Size})
		}
	}
	seen := map[vfs.ID]bool{}
	for name, is := range files {
		if stays[slotOfName(name)] {
			continue
		}
		out.names = append(out.names, name)
		if is.Links < 2 || !seen[is.ID] {
			seen[is.ID] = true
			out.bytes += stored[name]
		}
	}
	return out
}

// notPruned returns the slots of a transaction that stay.
func (v *inventory) notPruned(t keptTx, files map[string]vfs.Info) map[string]bool {
	out := map[string]bool{}
	for _, f := range v.deleted(t.Record) {
		out[f.ID] = true
	}
	for i := range t.Acts {
		a := &t.Acts[i]
		slot := history.Slot(t.Tx, a.Slot)
		if is, there := files[slot]; there && a.New != nil && is.ID.Ino == a.New.Ino {
			out[slot] = true // the new file of the step: somebody's change was in the way
		}
	}
	return out
}

// slotOfName returns the slot that a name in the history belongs to.
func slotOfName(name string) string {
	parts := strings.SplitN(name, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
