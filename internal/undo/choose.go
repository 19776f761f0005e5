package undo

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/report"
)

// chooser finds the changes that a request asks to undo, and tells what happened to their paths and contents since.
type chooser struct {
	log    *audit.Log
	inside func(path string) bool // reports whether a path of the log is inside the workspace
	// session is the caller's, if it has one: without a name, only what this session did is taken back.
	session string

	byPath *notes // of the changes to the paths of the chosen ones; read only as far as somebody asks
	bySum  *notes // of the changes that displaced the same contents
	oldest uint64 // nothing is looked for before the record with this number

	parts map[string][]logbook.UndonePart // of the chosen ones: what was taken back by pieces
}

func newChooser(s *commit.Store, inside func(path string) bool) *chooser {
	return &chooser{log: s.Log(), inside: inside, parts: map[string][]logbook.UndonePart{}}
}

// stop ends the reading.
func (c *chooser) stop() {
	for _, n := range []*notes{c.byPath, c.bySum} {
		if n != nil {
			n.stop()
		}
	}
}

// err returns why the log could not be read as far as was asked.
func (c *chooser) err() error { return cmp.Or(c.byPath.err, c.bySum.err) }

// notes reads the log from the newest record back, as far as it has to, and notes the changes that it passes.
type notes struct {
	*logbook.Outcomes
	nextRecord func() (*audit.Record, error, bool)
	stop       func()
	keys       audit.Keys // of the records to read; nil for all
	tx         string     // the transaction of the line that was read last

	kept    kept.BySum                 // the newest first
	touched map[string][]*audit.Record // the changes to a path, the newest first
	seq     map[string]uint64          // the sequence number of each change
	at      uint64                     // the sequence number of the last record that was passed; 0 at the end
	err     error
}

// read begins at the end of the log. It decodes only records whose line is wanted, and those that say how a transaction
// ended or what was undone. It reads no record without one of the keys where an index tells.
func (c *chooser) read(keys audit.Keys, wanted func(line []byte) bool) *notes {
	n := &notes{Outcomes: logbook.NewOutcomes(), keys: keys, seq: map[string]uint64{}, kept: kept.BySum{}, touched: map[string][]*audit.Record{}, at: math.MaxUint64}
	q := logbook.WithKeys(n.Outcomes, keys, wanted)
	need := q.Need
	q.Need = func(k audit.Kind, line []byte) audit.Detail {
		n.tx = audit.TxOf(line)
		return need(k, line)
	}
	n.nextRecord, n.stop = iter.Pull2(n.Walk(c.log, q))
	return n
}

// next returns and notes the next older change that took place and was decoded; nil at the beginning of the log. Its
// outcome is known then: a record that aborts or undoes a change is newer than the change.
func (n *notes) next() (*audit.Record, error) {
	for {
		r, err, ok := n.nextRecord()
		if err != nil {
			n.err = damagedLog(err)
		}
		if !ok || err != nil {
			n.at = 0
			return nil, n.err
		}
		if n.at = r.Seq; !logbook.IsTransaction(r) || n.Failed(r) != nil {
			continue
		}
		if r.Tx != "" {
			n.note(r)
			return r, nil
		}
		n.seq[n.tx] = r.Seq
	}
}

// note notes which paths r changed, which files it displaced, and what it undid.
func (n *notes) note(r *audit.Record) {
	n.seq[r.Tx] = r.Seq
	if n.keys != nil {
		for _, tx := range r.TakesBack() {
			n.keys.Add(audit.ByTx, tx) // so that seq tells where it is
		}
	}
	for i := range r.Acts {
		a := &r.Acts[i]
		n.kept.Add(r.Tx, a)
		n.touched[a.Path] = append(n.touched[a.Path], r)
		if a.To != "" {
			n.touched[a.To] = append(n.touched[a.To], r)
		}
	}
}

// isAfter reports whether a transaction is newer than number seq. It reads on until that is clear.
func (n *notes) isAfter(tx string, seq uint64) bool {
	for n.seq[tx] == 0 && n.at > seq {
		n.next() //nolint:errcheck // n.err keeps it
	}
	return n.seq[tx] > seq
}

// follow gets ready to tell what concerns the paths and the contents of the chosen changes.
func (c *chooser) follow(chosen []*audit.Record) {
	paths, sums := logbook.PathSet{}, logbook.SumSet{}
	for _, r := range chosen {
		for i := range r.Acts {
			paths.AddAct(&r.Acts[i])
			sums.AddAct(&r.Acts[i])
		}
	}
	pathKeys, sumKeys := audit.Keys{}, audit.Keys{}
	for p := range paths {
		pathKeys.AddQuoted(audit.ByPath, p)
	}
	for s := range sums {
		sumKeys.Add(audit.BySum, s)
	}
	c.byPath = c.read(pathKeys, func(line []byte) bool { return paths.InLine(line) || paths.MovedTo(line) })
	c.bySum = c.read(sumKeys, sums.InLine)
}

