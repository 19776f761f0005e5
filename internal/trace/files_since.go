package trace

import (
	"cmp"
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// maxBy bounds the later entries that are listed for a file.
const maxBy = 10

// FilesSince returns what became of the files of an entry since, in the order of its files. An entry that changed nothing
// has none.
func FilesSince(ctx context.Context, w *workspace.Workspace, entry string) ([]api.FileSince, error) {
	rd, err := logbook.Open(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	o, r, err := rd.Find(ctx, entry)
	if err != nil || !logbook.IsTransaction(r) || o.Failed(r) != nil {
		return nil, err
	}
	paths := logbook.PathSet{}
	for _, op := range r.Ops {
		paths.Add(cmp.Or(op.ToPath, op.Path))
	}
	later, err := rd.Changes(ctx, r.Seq+1, paths)
	if err != nil {
		return nil, err
	}
	delete(later.Txs, r.Tx) // the record of its own end comes after it
	f := newFilesSince(rd, r, later)
	for _, r := range later.Records {
		f.record(r)
	}
	out := make([]api.FileSince, len(f.files))
	for i, file := range f.files {
		if out[i], err = file.compare(ctx, rd); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// filesSince follows the files of an entry forward through the later changes.
type filesSince struct {
	rd     *logbook.Reader
	entry  *audit.Record
	later  *logbook.Changes
	files  []*fileSince            // in the order of the entry
	byPath map[string][]*fileSince // by the path that a file has reached; one that was overwritten is still followed
}

// fileSince is one file and what the log has it be by now.
type fileSince struct {
	api.FileSince
	path     string // now, or last
	left     string // the sum that the entry left; "" for nothing
	sum      string // now
	deleted  bool   // nothing is there
	replaced bool   // another file is there
	back     bool   // that file came after a deletion
	hidden   bool
}

func newFilesSince(rd *logbook.Reader, r *audit.Record, later *logbook.Changes) *filesSince {
	out := &filesSince{rd: rd, entry: r, later: later, byPath: map[string][]*fileSince{}}
	for _, raw := range r.Ops {
		op, ok := rd.Local(raw)
		if !ok {
			continue
		}
		out.change(r, op)
		f := &fileSince{path: cmp.Or(op.ToPath, op.Path), left: op.After, sum: op.After, deleted: isDeletion(op), hidden: rd.Readable(op) != nil}
		f.Path = f.path
		out.files = append(out.files, f)
		out.byPath[f.path] = append(out.byPath[f.path], f)
	}
	for _, f := range out.files { // a later change of the same entry belongs to what the entry left
		f.left, f.replaced, f.back = f.sum, false, false
	}
	return out
}

func isDeletion(op audit.Op) bool { return op.Operation == patch.Delete.String() }

// record follows the files through a later entry.
func (fs *filesSince) record(r *audit.Record) {
	for _, raw := range r.Ops {
		if op, ok := fs.rd.Local(raw); ok {
			fs.change(r, op)
		}
	}
}

// change follows the files through one change.
func (fs *filesSince) change(r *audit.Record, op audit.Op) {
	from, to := fs.byPath[op.Path], fs.byPath[op.ToPath]
	for _, f := range from {
		fs.addBy(f, r, op)
		f.change(r, op)
	}
	if op.ToPath == "" {
		return
	}
	for _, f := range to {
		fs.addBy(f, r, op)
		f.sum, f.deleted, f.replaced = op.After, false, true
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
	fs.byPath[op.Path], fs.byPath[op.ToPath] = stay, to
}

// change applies a change at the path of the file.
func (f *fileSince) change(r *audit.Record, op audit.Op) {
	switch {
	case op.ToPath != "" && f.replaced:
		f.deleted, f.sum = true, "" // the file that had replaced it moves away
	case isDeletion(op):
		f.deleted, f.sum = true, ""
	case f.deleted && r.Kind != audit.Undo:
		f.deleted, f.sum, f.replaced, f.back = false, op.After, true, true
	default:
		f.deleted, f.sum = false, op.After
	}
}

// addBy lists a later entry, unless it is not in effect: it was undone, or it undid only what came after the entry too.
func (fs *filesSince) addBy(f *fileSince, r *audit.Record, op audit.Op) {
	if r == fs.entry || fs.later.Cancels(r, func(tx string) bool { return fs.later.Txs[tx] }) || fs.later.UndoneBy(r.Tx) != "" {
		return
	}
	if n := len(f.By); n > 0 && f.By[n-1].Entry == r.Tx {
		return
	}
	if f.ByCount++; len(f.By) == maxBy {
		f.By = f.By[1:]
	}
	f.By = append(f.By, fs.rd.Entry(fs.later.Outcomes, r, op))
}

// compare compares what the log has of a file with what is there now.
func (f *fileSince) compare(ctx context.Context, rd *logbook.Reader) (api.FileSince, error) {
	out := f.FileSince
	if f.path != f.Path {
		out.At = f.path
	}
	if f.hidden || rd.Guard.CheckRead(f.path) != nil {
		return api.FileSince{Path: f.Path, At: out.At, State: api.FileUnknown}, nil
	}
	now, err := currentState(ctx, rd.Guard, f.path)
	if err != nil {
		return out, err
	}
	switch {
	case !now.exists:
		out.State, out.Outside = api.FileGone, !f.deleted
	case f.left != "" && now.matches(f.left):
		out.State = api.FileSame
		if out.At == "" {
			out.By, out.ByCount = nil, 0
		}
	case f.deleted, f.back, f.left == "":
		out.State, out.Outside = api.FileBack, !now.matches(f.sum)
	default:
		out.State, out.Outside = api.FileChanged, !now.matches(f.sum)
	}
	return out, nil
}
