package emend

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// ledger is the log of the store, and what the history keeps beside it, opened to be read: it takes no lock and writes
// nothing. Where there is no store it is empty.
type ledger struct {
	guard  *guard.Guard
	prefix string // the way from the top of the tree to the root
	store  string // its path; "" when there is none
	dir    vfs.Dir
	log    *audit.Log
	hist   *history.History
	notes  []string // what a person should know
}

// ledger opens the log of the store that the workspace has. One that was copied here is refused, as for writing.
func (w *Workspace) ledger() (*ledger, error) {
	_, err := w.keeper.find()
	if err != nil {
		return nil, err
	}
	return w.anyLedger()
}

// anyLedger opens also the log of a store that was copied here: to be checked, not to be believed.
func (w *Workspace) anyLedger() (*ledger, error) {
	l := &ledger{guard: w.guard, prefix: "."}
	_, err := w.keeper.find()
	place := w.keeper.where()
	if !place.Exists {
		return l, err
	}
	if err != nil && place.Genuine() == nil {
		return l, err
	}
	if err != nil {
		l.note("%s", err.Error())
	}
	l.store = place.Dir
	if err := l.open(w.keeper.root); err != nil {
		l.close()
		return nil, storeError(err)
	}
	return l, nil
}

// open opens what is in the store, for the tree whose root it is asked about.
func (l *ledger) open(root string) error {
	store, err := vfs.Open(l.store)
	if err != nil {
		return err
	}
	defer store.Close()
	if l.prefix, err = prefix(store, l.store, root); err != nil {
		return err
	}
	if l.hist, err = history.Open(store); err != nil {
		return err
	}
	if l.dir, err = commit.OpenLog(store); err != nil {
		return err
	}
	l.log, err = audit.Open(l.dir, audit.Options{})
	return err
}

// prefix is the way from the top of the tree, as the store says it, down to root.
func prefix(store vfs.Dir, at, root string) (string, error) {
	way, err := commit.ReadFormat(store)
	if err != nil {
		return "", err
	}
	top := filepath.FromSlash(way)
	if !filepath.IsAbs(top) {
		top = filepath.Join(at, top)
	}
	rel, err := filepath.Rel(top, root)
	if err == nil && !filepath.IsLocal(rel) {
		err = fmt.Errorf("the store is of another tree, %q", top)
	}
	return filepath.ToSlash(rel), err
}

func (l *ledger) close() error {
	var errs []error
	if l.log != nil {
		errs = append(errs, l.log.Close())
	}
	if l.dir != nil {
		errs = append(errs, l.dir.Close())
	}
	if l.hist != nil {
		errs = append(errs, l.hist.Close())
	}
	return errors.Join(errs...)
}

func (l *ledger) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// backward returns the records from the newest on.
func (l *ledger) backward() iter.Seq2[*audit.Record, error] {
	if l.log == nil {
		return func(func(*audit.Record, error) bool) {}
	}
	return l.log.Backward()
}
