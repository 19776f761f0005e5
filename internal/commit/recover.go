package commit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

// Outcome is what recovery found and did.
type Outcome struct {
	Tx    string      `json:"tx,omitempty"`    // the transaction that was pending; "" when none was
	End   End         `json:"end,omitempty"`   // what became of it
	Files []string    `json:"files,omitempty"` // the paths that it names
	Notes []string    `json:"notes,omitempty"` // what a person should know, one sentence each
	Torn  *audit.Torn `json:"torn,omitempty"`  // the end of the log that a crash had cut short, set aside
	Swept []string    `json:"swept,omitempty"` // transactions that died while they were staged; what they left is removed
}

// Nothing reports whether there was nothing to do.
func (o *Outcome) Nothing() bool { return o == nil || o.Tx == "" && o.Torn == nil && len(o.Swept) == 0 }

// Words are what to tell somebody who came for something else.
func (o *Outcome) Words() []string {
	if o == nil || o.End == "" {
		return nil
	}
	return append([]string{fmt.Sprintf("Before this, the interrupted transaction %s was %s.", o.Tx, o.End)}, o.Notes...)
}

// End is what became of a transaction that was pending.
type End string

// The ends of a transaction.
const (
	Complete  End = "complete"   // it had been applied whole; only the mark was missing
	Finished  End = "finished"   // the steps that were missing were done
	TakenBack End = "taken back" // it could not be finished, and nothing of it is left
)

// Recover waits for the lock and finishes, or takes back, what a crash left. It may be interrupted at any point and run
// again: every step is decided by what the disk has, never from memory. Files that somebody changed since are never
// overwritten.
func (s *Store) Recover(ctx context.Context) (*Outcome, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.recover()
}

// TryRecover recovers if nobody has the lock: who has it is at work, or recovers by itself. Then there is no outcome.
func (s *Store) TryRecover() (*Outcome, error) {
	unlock, err := s.tryLock()
	if err != nil || unlock == nil {
		return nil, err
	}
	defer unlock()
	return s.recover()
}

// disown closes a pending transaction without touching a file, and returns it.
func (s *Store) disown() (*audit.Record, error) {
	unlock, err := s.lock(context.Background())
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.ready(); err != nil {
		return nil, err
	}
	r, err := s.log.Pending()
	if err != nil || r == nil {
		return nil, unwritable(err)
	}
	end := &audit.Record{Kind: audit.Recovered, Tx: r.Tx, Message: "the store was copied; the transaction belongs to where it came from"}
	return r, unwritable(s.log.Append(end, true))
}

// Pending is the transaction that has neither been finished nor taken back, if there is one.
func (s *Store) Pending() (*audit.Record, error) {
	if err := s.log.Refresh(); err != nil {
		return nil, unwritable(err)
	}
	r, err := s.log.Pending()
	return r, unwritable(err)
}

func (s *Store) recover() (*Outcome, error) {
	o := &Outcome{}
	if err := s.reopen(); err != nil {
		return nil, unwritable(err)
	}
	if err := s.log.Refresh(); err != nil {
		return nil, unwritable(err)
	}
	torn, err := s.log.Settle()
	if err != nil {
		return nil, unwritable(err)
	}
	o.Torn = torn
	r, err := s.log.Pending()
	if err != nil {
		return nil, unwritable(err)
	}
	if r != nil {
		if err := s.finishTx(r, o); err != nil {
			return o, err
		}
	}
	o.Swept, err = s.hist.Sweep(s.fate)
	return o, unwritable(err)
}

// reopen gets over a log of which nobody could say what it has: it is read again.
func (s *Store) reopen() error {
	if _, undecided := errors.AsType[*audit.Undecided](s.log.Err()); !undecided {
		return nil
	}
	return s.log.Reopen()
}

// fate says what became of a transaction.
func (s *Store) fate(tx string) (history.Fate, error) {
	known, err := s.committed(tx)
	if err != nil || !known {
		return history.Unknown, err
	}
	if r, err := s.log.Pending(); err != nil || r != nil && r.Tx == tx {
		return history.Unended, unwritable(err)
	}
	return history.Ended, nil
}

// committed reports whether the log has the transaction: then the slots that it left are meant to be there.
func (s *Store) committed(tx string) (bool, error) {
	for r, err := range s.log.Backward() {
		if err != nil {
			return false, unwritable(err)
		}
		if r.Tx == tx {
			return true, nil
		}
		if r.Tx != "" && r.Tx[:min(len(r.Tx), 8)] < tx[:min(len(tx), 8)] {
			return false, nil // a day older than the transaction
		}
	}
	return false, nil
}

