package undo

import (
	"bytes"
	"fmt"
	"iter"
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

// chooser finds the changes that a request asks to undo. It reads the log from the newest record back, as far as it has
// to, and indexes the changes that it passes.
type chooser struct {
	log        *audit.Log
	nextRecord func() (*audit.Record, error, bool)
	stop       func()
	tx         string                 // the transaction of the line that was read last
	inside     func(path string) bool // reports whether a path of the log is inside the workspace

	*logbook.Outcomes
	kept    kept.BySum                 // the newest first
	touched map[string][]*audit.Record // the changes to a path, the newest first
	seq     map[string]uint64          // the sequence number of each change
}

func newChooser(s *commit.Store, inside func(path string) bool) *chooser {
	c := &chooser{log: s.Log(), inside: inside, stop: func() {}}
	c.restart(func([]byte) bool { return true })
	return c
}

// restart goes to the end of the log and forgets what was indexed. It decodes only records whose line is wanted, and those
// that say how a transaction ended or what was undone. The hash and the place of every other record are still checked.
func (c *chooser) restart(wanted func(line []byte) bool) {
	c.stop()
	c.Outcomes, c.seq, c.kept, c.touched = logbook.NewOutcomes(), map[string]uint64{}, kept.BySum{}, map[string][]*audit.Record{}
	need := logbook.WithOutcomes(c.Outcomes, wanted).Need
	c.nextRecord, c.stop = iter.Pull2(c.log.Query(audit.Query{Need: func(k audit.Kind, line []byte) audit.Detail {
		c.tx = logbook.TxOf(line)
		return need(k, line)
	}}))
}

// next returns and indexes the next older change that took place and was decoded; nil at the beginning of the log. Its
// outcome is known then: a record that aborts or undoes a change is newer than the change.
func (c *chooser) next() (*audit.Record, error) {
	for {
		r, err, ok := c.nextRecord()
		if !ok {
			return nil, nil
		}
		if err != nil {
			return nil, damagedLog(err)
		}
		c.Add(r)
		switch happened := logbook.IsTransaction(r) && c.Failed(r) == nil; {
		case happened && r.Tx == "":
			c.seq[c.tx] = r.Seq
		case happened:
			c.index(r)
			c.Forget(r)
			return r, nil
		}
		c.Forget(r)
	}
}

// rereadFor indexes again, from the end of the log back to a sequence number. It decodes only what concerns the paths and
// the contents of the chosen changes.
func (c *chooser) rereadFor(chosen []*audit.Record, from uint64) error {
	paths, sums := logbook.PathSet{}, logbook.SumSet{}
	for _, r := range chosen {
		for i := range r.Acts {
			paths.AddAct(&r.Acts[i])
			sums.AddAct(&r.Acts[i])
		}
	}
	c.restart(func(line []byte) bool { return paths.InLine(line) || paths.MovedTo(line) || sums.InLine(line) })
	for {
		r, err := c.next()
		if r == nil || r.Seq <= from {
			return err
		}
	}
}

// damagedLog refuses to undo by a log that does not verify.
func damagedLog(err error) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err, Msg: "the log is damaged: " + err.Error(),
		Hint: "‹Run verify›: it says what is wrong with it."}
}

// index notes which paths r changed, and which files it displaced.
func (c *chooser) index(r *audit.Record) {
	c.seq[r.Tx] = r.Seq
	for i := range r.Acts {
		a := &r.Acts[i]
		c.kept.Add(r.Tx, a)
		c.touched[a.Path] = append(c.touched[a.Path], r)
		if a.To != "" {
			c.touched[a.To] = append(c.touched[a.To], r)
		}
	}
}

// choose returns the changes to undo, the newest first.
func (c *chooser) choose(r api.UndoRequest) ([]*audit.Record, error) {
	switch {
	case r.SessionID != "":
		by := audit.EncodeField("session", r.SessionID)
		c.restart(func(line []byte) bool { return bytes.Contains(line, by) })
		chosen, err := c.changesOfSession(r.SessionID)
		if err == nil {
			err = c.rereadFor(chosen, 0)
		}
		return chosen, err
	case r.Entry != "":
		c.restart(func(line []byte) bool { return logbook.TxOf(line) == r.Entry })
		chosen, err := c.changeOfEntry(r.Entry)
		if err == nil {
			err = c.rereadFor(chosen, chosen[0].Seq)
		}
		return chosen, err
	}
	return c.lastChange()
}

