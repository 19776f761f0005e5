package trace

import (
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/patch"
)

// fates are the files of an entry while the log is followed from there on.
type fates struct {
	j     *logbook.Journal
	scan  *logbook.Scan
	mine  *audit.Record
	since *logbook.Happened
	all   []*fate            // by file of the entry
	at    map[string][]*fate // by the path that a file has by then
}

// fate is one of them: it has the path that it has by then, or had last.
type fate struct {
	api.Fate
	path    string
	left    string // the sha256 that the entry left; "" for nothing
	sum     string // that it has by then
	deleted bool   // nothing is there by then
	other   bool   // another file is there by then
	back    bool   // and came after a deletion
	hidden  bool
}

func newFates(j *logbook.Journal, s *logbook.Scan, r *audit.Record, since *logbook.Happened) *fates {
	out := &fates{j: j, scan: s, mine: r, since: since, at: map[string][]*fate{}}
	for _, raw := range r.Ops {
		op, ok := j.Local(raw)
		if !ok {
			continue
		}
		out.change(r, op)
		f := &fate{path: op.Path, left: op.After, sum: op.After, deleted: removes(op), hidden: j.Readable(op) != nil}
		if op.ToPath != "" {
			f.path = op.ToPath
		}
		f.Path = f.path
		out.all = append(out.all, f)
		out.at[f.path] = append(out.at[f.path], f)
	}
	for _, f := range out.all { // what a later change of the same entry made of it, it left
		f.left, f.other, f.back = f.sum, false, false
	}
	return out
}

func removes(op audit.Op) bool { return op.Operation == patch.Delete.String() }

// record goes over the changes of a later entry.
func (fs *fates) record(r *audit.Record) {
	for _, raw := range r.Ops {
		if op, ok := fs.j.Local(raw); ok {
			fs.change(r, op)
		}
	}
}

// change is one change to any file.
func (fs *fates) change(r *audit.Record, op audit.Op) {
	from, to := fs.at[op.Path], fs.at[op.ToPath]
	for _, f := range from {
		fs.note(f, r, op)
		f.become(r, op)
	}
	if op.ToPath == "" {
		return
	}
	for _, f := range to {
		fs.note(f, r, op)
		f.sum, f.deleted, f.other = op.After, false, true
	}
	stay := from[:0:0]
	for _, f := range from {
		if f.deleted {
			stay = append(stay, f)
			continue
		}
		f.path = op.ToPath
		to = append(to, f)
	}
	fs.at[op.Path], fs.at[op.ToPath] = stay, to
}

// become is what a change at its path makes of a file.
func (f *fate) become(r *audit.Record, op audit.Op) {
	switch {
	case op.ToPath != "" && f.other:
		f.deleted, f.sum = true, "" // what had come into its place is moved away
	case removes(op):
		f.deleted, f.sum = true, ""
	case f.deleted && r.Kind != audit.Undo:
		f.deleted, f.sum, f.other, f.back = false, op.After, true, true
	default:
		f.deleted, f.sum = false, op.After
	}
}

// note lists a later entry, unless it is not in effect: it was taken back, or took back only what came after the entry too.
func (fs *fates) note(f *fate, r *audit.Record, op audit.Op) {
	cancels := len(r.Undoes) > 0 && !slices.ContainsFunc(r.Undoes, func(tx string) bool { return !fs.since.Txs[tx] })
	if r == fs.mine || cancels || fs.since.Undone[r.Tx] != "" {
		return
	}
	if n := len(f.By); n > 0 && f.By[n-1].Entry == r.Tx {
		return
	}
	if f.ByCount++; len(f.By) == maxBy {
		f.By = f.By[1:]
	}
	f.By = append(f.By, fs.j.Entry(fs.scan, r, op))
}
