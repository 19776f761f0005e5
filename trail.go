package emend

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/report"
)

// trail is what the log says of changes, read from its end as far as it is needed.
type trail struct {
	next func() (*audit.Record, error, bool)
	stop func()

	*scan                              // what came of each
	kept    map[string][]string        // the slots that contents were displaced into, by sha256, the newest first
	touched map[string][]*audit.Record // the changes to a path, the newest first
	changes []*audit.Record            // all changes that happened, the newest first
}

func newTrail(s *commit.Store) *trail {
	l := &trail{scan: newScan(), kept: map[string][]string{}, touched: map[string][]*audit.Record{}}
	l.next, l.stop = iter.Pull2(s.Log().Backward())
	return l
}

// read goes back to the next older change that happened; nil at the beginning of the log. What is read of a change is
// known by the time that it is returned: whatever took it back is newer.
func (l *trail) read() (*audit.Record, error) {
	for {
		r, err, ok := l.next()
		if !ok {
			return nil, nil
		}
		if err != nil {
			return nil, damaged(err)
		}
		l.see(r)
		if decides(r) && l.failed(r) == nil {
			l.enter(r)
			return r, nil
		}
	}
}

func damaged(err error) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err, Msg: "the log is damaged: " + err.Error(),
		Hint: "Run emend verify: it says what is wrong with it."}
}

func (l *trail) enter(r *audit.Record) {
	l.changes = append(l.changes, r)
	for _, a := range r.Acts {
		if a.Old != nil && (a.Do == "swap" || a.Do == "take") {
			l.kept[a.Old.Sum] = append(l.kept[a.Old.Sum], history.Slot(r.Tx, a.Slot))
		}
		l.touched[a.Path] = append(l.touched[a.Path], r)
		if a.To != "" {
			l.touched[a.To] = append(l.touched[a.To], r)
		}
	}
}

// choose returns the changes that are to be taken back, the newest first.
func (l *trail) choose(r UndoRequest) ([]*audit.Record, error) {
	switch {
	case r.SessionID != "":
		return l.session(r.SessionID)
	case r.Entry != "":
		return l.entry(r.Entry)
	}
	return l.last()
}

func (l *trail) last() ([]*audit.Record, error) {
	for {
		r, err := l.read()
		if err != nil {
			return nil, err
		}
		if r == nil {
			return nil, nothingToUndo("there is no change that could be taken back")
		}
		if r.Kind == audit.Commit && l.undone[r.Tx] == "" && len(r.Acts) > 0 {
			return []*audit.Record{r}, nil
		}
	}
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
		if by := l.undone[r.Tx]; by != "" {
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
		if r.Kind == audit.Undo && l.undone[r.Tx] == "" && len(r.Undoes) > 0 && !slices.ContainsFunc(r.Undoes, func(tx string) bool { return !own(tx) }) {
			internal[r.Tx] = true
		}
	}
	out := slices.DeleteFunc(slices.Clone(mine), func(r *audit.Record) bool {
		by := l.undone[r.Tx]
		return internal[r.Tx] || len(r.Acts) == 0 || by != "" && (internal[by] || !of[by])
	})
	if len(out) == 0 {
		return nil, nothingToUndo(fmt.Sprintf("the session %s has no change that could be taken back", fail.Quote(id)))
	}
	return out, nil
}

// since names the newest change to a path after r, for a refusal; nil when there was none through emend.
func (l *trail) since(r *audit.Record, path string) *audit.Record {
	for _, later := range l.touched[path] {
		if later.Seq > r.Seq && l.undone[later.Tx] == "" {
			return later
		}
	}
	return nil
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
