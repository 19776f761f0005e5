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
	known := s.newKnownTxs(what)
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := s.recover(); err != nil {
		return err
	}
	if err := s.checkFrozen(); err != nil {
		return err
	}
	if err := s.removeAll(what, known); err != nil || s.opts.NoSync {
		return storeError(err)
	}
	return storeError(s.hist.Slots().Sync())
}

// Prune is Purge without a person's request. It does not sync what it removes from the slots. If the lock is taken or a
// transaction is pending, it does nothing. done reports whether it removed anything.
func (s *Store) Prune(what Removal) (done bool, err error) {
	known := s.newKnownTxs(what)
	unlock, err := s.tryLock()
	if err != nil || unlock == nil {
		return false, err
	}
	defer unlock()
	if err := s.readyLog(); err != nil {
		return false, err
	}
	if r, err := s.log.Pending(); err != nil || len(r) > 0 {
		return false, storeError(err)
	}
	err = s.removeAll(what, known)
	return err == nil, storeError(err)
}

// removeAll writes the records, and then removes. The sync of the last record makes all of them durable. If a damaged pack may
// have something of what is to be removed, it does nothing.
func (s *Store) removeAll(what Removal, known *knownTxs) error {
	going := map[string]bool{}
	if len(what.Txs) > 0 {
		garbage, err := s.unknownTxs(known)
		if err != nil {
			return err
		}
		for _, tx := range append(garbage, what.Txs...) {
			going[tx] = true
		}
	}
	if err := s.hist.CheckRemoval(what.Names, going); err != nil {
		return err
	}
	for i := range what.Records {
		if err := s.log.Append(&what.Records[i], !s.opts.NoSync && i == len(what.Records)-1); err != nil {
			return err
		}
	}
	if len(what.Txs) > 0 {
		if err := s.dropAttempts(); err != nil {
			return err
		}
	}
	return s.hist.Remove(what.Names, going)
}

// unknownTxs lists the transactions that left files and that the log does not have. If the log cannot be read whole, it
// lists none.
func (s *Store) unknownTxs(known *knownTxs) ([]string, error) {
	if known.update(s) != nil {
		return nil, nil
	}
	return s.hist.Orphans(func([]string) (map[string]bool, error) { return known.txs, nil })
}

// knownTxs are the transactions that left files and that the log has. Each is looked for in all of the log: clocks go wrong,
// and a name that looks newer may be older. That is done before the lock is taken, and for what was added meanwhile under the
// lock.
type knownTxs struct {
	txs  map[string]bool
	head audit.Head // up to where the log was read
}

// newKnownTxs reads the log, if a removal needs it.
func (s *Store) newKnownTxs(what Removal) *knownTxs {
	k := &knownTxs{txs: map[string]bool{}}
	if len(what.Txs) > 0 && s.log.Refresh() == nil {
		k.update(s) //nolint:errcheck // the next update returns it
	}
	return k
}

// update adds what the log has more than at the last update.
func (k *knownTxs) update(s *Store) error {
	names, err := s.hist.Slots().Names()
	if err != nil {
		return err
	}
	keys := audit.Keys{}
	for _, name := range names {
		tx, _, _ := strings.Cut(name, ".")
		keys.Add(audit.ByTx, tx)
	}
	head := s.log.Head()
	if !s.log.Has(k.head) {
		k.head = audit.Head{} // another log: from the beginning
	}
	for r, err := range s.log.Query(audit.Query{Keys: keys, Need: func(audit.Kind, []byte) audit.Detail { return audit.WithActor }}) {
		if err != nil {
			return err
		}
		if r.Seq <= k.head.Seq {
			break
		}
		k.txs[r.Tx] = true
	}
	k.head = head
	return nil
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
