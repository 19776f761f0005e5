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
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	keepFor    = 30 * 24 * time.Hour
	keepBytes  = 2 << 30
	keepAlive  = 100 // transactions, the newest, whatever their age and size
	pruneEvery = 24 * time.Hour
	maxPruned  = 2000             // files at once: nobody is to wait long for the lock
	maxPruning = 10 * time.Second // for finding them
)

// lapsed is what the history has of one transaction, and may go.
type lapsed struct {
	names []string
	ops   []audit.Op
	bytes int64
}

func Prune(ctx context.Context, w *workspace.Workspace) (*api.Pruned, error) {
	k := &w.Keeper
	k.Mu.Lock()
	store, wrote := k.Store, k.Wrote
	k.Mu.Unlock()
	if store == nil || !wrote || !store.PruneDue(pruneEvery) {
		return &api.Pruned{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxPruning)
	defer cancel()
	p, err := pastWorkspace(w)
	if err != nil {
		return nil, err
	}
	p.prefix = "." // of all roots: it is one history
	out, what, more := p.outdated(ctx, cmp.Or(k.Age, keepFor), cmp.Or(k.Bytes, keepBytes))
	if len(what.Names) > 0 {
		what.Records[0].Actor.Client = k.Actor.Client
		what.Records[0].PolicyHash = w.Guard.PolicyHash()
		if done, err := store.Prune(what); err != nil || !done {
			return &api.Pruned{}, err
		}
	}
	if more {
		return out, nil // the next one goes on
	}
	return out, store.Pruned()
}

// outdated is what is to be pruned now; more says that it is only a part.
func (p *past) outdated(ctx context.Context, age time.Duration, most int64) (out *api.Pruned, what commit.Removal, more bool) {
	out = &api.Pruned{}
	var old []lapsed
	kept, names := int64(0), p.byTx()
	for t := range p.each(ctx) {
		l := p.lapsed(t, names[t.Tx])
		kept += l.bytes
		late := age >= 0 && time.Since(t.TS) > age || most >= 0 && kept > most
		if late && t.age >= keepAlive && len(l.names) > 0 {
			old = append(old, l)
		}
	}
	r := audit.Record{Kind: audit.Purge, OK: true, Actor: audit.Actor{Tool: "prune"}}
	for _, l := range slices.Backward(old) {
		if more = out.Transactions > 0 && out.Files+len(l.names) > maxPruned; more {
			break
		}
		out.Transactions++
		out.Files += len(l.names)
		out.SizeBytes += l.bytes
		what.Names = append(what.Names, l.names...)
		r.Ops = append(r.Ops, l.ops...)
	}
	r.Ops = r.Ops[:min(len(r.Ops), maxPurged)]
	r.Message = fmt.Sprintf("pruned what was displaced by %d transaction(s): %d file(s), %d bytes", out.Transactions, out.Files, out.SizeBytes)
	what.Records = []audit.Record{r}
	return out, what, more
}

// byTx are the names that the history has, by transaction.
func (p *past) byTx() map[string][]string {
	out := map[string][]string{}
	for name := range p.names {
		tx, _, _ := strings.Cut(name, ".")
		out[tx] = append(out[tx], name)
	}
	return out
}

// lapsed is what may go of a transaction: all but the trash, and but what was kept because it met somebody's change.
func (p *past) lapsed(t told, names []string) lapsed {
	var out lapsed
	if t.takenBack {
		return out
	}
	here := map[string]vfs.Info{}
	for _, name := range names {
		if is, err := p.Store.History().Slots().Stat(name); err == nil {
			here[name] = is
		}
	}
	stays := p.staying(t, here)
	for i := range t.Acts {
		a := &t.Acts[i]
		slot := history.Slot(t.Tx, a.Slot)
		if _, there := here[slot]; there && !stays[slot] && a.Old != nil {
			out.ops = append(out.ops, audit.Op{Operation: "purge", Path: a.Path, Before: a.Old.Sum, Size: a.Old.Size})
		}
	}
	seen := map[vfs.ID]bool{}
	for name, is := range here {
		if stays[slotOf(name)] {
			continue
		}
		out.names = append(out.names, name)
		if !seen[is.ID] {
			seen[is.ID] = true
			out.bytes += is.Size
		}
	}
	return out
}

// staying are the slots of a transaction that are not pruned.
func (p *past) staying(t told, here map[string]vfs.Info) map[string]bool {
	out := map[string]bool{}
	for _, f := range p.trashOf(t.Record) {
		out[f.ID] = true
	}
	for i := range t.Acts {
		a := &t.Acts[i]
		slot := history.Slot(t.Tx, a.Slot)
		if is, there := here[slot]; there && a.New != nil && is.ID.Ino == a.New.Ino {
			out[slot] = true // what did not get its place
		}
	}
	return out
}

// slotOf is the slot that a name belongs to.
func slotOf(name string) string {
	parts := strings.SplitN(name, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
