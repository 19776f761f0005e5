package commit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

// maxRounds is how often recovery starts over because somebody saves files while it runs.
const maxRounds = 5

// finishAll ends the transactions that were interrupted. Their records are those of one group.
func (s *Store) finishAll(pending []*audit.Record, o *Outcome) error {
	// After kill -9 the records may be in memory only. They must be on disk before anything relies on them.
	if len(pending) > 0 && !s.opts.NoSync {
		if err := s.log.Sync(); err != nil {
			return indeterminate(err)
		}
	}
	group := newOpenGroup(len(pending))
	for i, r := range pending {
		is := api.RecoveredTx{Tx: r.Tx}
		for _, op := range r.Ops {
			is.Files = append(is.Files, op.Path)
		}
		notes, err := s.finishTx(r, group, &is.End)
		if o.Notes = append(o.Notes, notes...); i == 0 {
			o.RecoveredTx = is
		} else {
			o.Others = append(o.Others, is)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finishTx ends one transaction of a group.
func (s *Store) finishTx(r *audit.Record, group *openGroup, end *api.RecoveryEnd) (notes []string, err error) {
	finish := true
	for range maxRounds {
		if *end, notes, err = s.tryRound(r, group, finish); err == nil {
			return notes, nil
		}
		*end = ""
		if isIndeterminate(err) {
			return notes, err
		}
		// A transaction that cannot be finished is taken back, if that is still possible. If somebody saved, look again.
		finish = errors.Is(err, fail.Stale)
	}
	return notes, indeterminate(errors.Join(err, fmt.Errorf("recovery of %s did not come to an end", r.Tx)))
}

// isIndeterminate reports whether err says that nobody can tell how it ended. Then another round is of no use.
func isIndeterminate(err error) bool {
	e, ok := errors.AsType[*fail.Error](err)
	return ok && e.Reason == fail.Indeterminate
}

// tryRound inspects every act once and does what is left to do.
func (s *Store) tryRound(r *audit.Record, group *openGroup, finish bool) (end api.RecoveryEnd, notes []string, err error) {
	t := s.transactionOf(r, group)
	defer t.close()
	rv := &recovery{transaction: t}
	if r.Seen != nil { // it was in the tree before it was in the log, and only the mark is missing
		return Complete, nil, storeError(t.appendEnd(&audit.Record{Kind: audit.Applied, OK: true}, !s.opts.NoSync))
	}
	_, over, err := exists(s.hist.Slots(), history.TakenBackName(t.id))
	if err != nil {
		return "", nil, storeError(err)
	}
	if over {
		return TakenBack, nil, rv.closeTakenBack()
	}
	if err := rv.inspectAll(); err != nil {
		return "", nil, err
	}
	rv.settleMoves()
	rv.skipNeedlessMkdirs()
	rv.skipFullRmdirs()
	if err := rv.skipIfCleared(); err != nil {
		return "", nil, storeError(err)
	}
	// A transaction that was answered is all done. This comes first, so that no later error takes it back.
	switch {
	case rv.count(stateTodo) == 0 && rv.count(stateBlocked) == 0:
		end, err = Complete, rv.conclude("it had been applied")
	case rv.mustTakeBack(finish):
		end, err = TakenBack, rv.revert()
	default:
		end, err = Finished, rv.finishRest()
	}
	return end, append(rv.notes, t.conflicts...), err
}

// transactionOf returns the transaction of a log record.
func (s *Store) transactionOf(r *audit.Record, group *openGroup) *transaction {
	t := &transaction{s: s, tx: Tx{Record: *r}, id: r.Tx, dirs: newOpenDirs(s.tree), sources: newOpenDirs(storeTree{s}), group: group, committed: true, settling: true, keptSlots: map[int]bool{}}
	t.dirs.limit = max(8, s.openLimit/4)
	t.sources.limit = t.dirs.limit
	for _, a := range r.Acts {
		t.acts = append(t.acts, &act{Act: a})
	}
	return t
}

// count returns how many acts are in a state.
func (rv *recovery) count(s stepState) int {
	n := 0
	for _, at := range rv.states {
		if at == s {
			n++
		}
	}
	return n
}

// settleMoves decides about a move whose file somebody has touched, by what was done after it: acts are done in order,
// so the move was done, and somebody moved the file back since.
func (rv *recovery) settleMoves() {
	sure := false
	for i, a := range slices.Backward(rv.acts) {
		if a.Do == audit.DoMove && rv.states[i] == stateBlocked && sure {
			rv.states[i] = stateMoot
		}
		sure = sure || a.certain
	}
}

// skipNeedlessMkdirs leaves out directories into which nothing is to be put: somebody removed them. Those that are made empty stay: the
// end of their transaction is synced, so it was not reached.
func (rv *recovery) skipNeedlessMkdirs() {
	for i, a := range rv.acts {
		if a.Do != audit.DoMkdir || a.Empty || rv.states[i] != stateTodo {
			continue
		}
		below := func(p string) bool { return strings.HasPrefix(p, a.Path+"/") }
		rv.states[i] = stateMoot
		for k, b := range rv.acts {
			if rv.states[k] == stateTodo && !b.onDirectory() && (b.Do == audit.DoMove && below(b.To) || b.Do != audit.DoMove && below(b.Path)) {
				rv.states[i] = stateTodo
			}
		}
	}
}

// skipFullRmdirs leaves out directories that will not become empty: somebody put something into them.
func (rv *recovery) skipFullRmdirs() {
	for i, a := range rv.acts {
		if a.Do != audit.DoRmdir || rv.states[i] != stateTodo || a.dirEmpty {
			continue
		}
		rv.states[i] = stateMoot
		for k, b := range rv.acts {
			if rv.states[k] == stateTodo && b.Do != audit.DoMkdir && strings.HasPrefix(b.Path, a.Path+"/") {
				rv.states[i] = stateTodo
			}
		}
	}
}

// skipIfCleared notices that the transaction had reached its last part, which removes names from the history. Then
// whatever differs was changed since, and nothing is left to do.
func (rv *recovery) skipIfCleared() error {
	for i, a := range rv.acts {
		cleared, err := rv.cleared(a, rv.states[i])
		if err != nil {
			return err
		}
		if !cleared {
			continue
		}
		for k := range rv.states {
			if rv.states[k] != stateDone {
				rv.states[k] = stateMoot
			}
		}
		return nil
	}
	return nil
}

// cleared reports whether the history has none of the names any more that the act removes from it.
func (rv *recovery) cleared(a *act, at stepState) (bool, error) {
	if a.From != "" && (at == stateDone || at == stateMoot) {
		if none, err := rv.hasNoName(a.From); none || err != nil {
			return none, err
		}
	}
	if !a.Gone {
		return false, nil
	}
	return rv.hasNoName(history.Slot(rv.id, a.Slot))
}

// hasNoName reports whether a slot has no name any more.
func (rv *recovery) hasNoName(slot string) (bool, error) {
	for _, name := range history.Names(slot) {
		if _, there, err := exists(rv.s.hist.Slots(), name); there || err != nil {
			return false, err
		}
	}
	_, _, err := rv.s.hist.Find(slot)
	return errors.Is(err, fs.ErrNotExist), nil // if a pack cannot be read, it may have it
}

// mustTakeBack reports whether to take the transaction back: it cannot be finished whole, and everything that was done
// can still be undone.
func (rv *recovery) mustTakeBack(finish bool) bool {
	if finish && rv.count(stateBlocked) == 0 {
		return false
	}
	for i, a := range rv.acts {
		if rv.states[i] == stateDone && !a.onDirectory() && !a.undoable {
			return false // it is done, and somebody worked on it since
		}
	}
	return true
}

// Messages of aborts that a later process writes.
const (
	hadBeen  = "it had been rolled back"
	wasTaken = "interrupted, and rolled back"
)

// Interrupted reports whether an abort was written by a later process than the one that made the transaction.
func Interrupted(end *audit.Record) bool {
	return strings.HasPrefix(end.Message, hadBeen) || strings.HasPrefix(end.Message, wasTaken)
}

// closeTakenBack ends a transaction that had been taken back. It touches no file.
func (rv *recovery) closeTakenBack() error {
	rv.dropSlots()
	r := &audit.Record{Kind: audit.Abort, Message: rv.messageWithConflicts(hadBeen)}
	if err := rv.appendEnd(r, !rv.s.opts.NoSync); err != nil {
		return indeterminate(err)
	}
	rv.s.hist.Slots().Remove(history.TakenBackName(rv.id))
	return nil
}

// revert takes back what was done.
func (rv *recovery) revert() error {
	for i, a := range rv.acts {
		a.dirChanged = a.onDirectory() && rv.states[i] == stateDone
		a.undoable = a.undoable || a.dirChanged
		if rv.states[i] == stateBlocked {
			rv.notes = append(rv.notes, fmt.Sprintf("%s: somebody changed it since, so the transaction was not finished.", a.Path))
		}
	}
	why := &fail.Error{Kind: fail.Stale, Msg: wasTaken}
	err := rv.takeBack(why)
	if e, ok := errors.AsType[*fail.Error](err); ok && e == why {
		return nil
	}
	return err
}

// finishRest does what is left to do.
func (rv *recovery) finishRest() error {
	for i, a := range rv.acts {
		switch rv.states[i] {
		case stateTodo:
			if err := rv.runAct(a); err != nil {
				return err
			}
		case stateBlocked:
			rv.notes = append(rv.notes, a.Path+": somebody changed it since, and theirs stays."+rv.whereKept(a))
		}
	}
	return rv.conclude("it was finished")
}

// whereKept says where the content is that did not get its place.
func (rv *recovery) whereKept(a *act) string {
	if !a.Places() {
		return ""
	}
	if a.From != "" {
		return " What was to come back is kept as " + a.From + ", as before."
	}
	return " What the patch makes of it is kept as " + history.Slot(rv.id, a.Slot) + "."
}

// conclude makes the result durable, and records it in the log.
func (rv *recovery) conclude(how string) error {
	if err := rv.syncDirs(); err != nil {
		return indeterminate(err)
	}
	if err := rv.clearHistory(); err != nil {
		return indeterminate(err)
	}
	r := &audit.Record{Kind: audit.Recovered, OK: true, Message: rv.messageWithConflicts(how)}
	if err := rv.appendEnd(r, !rv.s.opts.NoSync); err != nil {
		return indeterminate(err)
	}
	rv.dropSecondNames()
	rv.dropDirs()
	return nil
}