// keptWith returns the slots into which files with a content were displaced, the newest first.
func (c *chooser) keptWith(sum string) []string {
	for c.bySum.at > c.oldest {
		c.bySum.next() //nolint:errcheck // bySum.err keeps it
	}
	return c.bySum.kept[sum]
}

// damagedLog refuses to undo by a log that does not verify.
func damagedLog(err error) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err, Msg: "the log is damaged: " + err.Error(),
		Hint: "‹Run verify›: it says what is wrong with it."}
}

// noteParts notes which pieces of the chosen changes were taken back, as far as n knows, which chose them.
func (c *chooser) noteParts(n *notes, chosen []*audit.Record) {
	for _, r := range chosen {
		c.parts[r.Tx] = n.UndoneParts(r.Tx)
	}
}

// choose returns the changes to undo, the newest first.
func (c *chooser) choose(r api.UndoRequest, since point) (chosen []*audit.Record, err error) {
	keys := audit.Keys{}
	switch {
	case r.To != "" || r.Turn != "":
		chosen, err = c.chooseSince(r, since)
	case r.SessionID != "":
		by := audit.EncodeField("session", r.SessionID)
		keys.Add(audit.BySession, r.SessionID)
		n := c.read(keys, func(line []byte) bool { return bytes.Contains(line, by) })
		defer n.stop()
		chosen, err = n.changesOf(0, func(rec *audit.Record) bool { return rec.Actor.Session == r.SessionID },
			fmt.Sprintf("the session %s has no change to undo", fail.Quote(r.SessionID)))
		c.noteParts(n, chosen)
	case r.Entry != "":
		keys.Add(audit.ByTx, r.Entry)
		n := c.read(keys, func(line []byte) bool { return audit.TxOf(line) == r.Entry })
		defer n.stop()
		if chosen, err = n.changeOfEntry(r.Entry); err == nil {
			c.oldest = chosen[0].Seq
			c.noteParts(n, chosen)
		}
	default:
		n := c.read(nil, func([]byte) bool { return true })
		c.byPath, c.bySum = n, n
		if chosen, err = c.lastChange(n); err == nil {
			c.oldest = chosen[0].Seq
			c.noteParts(n, chosen)
		}
		return chosen, err
	}
	if err == nil {
		c.follow(chosen)
	}
	return chosen, err
}

// lastChange chooses the newest change in effect that is not an undo and touched a path of the workspace; of a caller with a session,
// the newest of that session. A change that nobody is known to have made may be a person's: it is only undone by its name.
func (c *chooser) lastChange(n *notes) ([]*audit.Record, error) {
	var lost *audit.Record  // a newer change of which nothing is kept
	var other *audit.Record // the newest change of another session
	for {
		r, err := n.next()
		if err != nil {
			return nil, err
		}
		switch {
		case r == nil && lost != nil:
			return nil, deletedForGood(lost, "It cannot be undone, and there is no older change.")
		case r == nil && other != nil:
			return nil, &fail.Error{Kind: fail.NotFound, Msg: "this session has no change to undo",
				Hint: "The last change is " + describe(other) + ": to undo it, name its entry."}
		case r == nil:
			return nil, nothingToUndo("there is no change to undo")
		case r.Kind != audit.Commit || r.Nobodys() || n.UndoneBy(r.Tx) != "" || !c.touchesInside(r):
		case c.session != "" && r.Actor.Session != c.session:
			if other == nil {
				other = r
			}
		case lost != nil:
			return nil, deletedForGood(lost, "It cannot be undone. To undo the change before it, name its entry: "+r.Tx+".")
		case !slices.ContainsFunc(r.Acts, func(a audit.Act) bool { return !a.Gone }):
			lost = r
		default:
			return []*audit.Record{r}, nil
		}
	}
}

// touchesInside reports whether a change touched a path of the workspace. What emend saw and cannot take back has no step.
func (c *chooser) touchesInside(r *audit.Record) bool {
	return slices.ContainsFunc(r.Acts, func(a audit.Act) bool { return c.inside(a.Path) || c.inside(a.To) }) ||
		r.Seen != nil && slices.ContainsFunc(r.Ops, func(o audit.Op) bool { return c.inside(o.Path) || c.inside(o.ToPath) })
}

// deletedForGood refuses to undo a change of which nothing is kept.
func deletedForGood(r *audit.Record, hint string) error {
	if r.Seen != nil {
		return &fail.Error{Kind: fail.NotFound, Path: r.Ops[0].Path, Msg: "emend saw the last change and kept nothing of what was there before", Hint: hint}
	}
	return &fail.Error{Kind: fail.NotFound, Path: r.Acts[0].Path, Msg: "the last change deleted it permanently", Hint: hint}
}

// changeOfEntry chooses the change that an entry of the log names.
func (n *notes) changeOfEntry(name string) ([]*audit.Record, error) {
	if strings.HasPrefix(name, "#") {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg: fmt.Sprintf("entry %s was refused and changed nothing", fail.Quote(name)), Hint: "Name an entry that changed something: ‹history› lists them."}
	}
	for {
		r, err := n.next()
		if err != nil {
			return nil, err
		}
		if r == nil {
			return nil, nothingToUndo(fmt.Sprintf("no change has the entry %s", fail.Quote(name)))
		}
		if r.Tx != name {
			continue
		}
		if by := n.UndoneBy(r.Tx); by != "" {
			return nil, takenAlready("entry "+name, by, n.UndoneParts(name)...)
		}
		return []*audit.Record{r}, nil
	}
}

