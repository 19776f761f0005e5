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
	pending map[string]bool // the transactions that are not finished
	names   map[string]bool // of all kept files
	txs     map[string]bool // of which something is kept
	err     error           // that ended newestFirst
	damaged error           // of a pack, whose names are not known
}

// keptTx is a transaction of which the history has something.
type keptTx struct {
	*audit.Record
	failed bool // aborted, or taken back by a recovery
}

// takeInventory lists what the history has, of one transaction or of all (""); nil when there is no store.
func takeInventory(w *workspace.Workspace, tx string) (*inventory, error) {
	store, err := w.OpenStore()
	if err != nil || store == nil {
		return nil, err
	}
	v := &inventory{Paths: w.Paths(), Contents: Contents{store.History()}, store: store, names: map[string]bool{}, txs: map[string]bool{},
		pending: map[string]bool{}}
	pending, err := store.Pending()
	// A damaged log is read as far as it goes. The store itself refuses to change anything then.
	if _, damaged := errors.AsType[*audit.Corrupt](err); err != nil && !damaged {
		return nil, err
	}
	for _, r := range pending {
		v.pending[r.Tx] = true
	}
	all, err := store.History().Names(tx)
	if errors.Is(err, history.ErrDamaged) {
		v.damaged = workspace.StoreError(err)
	} else if err != nil {
		return nil, workspace.StoreError(err)
	}
	for _, name := range all {
		if tx, _, ok := strings.Cut(name, "."); ok {
			v.names[name], v.txs[tx] = true, true
		}
	}
	return v, nil
}

// newestFirst iterates over the transactions of which the history has something, but for pending ones. It skips what is
// damaged in the log.
func (v *inventory) newestFirst(ctx context.Context) func(func(keptTx) bool) {
	return func(yield func(keptTx) bool) {
		o, left, keys := logbook.NewOutcomes(), len(v.txs), audit.Keys{}
		for tx := range v.txs {
			keys.Add(audit.ByTx, tx)
		}
		for r, err := range o.Walk(v.store.Log(), logbook.WithKeys(o, keys, func(line []byte) bool { return v.txs[audit.TxOf(line)] })) {
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
			if !logbook.IsTransaction(r) || !v.txs[r.Tx] {
				continue
			}
			if left--; !v.pending[r.Tx] && !yield(keptTx{r, o.Failed(r) != nil}) || left == 0 {
				return
			}
		}
	}
}

// has returns nil if the history has something of a transaction, and none otherwise; if nobody can say, what is damaged.
func (v *inventory) has(tx string, none error) error {
	switch {
	case v == nil:
		return none
	case v.txs[tx]:
		return nil
	case v.damaged != nil:
		return v.damaged
	}
	return none
}

// File is a file that the history has.
type File struct {
	api.Trashed
	Info vfs.Info // of that file, as it was
}

// file describes the file that a step displaced. It reports false when the history does not have it.
func (v *inventory) file(r *audit.Record, a *audit.Act, operation string) (f File, ok bool) {
	id := history.Slot(r.Tx, a.Slot)
	if !v.names[id] && !v.names[history.OldLink(id)] {
		return f, false
	}
	var name string
	if name, f.Info, ok = v.find(id, a); !ok {
		return f, false
	}
	f.Trashed = api.Trashed{ID: id, DeletedAt: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent, Client: r.Actor.Client, ToolName: r.Actor.Tool,
		Operation: operation, Sha256: a.Old.Sum, SizeBytes: f.Info.Size, MTime: f.Info.ModTime, Mode: Octal(f.Info.Mode)}
	f.Path, _ = v.FromTop(a.Path)
	if f.Info.Mode&fs.ModeSymlink != 0 {
		var err error
		if f.Link, err = v.history.Slots().Readlink(name); err != nil {
			return f, false
		}
	}
	return f, true
}

// Octal writes the permissions of a file as octal digits.
func Octal(m fs.FileMode) string { return fmt.Sprintf("%04o", m.Perm()) }
