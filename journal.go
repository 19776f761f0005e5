package emend

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// journal is the log of the store, and what the history keeps beside it, opened to be read: it takes no lock and writes
// nothing. Where there is no store it is empty.
type journal struct {
	guard  *guard.Guard
	prefix string // the way from the top of the tree to the root
	store  string // its path; "" when there is none
	dir    vfs.Dir
	log    *audit.Log
	hist   *history.History
	notes  []string // what a person should know
	undos  *undos   // what was taken back, for who begins somewhere in the middle
	sieve  *audit.Sieve
}

// journal opens the log of the store that the workspace has. One that was copied here is refused, as for writing.
func (w *Workspace) journal() (*journal, error) {
	_, err := w.keeper.find()
	if err != nil {
		return nil, err
	}
	return w.anyJournal()
}

// consult calls f with the log open. It waits for no lock.
func (w *Workspace) consult(f func(*journal) error) error {
	if err := w.enter(); err != nil {
		return cannot(err)
	}
	defer w.calls.Done()
	j, err := w.journal()
	if err != nil {
		return cannot(err)
	}
	defer j.close()
	return cannot(f(j))
}

// anyJournal opens also the log of a store that was copied here: to be checked, not to be believed.
func (w *Workspace) anyJournal() (*journal, error) {
	j := &journal{guard: w.guard, prefix: ".", undos: &w.undos, sieve: &w.sieve}
	_, err := w.keeper.find()
	place := w.keeper.where()
	if !place.Exists {
		return j, err
	}
	if err != nil && place.Genuine() == nil {
		return j, err
	}
	if err != nil {
		j.note("%s", err.Error())
	}
	j.store = place.Dir
	if err := j.open(w.keeper.root); err != nil {
		j.close()
		return nil, storeError(err)
	}
	return j, nil
}

// open opens what is in the store, for the tree whose root it is asked about.
func (j *journal) open(root string) error {
	store, err := vfs.Open(j.store)
	if err != nil {
		return err
	}
	defer store.Close()
	if j.prefix, err = prefix(store, j.store, root); err != nil {
		return err
	}
	if j.hist, err = history.Open(store); err != nil {
		return err
	}
	if j.dir, err = commit.OpenLog(store); err != nil {
		return err
	}
	j.log, err = audit.Open(j.dir, audit.Options{})
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

func (j *journal) close() error {
	var errs []error
	if j.log != nil {
		errs = append(errs, j.log.Close())
	}
	if j.dir != nil {
		errs = append(errs, j.dir.Close())
	}
	if j.hist != nil {
		errs = append(errs, j.hist.Close())
	}
	return errors.Join(errs...)
}

func (j *journal) note(format string, args ...any) {
	if said := fmt.Sprintf(format, args...); !slices.Contains(j.notes, said) { // who reads twice meets a damage twice
		j.notes = append(j.notes, said)
	}
}

// records goes through the log from the newest record on, and lets s see each. What is damaged is left out, and noted.
func (j *journal) records(ctx context.Context, s *scan, q audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		if j.log == nil {
			return
		}
		for r, err := range j.log.Back(q) {
			if err = j.pass(err); err == nil && ctx.Err() != nil {
				err = cancelled(ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if r == nil {
				continue
			}
			s.see(r)
			if !yield(r, nil) {
				return
			}
			s.over(r)
		}
	}
}

// remember tells s what was taken back, where it does not begin at the newest record.
func (j *journal) remember(s *scan) {
	if j.log == nil {
		return
	}
	all := false
	if s.later, all = j.undos.read(j.log); !all {
		j.note("Of more than %d changes that were taken back, the oldest are shown as done.", maxUndone)
	}
}

// pass notes a damage, after which reading can go on.
func (j *journal) pass(err error) error {
	if c, ok := errors.AsType[*audit.Corrupt](err); ok {
		j.note("%s. What can be read of it is shown; emend verify says more.", c.Error())
		return nil
	}
	return err
}
