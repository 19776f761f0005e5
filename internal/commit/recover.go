package commit

import (
	"context"
	"errors"
	"time"

	"github.com/emend-dev/emend/internal/audit"
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

// disown ends the pending transactions in the log without touching a file, and returns them.
func (s *Store) disown() ([]*audit.Record, error) {
	unlock, err := s.lock(context.Background())
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.readyLog(); err != nil {
		return nil, err
	}
	pending, err := s.log.Pending()
	if err != nil || len(pending) == 0 {
		return nil, storeError(err)
	}
	ends, group := make([]*audit.Record, len(pending)), newOpenGroup(len(pending))
	for i, r := range pending {
		ends[i] = &audit.Record{Kind: audit.Recovered, Tx: r.Tx, Group: group.mark(i),
			Message: "the store was copied; the transaction belongs to where it came from"}
	}
	return pending, storeError(s.log.AppendAll(ends, true))
}

// Pending returns the transactions that were neither finished nor taken back.
func (s *Store) Pending() ([]*audit.Record, error) {
	if err := s.log.Refresh(); err != nil {
		return nil, storeError(err)
	}
	pending, err := s.log.Pending()
	return pending, storeError(err)
}

// recover recovers everything.
func (s *Store) recover() (*Outcome, error) {
	o, err := s.finishPending()
	if err != nil {
		return o, err
	}
	return o, s.sweep(o)
}

// sweepEvery is the time between two sweeps of a store that makes changes. A sweep looks at a file of each other process, under the
// store's lock, and what dead ones left is in nobody's way.
const sweepEvery = time.Second

// recoverBefore recovers what a change needs: it sweeps only now and then.
func (s *Store) recoverBefore() (*Outcome, error) {
	o, err := s.finishPending()
	if since := s.opts.now().Sub(s.swept); err != nil || since >= 0 && since < sweepEvery { // clocks are set back, too
		return o, err
	}
	return o, s.sweep(o)
}

func (s *Store) sweep(o *Outcome) (err error) {
	o.Swept, err = s.hist.Sweep(s.txStates)
	s.swept = s.opts.now()
	return storeError(err)
}

func (s *Store) finishPending() (*Outcome, error) {
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
	pending, err := s.log.Pending()
	if err != nil {
		return nil, storeError(err)
	}
	return o, s.finishAll(pending, o)
}

// reopenUndecided reads a log again of which nobody could say what it has.
func (s *Store) reopenUndecided() error {
	if _, undecided := errors.AsType[*audit.Undecided](s.log.Err()); !undecided {
		return nil
	}
	return s.log.Reopen()
}