// takenAlready refuses to take something back that an undo took back, or that several took back by pieces.
func takenAlready(what, by string, parts ...logbook.UndonePart) *fail.Error {
	all := []string{by}
	for _, p := range parts {
		if !slices.Contains(all, p.By) {
			all = append(all, p.By)
		}
	}
	by = strings.Join(all, ", ")
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s was already undone by %s", what, by),
		Hint: "To redo it, undo " + by + "."}
}

// changesOf chooses the changes in effect, since number from, that fit. A change that one of them undid, and that undo, cancel each
// other out: neither is chosen. If there is none, none describes them for the refusal.
func (n *notes) changesOf(from uint64, fits func(*audit.Record) bool, none string) ([]*audit.Record, error) {
	var mine []*audit.Record
	isMine := map[string]bool{}
	for n.at > from {
		r, err := n.next()
		if err != nil {
			return nil, err
		}
		if r == nil || r.Seq < from {
			break
		}
		if fits(r) {
			mine = append(mine, r)
			isMine[r.Tx] = true
		}
	}
	internal := map[string]bool{} // the undos in effect that undid only changes that fit, or pieces of them
	for _, r := range mine {
		all := r.TakesBack()
		if r.Kind == audit.Undo && n.UndoneBy(r.Tx) == "" && len(all) > 0 && !slices.ContainsFunc(all, func(tx string) bool { return !isMine[tx] }) {
			internal[r.Tx] = true
		}
	}
	out := slices.DeleteFunc(slices.Clone(mine), func(r *audit.Record) bool {
		by := n.UndoneBy(r.Tx)
		return internal[r.Tx] || len(r.Acts) == 0 || by != "" && (internal[by] || !isMine[by])
	})
	if len(out) == 0 {
		return nil, nothingToUndo(none)
	}
	return out, nil
}

// chooseSince chooses what was done since a mark or a time, or in a turn; by the session, if the request names one. What nobody is
// known to have made may be a person's, and stays.
func (c *chooser) chooseSince(r api.UndoRequest, since point) ([]*audit.Record, error) {
	turn, of := r.Turn, r.SessionID
	bySession := func(rec *audit.Record) bool { return of == "" || rec.Actor.Session == of }
	keys := audit.Keys(nil)
	wanted := func([]byte) bool { return true }
	if of != "" {
		keys = audit.Keys{}
		keys.Add(audit.BySession, of)
		by := audit.EncodeField("session", of)
		wanted = func(line []byte) bool { return bytes.Contains(line, by) }
	}
	n := c.read(keys, wanted)
	defer n.stop()
	none := "nothing was done since then"
	if r.To == "" {
		none = fmt.Sprintf("the turn %s has no change to undo", fail.Quote(turn))
	}
	chosen, err := n.changesOf(since.seq, func(rec *audit.Record) bool {
		switch {
		case rec.Nobodys() || !bySession(rec) || rec.TS.Before(since.at):
			return false
		case r.To != "":
			return true
		case turn == api.LastTurn && rec.Actor.Turn != "":
			turn = rec.Actor.Turn
			if of == "" {
				of = rec.Actor.Session
			}
		}
		return rec.Actor.Turn == turn && turn != api.LastTurn
	}, none)
	c.noteParts(n, chosen)
	return chosen, err
}

// changesSince iterates over the changes to a path after r that are in effect, the newest first. A change after r that was
// undone does not count, and neither does its undo.
func (c *chooser) changesSince(r *audit.Record, path string) iter.Seq[*audit.Record] {
	n := c.byPath
	return func(yield func(*audit.Record) bool) {
		for i := 0; ; i++ {
			for i == len(n.touched[path]) {
				if n.at <= r.Seq {
					return
				}
				n.next() //nolint:errcheck // n.err keeps it
			}
			later := n.touched[path][i]
			if later.Seq <= r.Seq {
				return
			}
			cancels := n.Cancels(later, func(tx string) bool { return n.isAfter(tx, r.Seq) })
			if n.UndoneBy(later.Tx) == "" && !cancels && !yield(later) {
				return
			}
		}
	}
}

// describe names a change, and who made it, for a message.
func describe(r *audit.Record) string {
	out := "entry " + r.Tx
	var by []string
	for _, s := range []string{r.Actor.Agent, r.Actor.Tool} {
		if s != "" {
			by = append(by, report.Escape(s))
		}
	}
	if r.Actor.Session != "" {
		by = append(by, "session "+report.Escape(r.Actor.Session))
	}
	if len(by) > 0 {
		out += " (" + strings.Join(by, ", ") + ")"
	}
	return out
}

func nothingToUndo(why string) error {
	return &fail.Error{Kind: fail.NotFound, Msg: why, Hint: "‹history› lists the changes and their entries."}
}
