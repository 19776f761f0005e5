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

// trail is what the log says of changes, read from its end as far as it is needed.
type trail struct {
	log  *audit.Log
	next func() (*audit.Record, error, bool)
	stop func()
	tx   string // the transaction of the line that was met last

	*logbook.Outcomes
	kept    kept.BySum                 // the newest first
	touched map[string][]*audit.Record // the changes to a path, the newest first
	seq     map[string]uint64          // the number of each change
	root    func(path string) bool     // whether a path of the log is inside the workspace
}

func newTrail(s *commit.Store, inside func(path string) bool) *trail {
	l := &trail{log: s.Log(), root: inside, stop: func() {}}
	l.begin(func([]byte) bool { return true })
	return l
}

// begin goes to the end of the log. Only records whose line is wanted are taken in, and those that say what came of others;
// that the others are whole, and in their place, is checked all the same.
func (l *trail) begin(wanted func(line []byte) bool) {
	l.stop()
	l.Outcomes, l.seq, l.kept, l.touched = logbook.NewOutcomes(), map[string]uint64{}, kept.BySum{}, map[string][]*audit.Record{}
	much := logbook.WithOutcomes(l.Outcomes, wanted).Need
	l.next, l.stop = iter.Pull2(l.log.Query(audit.Query{Need: func(k audit.Kind, line []byte) audit.Detail {
		l.tx = logbook.TxOf(line)
		return much(k, line)
	}}))
}

// read goes back to the next older change that happened and was taken in; nil at the beginning of the log. What is read of a
// change is known by the time that it is returned: whatever took it back is newer.
func (l *trail) read() (*audit.Record, error) {
	for {
		r, err, ok := l.next()
		if !ok {
			return nil, nil
		}
		if err != nil {
			return nil, damaged(err)
		}
		l.Add(r)
		switch happened := logbook.IsTransaction(r) && l.Failed(r) == nil; {
		case happened && r.Tx == "":
			l.seq[l.tx] = r.Seq
		case happened:
			l.enter(r)
			l.Forget(r)
			return r, nil
		}
		l.Forget(r)
	}
}

// survey reads the log again, from its end back to a number: now that it is known which paths and which contents count, most
// of it need not be taken in.
func (l *trail) survey(chosen []*audit.Record, from uint64) error {
	paths, sums := logbook.PathSet{}, logbook.SumSet{}
	for _, r := range chosen {
		for i := range r.Acts {
			paths.AddAct(&r.Acts[i])
			sums.AddAct(&r.Acts[i])
		}
	}
	l.begin(func(line []byte) bool { return paths.InLine(line) || paths.MovedTo(line) || sums.InLine(line) })
	for {
		r, err := l.read()
		if r == nil || r.Seq <= from {
			return err
		}
	}
}

func damaged(err error) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err, Msg: "the log is damaged: " + err.Error(),
		Hint: "Run emend verify: it says what is wrong with it."}
}

func (l *trail) enter(r *audit.Record) {
	l.seq[r.Tx] = r.Seq
	for i := range r.Acts {
		a := &r.Acts[i]
		l.kept.Add(r.Tx, a)
		l.touched[a.Path] = append(l.touched[a.Path], r)
		if a.To != "" {
			l.touched[a.To] = append(l.touched[a.To], r)
		}
	}
}

// choose returns the changes that are to be taken back, the newest first.
func (l *trail) choose(r api.UndoRequest) ([]*audit.Record, error) {
	switch {
	case r.SessionID != "":
		by := audit.EncodeField("session", r.SessionID)
		l.begin(func(line []byte) bool { return bytes.Contains(line, by) })
		chosen, err := l.session(r.SessionID)
		if err == nil {
			err = l.survey(chosen, 0)
		}
		return chosen, err
	case r.Entry != "":
		l.begin(func(line []byte) bool { return logbook.TxOf(line) == r.Entry })
		chosen, err := l.entry(r.Entry)
		if err == nil {
			err = l.survey(chosen, chosen[0].Seq)
		}
		return chosen, err
	}
	return l.last()
}

