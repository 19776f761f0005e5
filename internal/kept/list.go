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
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// past is the transactions of which the history has something, and what it has.
type past struct {
	Store   *commit.Store
	prefix  string
	pending string
	names   map[string]bool // of all that is kept
	txs     map[string]bool // whose they are
	err     error
}

// File is a file that the history keeps: what the log says of it, and what the history has.
type File struct {
	api.Trashed
	Name string // under which the history has it
	Info vfs.Info
}

// told is a transaction as the log tells of it.
type told struct {
	*audit.Record
	takenBack bool
	age       int // how many transactions are newer
}

// past looks what the history has; nil when there is no store.
func pastWorkspace(w *workspace.Workspace) (*past, error) {
	store, err := w.Keeper.Find()
	if err != nil || store == nil {
		return nil, err
	}
	p := &past{Store: store, prefix: w.Keeper.Prefix, names: map[string]bool{}, txs: map[string]bool{}}
	pending, err := store.Pending()
	// A damaged log is read as far as it goes; whoever changes anything is refused by the store.
	if _, damaged := errors.AsType[*audit.Corrupt](err); err != nil && !damaged {
		return nil, err
	}
	if pending != nil {
		p.pending = pending.Tx
	}
	all, err := store.History().Slots().Names()
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	for _, name := range all {
		if tx, _, ok := strings.Cut(name, "."); ok {
			p.names[name], p.txs[tx] = true, true
		}
	}
	return p, nil
}

// each goes through the transactions, the newest first, that are not pending and of which the history has something. A
// damage in the log does not stop it.
func (p *past) each(ctx context.Context) func(func(told) bool) {
	return func(yield func(told) bool) {
		back, age, left := map[string]bool{}, 0, len(p.txs)
		for r, err := range p.Store.Log().Backward() {
			if _, damaged := errors.AsType[*audit.Corrupt](err); damaged {
				continue
			}
			if err == nil && ctx.Err() != nil {
				err = caller.Cancelled(ctx)
			}
			if err != nil {
				p.err = workspace.StoreError(err)
				return
			}
			switch r.Kind {
			case audit.Abort:
				back[r.Tx] = true
			case audit.Recovered:
				back[r.Tx] = !r.OK
			case audit.Commit, audit.Undo:
				if p.txs[r.Tx] {
					if left--; r.Tx != p.pending && !yield(told{r, back[r.Tx], age}) || left == 0 {
						return
					}
				}
				age++
			}
		}
	}
}

// listed is what of a transaction is in the trash.
func (p *past) listed(r told) []File {
	if r.takenBack {
		return p.conflicts(r.Record)
	}
	return p.trashOf(r.Record)
}

// conflicts lists what a transaction that was taken back could not put back into its place: somebody had saved a newer
// file there.
func (p *past) conflicts(r *audit.Record) []File {
	var out []File
	for i := range r.Acts {
		a := &r.Acts[i]
		if a.Old == nil || !a.Displaces() {
			continue
		}
		t := File{Trashed: api.Trashed{ID: history.Slot(r.Tx, a.Slot), DeletedAt: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent,
			ToolName: r.Actor.Tool, Operation: "conflict", Sha256: a.Old.Sum}}
		t.Path, _ = p.inside(a.Path)
		if p.find(&t, a) {
			out = append(out, t)
		}
	}
	return out
}

// trashOf lists what a transaction put into the trash and the history still has. Outside of the root it has no Path.
func (p *past) trashOf(r *audit.Record) []File {
	acts := map[string]*audit.Act{}
	for i := range r.Acts {
		if a := &r.Acts[i]; a.Old != nil && a.Displaces() {
			acts[a.Path] = a
		}
	}
	var out []File
	for i := range r.Ops {
		op := &r.Ops[i]
		if a := acts[emptied(op)]; a != nil {
			t := File{Trashed: api.Trashed{ID: history.Slot(r.Tx, a.Slot), DeletedAt: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent,
				ToolName: r.Actor.Tool, Operation: op.Operation, Sha256: a.Old.Sum}}
			t.Path, _ = p.inside(a.Path)
			if p.find(&t, a) {
				out = append(out, t)
			}
			delete(acts, a.Path)
		}
		if op.Operation == "move" {
			delete(acts, op.Path) // moved away: what comes after does not overwrite it
		}
	}
	return out
}

// emptied is the path from which an operation took what it deleted or overwrote; "" when it did neither.
func emptied(op *audit.Op) string {
	switch {
	case op.Operation == "delete", op.Operation == "add" && op.Before != "":
		return op.Path
	case op.Operation == "move":
		return op.ToPath
	}
	return ""
}

// inside makes a path of the log, which is from the top of the tree, relative to the root; "" for one outside of it.
func (p *past) inside(top string) (rel string, ok bool) {
	if p.prefix == "." {
		return top, true
	}
	if rel, ok = strings.CutPrefix(top, p.prefix+"/"); !ok {
		rel = ""
	}
	return rel, ok
}

// find looks for the file that a step displaced, and describes it.
func (p *past) find(t *File, a *audit.Act) bool {
	slots := p.Store.History().Slots()
	// Where there is a second name of what was displaced that is it, whatever the slot has.
	for _, name := range []string{history.OldLink(t.ID), t.ID} {
		if !p.names[name] {
			continue
		}
		is, err := slots.Stat(name)
		// What was put there for the step itself: it was not done, since somebody's change was in the way.
		if err != nil || a.New != nil && is.ID.Ino == a.New.Ino && a.New.Ino != a.Old.Ino {
			continue
		}
		describe(t, name, is)
		if is.Mode&fs.ModeSymlink != 0 {
			t.Link, err = slots.Readlink(name)
		}
		return err == nil
	}
	return false
}

func describe(t *File, name string, is vfs.Info) {
	t.Name, t.Info = name, is
	t.SizeBytes, t.MTime, t.Mode = is.Size, is.ModTime, Octal(is.Mode)
}

func Octal(m fs.FileMode) string { return fmt.Sprintf("%04o", m.Perm()) }