// lastChange chooses the newest change in effect that is not an undo and touched a path of the workspace.
func (c *chooser) lastChange() ([]*audit.Record, error) {
	var lost *audit.Record // a newer change of which nothing is kept
	for {
		r, err := c.next()
		if err != nil {
			return nil, err
		}
		switch {
		case r == nil && lost != nil:
			return nil, deletedForGood(lost, "It cannot be taken back, and there is no older change.")
		case r == nil:
			return nil, nothingToUndo("there is no change that could be taken back")
		case r.Kind != audit.Commit || c.Undone[r.Tx] != "" || !slices.ContainsFunc(r.Acts, func(a audit.Act) bool { return c.inside(a.Path) || c.inside(a.To) }):
		case lost != nil:
			return nil, deletedForGood(lost, "It cannot be taken back. To take back the change before it, name its entry: "+r.Tx+".")
		case !slices.ContainsFunc(r.Acts, func(a audit.Act) bool { return !a.Gone }):
			lost = r
		default:
			return []*audit.Record{r}, nil
		}
	}
}

// deletedForGood refuses to undo a change of which nothing is kept.
func deletedForGood(r *audit.Record, hint string) error {
	return &fail.Error{Kind: fail.NotFound, Path: r.Acts[0].Path, Msg: "the last change deleted it for good", Hint: hint}
}

// changeOfEntry chooses the change that an entry of the log names.
func (c *chooser) changeOfEntry(name string) ([]*audit.Record, error) {
	if strings.HasPrefix(name, "#") {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg: fmt.Sprintf("entry %s was refused and changed nothing", fail.Quote(name)), Hint: "Name an entry that changed something: ‹history› lists them."}
	}
	for {
		r, err := c.next()
		if err != nil {
			return nil, err
		}
		if r == nil {
			return nil, nothingToUndo(fmt.Sprintf("no change has the entry %s", fail.Quote(name)))
		}
		if r.Tx != name {
			continue
		}
		if by := c.Undone[r.Tx]; by != "" {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("entry %s was taken back already, by %s", name, by),
				Hint: "To have it again, undo " + by + "."}
		}
		return []*audit.Record{r}, nil
	}
}

// changesOfSession chooses the changes of a session that are in effect. A change that the session undid itself, and that
// undo, cancel each other out: neither is chosen.
func (c *chooser) changesOfSession(id string) ([]*audit.Record, error) {
	var mine []*audit.Record
	isMine := map[string]bool{}
	for {
		r, err := c.next()
		if err != nil {
			return nil, err
		}
		if r == nil {
			break
		}
		if r.Actor.Session == id {
			mine = append(mine, r)
			isMine[r.Tx] = true
		}
	}
	internal := map[string]bool{} // the undos in effect that undid only changes of the session
	for _, r := range mine {
		if r.Kind == audit.Undo && c.Undone[r.Tx] == "" && len(r.Undoes) > 0 && !slices.ContainsFunc(r.Undoes, func(tx string) bool { return !isMine[tx] }) {
			internal[r.Tx] = true
		}
	}
	out := slices.DeleteFunc(slices.Clone(mine), func(r *audit.Record) bool {
		by := c.Undone[r.Tx]
		return internal[r.Tx] || len(r.Acts) == 0 || by != "" && (internal[by] || !isMine[by])
	})
	if len(out) == 0 {
		return nil, nothingToUndo(fmt.Sprintf("the session %s has no change that could be taken back", fail.Quote(id)))
	}
	return out, nil
}

// changesSince lists the changes to a path after r that are in effect, the newest first. A change after r that was undone
// does not count, and neither does its undo.
func (c *chooser) changesSince(r *audit.Record, path string) []*audit.Record {
	after := func(tx string) bool { return c.seq[tx] > r.Seq }
	return slices.DeleteFunc(slices.Clone(c.touched[path]), func(later *audit.Record) bool {
		cancels := len(later.Undoes) > 0 && !slices.ContainsFunc(later.Undoes, func(tx string) bool { return !after(tx) })
		return later.Seq <= r.Seq || c.Undone[later.Tx] != "" || cancels
	})
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
