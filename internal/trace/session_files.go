package trace

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/logbook"
)

// doings are the files that a session touched, while the log is followed from its first call on.
type doings struct {
	j       *logbook.Journal
	session string
	all     []*doing
	at      map[string]*doing   // by the path that a file has by then
	kept    map[string][]string // slots, by the sha256 of what was displaced into them
	read    string              // the entry whose diffs were read last
	diffs   []string
}

// doing is one of them.
type doing struct {
	api.SessionFile
	first, left   string // the paths at which the session found and left it
	before, after string // what it found and left
	path, sum     string // by then
	touched       []touch
	since         doingSince
}

// touch is one change to it, by whomever.
type touch struct {
	tx string
	n  int // its number in the change
	op audit.Op
}

// doingSince is what happened to a file after the session touched it last. It counts if the session touches it again.
type doingSince struct {
	touched []touch
	others  []string
	outside bool
}

func (d *doings) record(r *audit.Record) {
	met := false
	for i, raw := range r.Ops {
		if op, ok := d.j.Local(raw); ok && d.change(r, i, op) {
			met = true
		}
	}
	if !met {
		return
	}
	for i := range r.Acts {
		a := &r.Acts[i]
		if a.Old == nil || a.Gone || !a.Displaces() {
			continue
		}
		if path, ok := d.j.Below(a.Path); ok && d.j.Guard.CheckRead(path) == nil {
			d.kept[a.Old.Sum] = append(d.kept[a.Old.Sum], history.Slot(r.Tx, a.Slot))
		}
	}
}

// change is one change to any file; it reports whether the file is one of the session's.
func (d *doings) change(r *audit.Record, i int, op audit.Op) bool {
	mine := r.Actor.Session == d.session
	from, to := d.at[op.Path], d.at[op.ToPath]
	if from == nil && mine {
		from = d.begin(op.Path, op.Before)
	}
	if to == nil && mine && op.ToPath != "" {
		if old := d.overwritten(r, op.ToPath); old != "" {
			to = d.begin(op.ToPath, old)
		}
	}
	if from == nil && to == nil {
		return false
	}
	t := touch{r.Tx, i, op}
	if to != nil {
		after := ""
		if from == nil {
			after = op.After // to the session's eyes, that file was changed
		}
		to.touch(t, mine, to.sum, after, op.ToPath)
	}
	if from == nil {
		return true
	}
	after, path := op.After, op.Path
	if op.ToPath != "" {
		path = op.ToPath
		delete(d.at, op.Path)
		d.at[path] = from
	} else if removes(op) {
		after = ""
	}
	from.touch(t, mine, op.Before, after, path)
	return true
}

func (d *doings) begin(path, before string) *doing {
	f := &doing{first: path, left: path, path: path, before: before, after: before, sum: before}
	d.all = append(d.all, f)
	d.at[path] = f
	return f
}

// overwritten is the sha256 of what a move took the place of.
func (d *doings) overwritten(r *audit.Record, path string) string {
	for _, a := range r.Acts {
		if p, ok := d.j.Below(a.Path); ok && p == path && a.Do == audit.DoSwap && a.Old != nil {
			return a.Old.Sum
		}
	}
	return ""
}

// touch is a change that found before and left after.
func (f *doing) touch(t touch, mine bool, before, after, path string) {
	f.since.outside = f.since.outside || before != f.sum
	f.since.touched = append(f.since.touched, t)
	if f.sum, f.path = after, path; !mine {
		f.since.others = append(f.since.others, t.tx)
		return
	}
	f.after, f.left = after, path
	f.touched = append(f.touched, f.since.touched...)
	f.Outside = f.Outside || f.since.outside
	f.Others = append(f.Others, f.since.others...)
	f.since = doingSince{}
	if n := len(f.Entries); n == 0 || f.Entries[n-1] != t.tx {
		f.Entries = append(f.Entries, t.tx)
	}
}