// rounds is how often recovery looks again because somebody saved files under its hands.
const rounds = 5

func (s *Store) finishTx(r *audit.Record, o *Outcome) error {
	// What is read here may be in memory only, after kill -9: it must be on disk before anything is built on it.
	if !s.opts.NoSync {
		if err := s.log.Sync(); err != nil {
			return indeterminate(err)
		}
	}
	o.Tx = r.Tx
	for _, op := range r.Ops {
		o.Files = append(o.Files, op.Path)
	}
	var err error
	finish := true
	for range rounds {
		var end End
		if end, err = s.round(r, o, finish); err == nil {
			o.End = end
			return nil
		}
		if undecided(err) {
			return err
		}
		// What cannot be finished is taken back, where that can still be done; somebody's save is looked at again.
		finish = errors.Is(err, fail.Stale)
	}
	return indeterminate(errors.Join(err, fmt.Errorf("recovery of %s did not come to an end", r.Tx)))
}

// undecided reports whether err says that nobody can tell how it ended: there is no use in another round.
func undecided(err error) bool {
	e, ok := errors.AsType[*fail.Error](err)
	return ok && e.Reason == fail.Indeterminate
}

// round looks at every step once and does what is to do.
func (s *Store) round(r *audit.Record, o *Outcome, finish bool) (end End, err error) {
	t := s.resume(r)
	defer t.close()
	rv := &recovery{transaction: t}
	_, over, err := exists(s.hist.Slots(), history.Back(t.id))
	if err != nil {
		return "", unwritable(err)
	}
	if over {
		return TakenBack, rv.closed()
	}
	if err := rv.look(); err != nil {
		return "", err
	}
	rv.ordered()
	rv.needed()
	rv.bare()
	if err := rv.past(); err != nil {
		return "", unwritable(err)
	}
	// What was answered is all done, and stays so whatever goes wrong from here on.
	switch {
	case rv.count(todo) == 0 && rv.count(blocked) == 0:
		end, err = Complete, rv.conclude("it had been applied")
	case rv.back(finish):
		end, err = TakenBack, rv.revert()
	default:
		end, err = Finished, rv.redo()
	}
	o.Notes = append(rv.notes, t.conflicts...)
	return end, err
}

// resume is the transaction as the log has it.
func (s *Store) resume(r *audit.Record) *transaction {
	t := &transaction{s: s, tx: Tx{Record: *r}, id: r.Tx, dirs: newDirs(s.tree), logged: true, back: true, kept: map[int]bool{}}
	t.dirs.most = max(8, s.files/4)
	for _, a := range r.Acts {
		t.acts = append(t.acts, &act{Act: a})
	}
	return t
}

// recovery is a transaction after a crash, and where each of its steps stands.
type recovery struct {
	*transaction
	at    []state
	notes []string
}

// state is where a step stands.
type state uint8

const (
	did     state = iota // it has been done; whatever its paths have now came later
	todo                 // it has not, and can be
	blocked              // it has not, and somebody else's file is in its place
	gone                 // nothing is left of it to be done: somebody has removed or replaced what it was about
)

func (rv *recovery) count(s state) int {
	n := 0
	for _, at := range rv.at {
		if at == s {
			n++
		}
	}
	return n
}

// ordered lets what was done later decide about a move whose file somebody has touched: steps are done in order, so it
// had been done too, and they have moved the file back since.
func (rv *recovery) ordered() {
	sure := false
	for i, a := range slices.Backward(rv.acts) {
		if a.Do == audit.DoMove && rv.at[i] == blocked && sure {
			rv.at[i] = gone
		}
		sure = sure || a.sure
	}
}

// needed leaves out the directories that nothing is to be put into: somebody has removed them.
func (rv *recovery) needed() {
	for i, a := range rv.acts {
		if a.Do != audit.DoMkdir || rv.at[i] != todo {
			continue
		}
		below := func(p string) bool { return strings.HasPrefix(p, a.Path+"/") }
		rv.at[i] = gone
		for k, b := range rv.acts {
			if rv.at[k] == todo && !b.onDirectory() && (b.Do == audit.DoMove && below(b.To) || b.Do != audit.DoMove && below(b.Path)) {
				rv.at[i] = todo
			}
		}
	}
}

