package commit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
)

// transaction is one run of the protocol.
type transaction struct {
	s      *Store
	tx     Tx
	id     string
	dirs   *openDirs
	marker *history.Stage
	acts   []*act
	notes  []string
	// conflicts are sentences about what somebody did meanwhile, and where their files and ours are kept.
	conflicts []string
	settling  bool // it is being taken back or recovered: directories may be missing

	heldCount   int
	committed   bool // the commit point has been passed, or may have been
	recovered   *Outcome
	undoneCount int          // how many acts were undone
	keptSlots   map[int]bool // slots that must stay although the transaction failed
}

func (s *Store) newTransaction(tx Tx) *transaction {
	return &transaction{s: s, tx: tx, id: history.NewID(s.opts.now()), dirs: newOpenDirs(s.tree), keptSlots: map[int]bool{}}
}

// close releases all files and directories, and discards the slots of a transaction that changed nothing.
func (t *transaction) close() {
	if !t.committed {
		t.discardSlots()
	}
	for _, a := range t.acts {
		a.releaseLease()
		t.s.closeHeld(a)
	}
	t.dirs.close()
	if t.marker != nil {
		t.marker.End()
	}
}

func (t *transaction) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *transaction) conflict(format string, args ...any) {
	t.conflicts = append(t.conflicts, fmt.Sprintf(format, args...))
}

// remark adds a sentence where it is read: to the answer, or to the outcome of recovery.
func (t *transaction) remark(format string, args ...any) {
	if t.settling {
		t.conflict(format, args...)
		return
	}
	t.note(format, args...)
}

// messageWithConflicts adds the conflicts to the message of a log record.
func (t *transaction) messageWithConflicts(message string) string {
	return strings.Join(append([]string{message}, t.conflicts...), " ")
}

// refusal adds to an error what was undone, and what is kept where.
func (t *transaction) refusal(err error) error {
	if e, ok := errors.AsType[*fail.Error](err); ok {
		e.Undone = t.undoneCount
		if t.undoneCount > 0 {
			e.Msg += fmt.Sprintf(" (%d changes were taken back)", t.undoneCount)
		}
		e.Notes = append(e.Notes, t.conflicts...)
	}
	return err
}

// discardSlots removes the slots of a transaction that changed nothing. A failure costs no more than space.
func (t *transaction) discardSlots() {
	t.s.hist.Discard(t.id, len(t.tx.Changes))
}

// closeHeld closes the file that is held open.
func (s *Store) closeHeld(a *act) {
	if a.held == nil {
		return
	}
	a.held.Close()
	a.held = nil
	if a.heldEarly {
		s.heldEarly.Add(-1)
	}
	a.heldEarly = false
}
