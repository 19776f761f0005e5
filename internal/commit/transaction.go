package commit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

// transaction is one run of the protocol.
type transaction struct {
	s    *Store
	ctx  context.Context
	tx   Tx
	id   string
	dirs *openDirs
	// sources are the directories of the store from which whole directories come.
	sources *openDirs
	marker  *history.Stage
	acts    []*act
	notes   []string
	// conflicts are sentences about what somebody did meanwhile, and where their files and ours are kept.
	conflicts []string
	settling  bool // it is being taken back or recovered: directories may be missing

	// What became of it. ended is closed when done or err is set, if another goroutine may wait for that.
	done  *Done
	err   error
	ended chan struct{}

	heldCount   int
	syncOnce    bool // one sync of the file system takes the place of one for each staged file
	committed   bool // the commit point has been passed, or may have been
	group       *openGroup
	recovered   *Outcome
	undoneCount int          // how many acts were undone
	keptSlots   map[int]bool // slots that must stay although the transaction failed
}

func (s *Store) newTransaction(ctx context.Context, tx Tx) *transaction {
	return &transaction{s: s, ctx: ctx, tx: tx, id: history.NewID(s.opts.now()), dirs: newOpenDirs(s.tree), sources: newOpenDirs(storeTree{s}), ended: make(chan struct{}), group: newOpenGroup(1),
		keptSlots: map[int]bool{}}
}

func (t *transaction) hasEnded() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

// openGroup counts the transactions of a group that have no end in the log.
type openGroup struct {
	alone bool // the group had one transaction from the beginning
	open  int
}

func newOpenGroup(n int) *openGroup { return &openGroup{n == 1, n} }

// mark returns what the end that comes after done others says of the group.
func (g *openGroup) mark(done int) int {
	if g.alone {
		return 0
	}
	return g.open - done
}

// appendEnd records how the transaction ended.
func (t *transaction) appendEnd(r *audit.Record, sync bool) error {
	r.Tx, r.Group = t.id, t.group.mark(0)
	err := t.s.log.Append(r, sync)
	if err == nil {
		t.group.open--
	}
	return err
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
	t.sources.close()
	switch {
	case t.marker == nil:
	case t.committed && t.done == nil && t.dropsDirs():
		t.marker.Leave() // whoever finds how it ended removes what it took out of the tree
	default:
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
			e.Msg += fmt.Sprintf(" (%d changes were rolled back)", t.undoneCount)
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
