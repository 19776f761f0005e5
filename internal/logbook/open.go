package logbook

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// Journal is the log of the store, and what the history keeps beside it, opened to be read: it takes no lock and writes
// nothing. Where there is no store it is empty.
type Journal struct {
	Guard  *guard.Guard
	Prefix string // the way from the top of the tree to the root
	Store  string // its path; "" when there is none
	dir    vfs.Dir
	Log    *audit.Log
	Hist   *history.History
	Notes  []string         // what a person should know
	undos  *workspace.Undos // what was taken back, for who begins somewhere in the middle
	sieve  *audit.Index
}

// journal opens the log of the store that the workspace has. One that was copied here is refused, as for writing.
func JournalWorkspace(w *workspace.Workspace) (*Journal, error) {
	_, err := w.Keeper.Find()
	if err != nil {
		return nil, err
	}
	return AnyJournal(w)
}

// AnyJournal opens also the log of a store that was copied here: to be checked, not to be believed.
func AnyJournal(w *workspace.Workspace) (*Journal, error) {
	j := &Journal{Guard: w.Guard, Prefix: ".", undos: &w.Undos, sieve: &w.Sieve}
	_, err := w.Keeper.Find()
	place := w.Keeper.Where()
	if !place.Exists {
		return j, err
	}
	if err != nil && place.CheckOrigin() == nil {
		return j, err
	}
	if err != nil {
		j.note("%s", err.Error())
	}
	j.Store = place.Dir
	if err := j.open(w.Keeper.Root); err != nil {
		j.Close()
		return nil, workspace.StoreError(err)
	}
	return j, nil
}

// open opens what is in the store, for the tree whose root it is asked about.
func (j *Journal) open(root string) error {
	store, err := vfs.Open(j.Store)
	if err != nil {
		return err
	}
	defer store.Close()
	if j.Prefix, err = prefix(store, j.Store, root); err != nil {
		return err
	}
	if j.Hist, err = history.Open(store); err != nil {
		return err
	}
	if j.dir, err = commit.OpenLog(store); err != nil {
		return err
	}
	j.Log, err = audit.Open(j.dir, audit.Options{})
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

func (j *Journal) Close() error {
	var errs []error
	if j.Log != nil {
		errs = append(errs, j.Log.Close())
	}
	if j.dir != nil {
		errs = append(errs, j.dir.Close())
	}
	if j.Hist != nil {
		errs = append(errs, j.Hist.Close())
	}
	return errors.Join(errs...)
}

func (j *Journal) note(format string, args ...any) {
	if said := fmt.Sprintf(format, args...); !slices.Contains(j.Notes, said) { // who reads twice meets a damage twice
		j.Notes = append(j.Notes, said)
	}
}

// Records goes through the log from the newest record on, and lets s see each. What is damaged is left out, and noted.
func (j *Journal) Records(ctx context.Context, s *Scan, q audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		if j.Log == nil {
			return
		}
		for r, err := range j.Log.Query(q) {
			if err = j.pass(err); err == nil && ctx.Err() != nil {
				err = caller.Cancelled(ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if r == nil {
				continue
			}
			s.See(r)
			if !yield(r, nil) {
				return
			}
			s.Over(r)
		}
	}
}

// remember tells s what was taken back, where it does not begin at the newest record.
func (j *Journal) remember(s *Scan) {
	if j.Log == nil {
		return
	}
	all := false
	if s.later, all = j.undos.Read(j.Log); !all {
		j.note("Of more than %d changes that were taken back, the oldest are shown as done.", workspace.MaxUndone)
	}
}

// pass notes a damage, after which reading can go on.
func (j *Journal) pass(err error) error {
	if c, ok := errors.AsType[*audit.Corrupt](err); ok {
		j.note("%s. What can be read of it is shown; emend verify says more.", c.Error())
		return nil
	}
	return err
}
