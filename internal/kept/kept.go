// Package kept gives access to what the history still has of changes: the files that they displaced, the trash among
// them, and versions that can be rebuilt from diffs. It lists, reads, exports, purges and prunes these.
//
// It never changes a file of the workspace: what brings a version back is in packages change and undo. The slots and their
// names are those of package history.
package kept

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// inventory lists the files of the history by name, and the transactions that they belong to.
type inventory struct {
	workspace.Paths
	Contents
	store   *commit.Store
	pending string          // the transaction that is not finished
	names   map[string]bool // of all kept files
	txs     map[string]bool // of which something is kept
	err     error           // that ended newestFirst
}

// keptTx is a transaction of which the history has something.
type keptTx struct {
	*audit.Record
	failed bool // aborted, or taken back by a recovery
	age    int  // how many transactions are newer
}

// takeInventory lists what the history has; nil when there is no store.
func takeInventory(w *workspace.Workspace) (*inventory, error) {
	store, err := w.OpenStore()
	if err != nil || store == nil {
		return nil, err
	}
	v := &inventory{Paths: w.Paths(), Contents: Contents{store.History()}, store: store, names: map[string]bool{}, txs: map[string]bool{}}
	pending, err := store.Pending()
	// A damaged log is read as far as it goes. The store itself refuses to change anything then.
	if _, damaged := errors.AsType[*audit.Corrupt](err); err != nil && !damaged {
		return nil, err
	}
	if pending != nil {
		v.pending = pending.Tx
	}
	all, err := store.History().Slots().Names()
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	for _, name := range all {
		if tx, _, ok := strings.Cut(name, "."); ok {
			v.names[name], v.txs[tx] = true, true
		}
	}
	return v, nil
}

// newestFirst iterates over the transactions of which the history has something, but for a pending one. It skips what is
// damaged in the log.
func (v *inventory) newestFirst(ctx context.Context) func(func(keptTx) bool) {
	return func(yield func(keptTx) bool) {
		o, age, left := logbook.NewOutcomes(), 0, len(v.txs)
		for r, err := range v.store.Log().Backward() {
			if _, damaged := errors.AsType[*audit.Corrupt](err); damaged {
				continue
			}
			if err == nil && ctx.Err() != nil {
				err = caller.Cancelled(ctx)
			}
			if err != nil {
				v.err = workspace.StoreError(err)
				return
			}
			o.Add(r)
			if !logbook.IsTransaction(r) {
				continue
			}
			if v.txs[r.Tx] {
				if left--; r.Tx != v.pending && !yield(keptTx{r, o.Failed(r) != nil, age}) || left == 0 {
					return
				}
			}
			o.Forget(r)
			age++
		}
	}
}

// only limits newestFirst to one transaction, and reports whether the history has something of it.
func (v *inventory) only(tx string) bool {
	if v == nil || !v.txs[tx] {
		return false
	}
	v.txs = map[string]bool{tx: true}
	return true
}

// File is a file that the history has.
type File struct {
	api.Trashed
	Name string   // in the directory of the slots
	Info vfs.Info // of that file
}

// file describes the file that a step displaced. It reports false when the history does not have it.
func (v *inventory) file(r *audit.Record, a *audit.Act, operation string) (f File, ok bool) {
	id := history.Slot(r.Tx, a.Slot)
	if !v.names[id] && !v.names[history.OldLink(id)] {
		return f, false
	}
	if f.Name, f.Info, ok = v.find(id, a); !ok {
		return f, false
	}
	f.Trashed = api.Trashed{ID: id, DeletedAt: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent, ToolName: r.Actor.Tool,
		Operation: operation, Sha256: a.Old.Sum, SizeBytes: f.Info.Size, MTime: f.Info.ModTime, Mode: Octal(f.Info.Mode)}
	f.Path, _ = v.FromTop(a.Path)
	if f.Info.Mode&fs.ModeSymlink != 0 {
		var err error
		if f.Link, err = v.history.Slots().Readlink(f.Name); err != nil {
			return f, false
		}
	}
	return f, true
}

// Octal writes the permissions of a file as octal digits.
func Octal(m fs.FileMode) string { return fmt.Sprintf("%04o", m.Perm()) }