// last chooses the newest change in effect that is no undo and touched something in the workspace.
func (l *trail) last() ([]*audit.Record, error) {
	var lost *audit.Record
	for {
		r, err := l.read()
		if err != nil {
			return nil, err
		}
		switch {
		case r == nil && lost != nil:
			return nil, gone(lost, "It cannot be taken back, and there is no older change.")
		case r == nil:
			return nil, nothingToUndo("there is no change that could be taken back")
		case r.Kind != audit.Commit || l.Undone[r.Tx] != "" || !slices.ContainsFunc(r.Acts, func(a audit.Act) bool { return l.root(a.Path) || l.root(a.To) }):
		case lost != nil:
			return nil, gone(lost, "It cannot be taken back; to take back the change before it: emend undo "+r.Tx+".")
		case !slices.ContainsFunc(r.Acts, func(a audit.Act) bool { return !a.Gone }):
			lost = r
		default:
			return []*audit.Record{r}, nil
		}
	}
}

// gone refuses to take back a change of which nothing is kept.
func gone(r *audit.Record, hint string) error {
	return &fail.Error{Kind: fail.NotFound, Path: r.Acts[0].Path, Msg: "the last change deleted it for good", Hint: hint}
}

func (l *trail) entry(name string) ([]*audit.Record, error) {
	if strings.HasPrefix(name, "#") {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg: fmt.Sprintf("entry %s was refused and changed nothing", fail.Quote(name)), Hint: "Name an entry that changed something: emend log (the history tool) lists them."}
	}
	for {
		r, err := l.read()
		if err != nil {
			return nil, err
		}
		if r == nil {
			return nil, nothingToUndo(fmt.Sprintf("no change has the entry %s", fail.Quote(name)))
		}
		if r.Tx != name {
			continue
		}
		if by := l.Undone[r.Tx]; by != "" {
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("entry %s was taken back already, by %s", name, by),
				Hint: "To have it again, undo " + by + "."}
		}
		return []*audit.Record{r}, nil
	}
}

// session chooses all that a session did and that is in effect. What it took back of its own counts as not done.
func (l *trail) session(id string) ([]*audit.Record, error) {
	var mine []*audit.Record
	of := map[string]bool{}
	for {
		r, err := l.read()
		if err != nil {
			return nil, err
		}
		if r == nil {
			break
		}
		if r.Actor.Session == id {
			mine = append(mine, r)
			of[r.Tx] = true
		}
	}
	internal := map[string]bool{}
	for _, r := range mine {
		own := func(tx string) bool { return of[tx] }
		if r.Kind == audit.Undo && l.Undone[r.Tx] == "" && len(r.Undoes) > 0 && !slices.ContainsFunc(r.Undoes, func(tx string) bool { return !own(tx) }) {
			internal[r.Tx] = true
		}
	}
	out := slices.DeleteFunc(slices.Clone(mine), func(r *audit.Record) bool {
		by := l.Undone[r.Tx]
		return internal[r.Tx] || len(r.Acts) == 0 || by != "" && (internal[by] || !of[by])
	})
	if len(out) == 0 {
		return nil, nothingToUndo(fmt.Sprintf("the session %s has no change that could be taken back", fail.Quote(id)))
	}
	return out, nil
}

// since lists the changes to a path after r that are in effect, the newest first. A change after r that was taken back
// since is none, and neither is what took it back.
func (l *trail) since(r *audit.Record, path string) []*audit.Record {
	after := func(tx string) bool { return l.seq[tx] > r.Seq }
	return slices.DeleteFunc(slices.Clone(l.touched[path]), func(later *audit.Record) bool {
		cancels := len(later.Undoes) > 0 && !slices.ContainsFunc(later.Undoes, func(tx string) bool { return !after(tx) })
		return later.Seq <= r.Seq || l.Undone[later.Tx] != "" || cancels
	})
}

// who describes a change for people.
func who(r *audit.Record) string {
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
