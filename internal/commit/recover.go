package commit

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

// Recover waits for the lock and finishes, or takes back, what a crash left. It may be interrupted at any point and run
// again: every decision is made from what the disk has, none from memory. It never overwrites files that somebody
// changed since.
func (s *Store) Recover(ctx context.Context) (*Outcome, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.recover()
}

// TryRecover is Recover if the lock is free. A holder of the lock is at work or recovers by itself; then there is no
// outcome.
func (s *Store) TryRecover() (*Outcome, error) {
	unlock, err := s.tryLock()
	if err != nil || unlock == nil {
		return nil, err
	}
	defer unlock()
	return s.recover()
}

// disown ends a pending transaction in the log without touching a file, and returns it.
func (s *Store) disown() (*audit.Record, error) {
	unlock, err := s.lock(context.Background())
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.readyLog(); err != nil {
		return nil, err
	}
	r, err := s.log.Pending()
	if err != nil || r == nil {
		return nil, storeError(err)
	}
	end := &audit.Record{Kind: audit.Recovered, Tx: r.Tx, Message: "the store was copied; the transaction belongs to where it came from"}
	return r, storeError(s.log.Append(end, true))
}

// Pending returns the transaction that was neither finished nor taken back, nil if there is none.
func (s *Store) Pending() (*audit.Record, error) {
	if err := s.log.Refresh(); err != nil {
		return nil, storeError(err)
	}
	r, err := s.log.Pending()
	return r, storeError(err)
}

func (s *Store) recover() (*Outcome, error) {
	o := &Outcome{}
	if err := s.reopenUndecided(); err != nil {
		return nil, storeError(err)
	}
	if err := s.log.Refresh(); err != nil {
		return nil, storeError(err)
	}
	torn, err := s.log.SetTornAside()
	if err != nil {
		return nil, storeError(err)
	}
	o.Torn = torn
	r, err := s.log.Pending()
	if err != nil {
		return nil, storeError(err)
	}
	if r != nil {
		if err := s.finishTx(r, o); err != nil {
			return o, err
		}
	}
	o.Swept, err = s.hist.Sweep(s.txState)
	return o, storeError(err)
}

// reopenUndecided reads a log again of which nobody could say what it has.
func (s *Store) reopenUndecided() error {
	if _, undecided := errors.AsType[*audit.Undecided](s.log.Err()); !undecided {
		return nil
	}
	return s.log.Reopen()
}

// txState returns the state of a transaction.
func (s *Store) txState(tx string) (history.TxState, error) {
	known, err := s.committed(tx)
	if err != nil || !known {
		return history.NeverCommitted, err
	}
	if r, err := s.log.Pending(); err != nil || r != nil && r.Tx == tx {
		return history.Pending, storeError(err)
	}
	return history.Ended, nil
}

// committed reports whether the log has the transaction: then the slots that it left belong there.
func (s *Store) committed(tx string) (bool, error) {
	for r, err := range s.log.Backward() {
		if err != nil {
			return false, storeError(err)
		}
		if r.Tx == tx {
			return true, nil
		}
		if r.Tx != "" && r.Tx[:min(len(r.Tx), 8)] < tx[:min(len(tx), 8)] {
			return false, nil // at least a day older than the transaction
		}
	}
	return false, nil
}

// Orphans lists the transactions that left slots and have no record. A power cut during staging leaves them; they are
// garbage.
func (s *Store) Orphans() ([]string, error) {
	out, err := s.hist.Orphans(s.committed)
	return out, storeError(err)
}
