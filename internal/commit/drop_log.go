package commit

import (
	"context"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
)

// DroppableLog returns what a retention would drop of the log. A segment with a transaction of which the history has
// something stays: without its record nobody could tell what that is.
func (s *Store) DroppableLog(keep audit.Retention) (audit.Droppable, error) {
	if err := s.log.Refresh(); err != nil {
		return audit.Droppable{}, storeError(err)
	}
	names, err := s.hist.Names("")
	if err != nil {
		return audit.Droppable{}, storeError(err)
	}
	kept := map[string]bool{}
	for _, name := range names {
		tx, _, _ := strings.Cut(name, ".")
		kept[tx] = true
	}
	keep.InUse = func(tx string) bool { return kept[tx] }
	d, err := s.log.Droppable(keep)
	return d, storeError(err)
}

// DropLog drops what [Store.DroppableLog] returned, with the actor and the policy of r on record. It recovers a pending
// transaction first. It may be interrupted at any point; what it left is dropped by the next one.
func (s *Store) DropLog(ctx context.Context, d audit.Droppable, r audit.Record) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := s.recover(); err != nil {
		return err
	}
	return s.dropLog(d, r)
}

// TryDropLog is DropLog, but does nothing if the lock is taken or a transaction is pending.
func (s *Store) TryDropLog(d audit.Droppable, r audit.Record) error {
	unlock, err := s.tryLock()
	if err != nil || unlock == nil {
		return err
	}
	defer unlock()
	if err := s.readyLog(); err != nil {
		return err
	}
	if r, err := s.log.Pending(); err != nil || r != nil {
		return storeError(err)
	}
	return s.dropLog(d, r)
}

// dropLog makes the store one that no older emend writes to, and drops.
func (s *Store) dropLog(d audit.Droppable, r audit.Record) error {
	if err := s.raiseFormat(); err != nil {
		return storeError(err)
	}
	return storeError(s.log.Drop(d, r))
}
