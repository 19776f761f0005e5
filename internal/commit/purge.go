package commit

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/audit"
)

// Removal is what is to leave the history.
type Removal struct {
	// Records are the log records of the removal. They are written before anything is removed.
	Records []audit.Record
	// Names are kept files, by their names in the directory of the slots.
	Names []string
	// Txs are transactions of which everything leaves the history: slots, diffs, answers. Files of no transaction at
	// all, which a power cut during staging leaves, go with them.
	Txs []string
}

// Purge removes content from the history, on record. It recovers a pending transaction first and removes nothing if
// that fails, since recovery needs what is kept. It returns when first the records and then the removal are durable. It
// may be interrupted at any point and run again; then the log says more than was done, never less.
func (s *Store) Purge(ctx context.Context, what Removal) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := s.recover(); err != nil {
		return err
	}
	if err := s.removeAll(what, !s.opts.NoSync); err != nil || s.opts.NoSync {
		return storeError(err)
	}
	return storeError(s.hist.Slots().Sync())
}

// Prune is Purge without a person's request. It does not sync. If the lock is taken or a transaction is pending, it
// does nothing. done reports whether it removed anything.
func (s *Store) Prune(what Removal) (done bool, err error) {
	unlock, err := s.tryLock()
	if err != nil || unlock == nil {
		return false, err
	}
	defer unlock()
	if err := s.readyLog(); err != nil {
		return false, err
	}
	if r, err := s.log.Pending(); err != nil || r != nil {
		return false, storeError(err)
	}
	err = s.removeAll(what, false)
	return err == nil, storeError(err)
}

// removeAll writes the records, and then removes. The sync of the last record makes all of them durable.
func (s *Store) removeAll(what Removal, sync bool) error {
	for i := range what.Records {
		if err := s.log.Append(&what.Records[i], sync && i == len(what.Records)-1); err != nil {
			return err
		}
	}
	names, err := s.namesToRemove(what)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.hist.Slots().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// namesToRemove returns the names to remove. It lists those of transactions under the lock: a holder of the lock may be
// adding to them.
func (s *Store) namesToRemove(what Removal) ([]string, error) {
	names := what.Names
	if len(what.Txs) == 0 {
		return names, nil
	}
	going := map[string]bool{}
	garbage, err := s.unknownTxs()
	for _, tx := range append(garbage, what.Txs...) {
		going[tx] = true
	}
	if err != nil {
		return nil, err
	}
	all, err := s.hist.Slots().Names()
	for _, name := range all {
		if tx, _, ok := strings.Cut(name, "."); ok && going[tx] {
			names = append(names, name)
		}
	}
	return names, err
}

// unknownTxs lists the transactions that left files and that the log does not have. It reads the whole log: clocks go
// wrong, and a name that looks newer may be older. If the log cannot be read whole, it lists none.
func (s *Store) unknownTxs() ([]string, error) {
	known := map[string]bool{}
	for r, err := range s.log.Backward() {
		if err != nil {
			return nil, nil
		}
		known[r.Tx] = true
	}
	return s.hist.Orphans(func(tx string) (bool, error) { return known[tx], nil })
}

// prunedName is the file whose time says when the history was last pruned.
const prunedName = "pruned"

// PruneDue reports whether the history was not pruned for that long. It costs two stat calls.
func (s *Store) PruneDue(every time.Duration) bool {
	is, err := s.dir.Stat(prunedName)
	if errors.Is(err, fs.ErrNotExist) {
		is, err = s.dir.Stat(formatName) // this file is as old as the store
	}
	since := s.opts.now().Sub(is.ModTime)
	return err == nil && (since >= every || since <= -every)
}

// Pruned records that the history was pruned now.
func (s *Store) Pruned() error {
	f, err := s.dir.Append(prunedName, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Touch(s.opts.now()), f.Close())
}
