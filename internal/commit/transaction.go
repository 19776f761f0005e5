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
	// conflicts are what somebody did meanwhile, and where their files and ours are kept.
	conflicts []string
	settling  bool // it is taken back, or recovered: directories may be missing

	heldCount   int
	committed   bool // the commit point has been passed
	recovered   *Outcome
	undoneCount int          // how many steps were taken back
	keptSlots   map[int]bool // slots that must stay although the transaction failed
}

func (s *Store) newTransaction(tx Tx) *transaction {
	return &transaction{s: s, tx: tx, id: history.NewID(s.opts.now()), dirs: newOpenDirs(s.tree), keptSlots: map[int]bool{}}
}

// close lets go of everything that is held.
func (t *transaction) close() {
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

// remark says something where it is heard: in the answer, or in what recovery did.
func (t *transaction) remark(format string, args ...any) {
	if t.settling {
		t.conflict(format, args...)
		return
	}
	t.note(format, args...)
}

// messageWithConflicts adds the conflicts to what the log says of an end.
func (t *transaction) messageWithConflicts(message string) string {
	return strings.Join(append([]string{message}, t.conflicts...), " ")
}

// refusal attaches to an error what was taken back, and what is kept where.
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

// discardSlots takes away the slots of a transaction that changed nothing. That it fails loses no more than space.
func (t *transaction) discardSlots() {
	t.s.hist.Discard(t.id, len(t.tx.Changes))
}