// bare leaves out the directories that are not to become empty: somebody has put something into them.
func (rv *recovery) bare() {
	for i, a := range rv.acts {
		if a.Do != audit.DoRmdir || rv.at[i] != todo || a.empty {
			continue
		}
		rv.at[i] = gone
		for k, b := range rv.acts {
			if rv.at[k] == todo && b.Do != audit.DoMkdir && strings.HasPrefix(b.Path, a.Path+"/") {
				rv.at[i] = todo
			}
		}
	}
}

// past notices that the transaction had come to its last part, when names are taken out of the history: whatever is not
// as it left it has been changed since, and there is nothing to do.
func (rv *recovery) past() error {
	for i, a := range rv.acts {
		cleared, err := rv.cleared(a, rv.at[i])
		if err != nil {
			return err
		}
		if !cleared {
			continue
		}
		for k := range rv.at {
			if rv.at[k] != did {
				rv.at[k] = gone
			}
		}
		return nil
	}
	return nil
}

// cleared reports whether the history has none of the names any more that the step takes out of it.
func (rv *recovery) cleared(a *act, at state) (bool, error) {
	if a.From != "" && (at == did || at == gone) {
		if none, err := rv.none(a.From); none || err != nil {
			return none, err
		}
	}
	if !a.Gone {
		return false, nil
	}
	return rv.none(history.Slot(rv.id, a.Slot))
}

// none reports whether a slot has no name any more.
func (rv *recovery) none(slot string) (bool, error) {
	for _, name := range history.Names(slot) {
		if _, there, err := exists(rv.s.hist.Slots(), name); there || err != nil {
			return false, err
		}
	}
	return true, nil
}

// back reports whether the transaction is to be taken back: it cannot be finished whole, and all that was done of it
// can still be undone.
func (rv *recovery) back(finish bool) bool {
	if finish && rv.count(blocked) == 0 {
		return false
	}
	for i, a := range rv.acts {
		if rv.at[i] == did && !a.onDirectory() && !a.done {
			return false // done, and somebody has worked on it since
		}
	}
	return true
}

// What an abort says that a later process wrote.
const (
	hadBeen  = "it had been taken back"
	wasTaken = "interrupted, and taken back"
)

// Interrupted reports whether an abort was written by a later process than the one that made the transaction.
func Interrupted(end *audit.Record) bool {
	return strings.HasPrefix(end.Message, hadBeen) || strings.HasPrefix(end.Message, wasTaken)
}

// closed ends a transaction that had been taken back: no file is touched.
func (rv *recovery) closed() error {
	rv.drop()
	r := &audit.Record{Kind: audit.Abort, Tx: rv.id, Message: rv.said(hadBeen)}
	if err := rv.s.log.Append(r, !rv.s.opts.NoSync); err != nil {
		return indeterminate(err)
	}
	rv.s.hist.Slots().Remove(history.Back(rv.id))
	return nil
}

// revert takes back what was done.
func (rv *recovery) revert() error {
	for i, a := range rv.acts {
		a.made = a.onDirectory() && rv.at[i] == did
		a.done = a.done || a.made
		if rv.at[i] == blocked {
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

// redo does what is missing.
func (rv *recovery) redo() error {
	for i, a := range rv.acts {
		switch rv.at[i] {
		case todo:
			if err := rv.do(a); err != nil {
				return err
			}
		case blocked:
			rv.notes = append(rv.notes, a.Path+": somebody changed it since, and theirs stays."+rv.instead(a))
		}
	}
	return rv.conclude("it was finished")
}

// instead says where the content is that did not get its place.
func (rv *recovery) instead(a *act) string {
	if !a.Places() {
		return ""
	}
	if a.From != "" {
		return " What was to come back is kept as " + a.From + ", as before."
	}
	return " What the patch makes of it is kept as " + history.Slot(rv.id, a.Slot) + "."
}

// conclude makes the end durable, and says so in the log.
func (rv *recovery) conclude(how string) error {
	if err := rv.syncDirs(); err != nil {
		return indeterminate(err)
	}
	if err := rv.tidy(); err != nil {
		return indeterminate(err)
	}
	r := &audit.Record{Kind: audit.Recovered, Tx: rv.id, OK: true, Message: rv.said(how)}
	if err := rv.s.log.Append(r, !rv.s.opts.NoSync); err != nil {
		return indeterminate(err)
	}
	rv.unlink()
	return nil
}
