package emend

import (
	"cmp"
	"context"
)

// Fate is what became of one file of an entry since.
type Fate struct {
	Path    string // that the entry left it at, or took it from
	State   FateState
	At      string     // the path that it has now, if it was moved
	By      []LogEntry // the later entries that changed or moved it and are in effect, the oldest first; the newest ten
	ByCount int        // how many there are
	Outside bool       // the last that happened to it did not go through emend
}

// FateState says it in a word.
type FateState string

// What becomes of files.
const (
	Unchanged FateState = "unchanged"
	Changed   FateState = "changed" // by the entries in By
	Edited    FateState = "edited"  // by somebody outside of emend, after the entries in By
	Gone      FateState = "gone"
	Back      FateState = "back"   // it was deleted, and something is there again
	Hidden    FateState = "hidden" // it may not be read
)

// maxBy is how many later entries a fate lists.
const maxBy = 10

// Fates says what became of the files of an entry, in the order of its files: by what the log has of them since, and by
// what is there now. An entry that changed nothing has none. It waits for no lock.
func (w *Workspace) Fates(ctx context.Context, entry string) (out []Fate, err error) {
	err = w.consult(func(j *journal) (err error) {
		out, err = j.fates(ctx, entry)
		return err
	})
	return out, err
}

func (j *journal) fates(ctx context.Context, entry string) ([]Fate, error) {
	s, r, err := j.find(ctx, entry)
	if err != nil || !decides(r) || s.failed(r) != nil {
		return nil, err
	}
	paths := places{}
	for _, op := range r.Ops {
		paths.add(cmp.Or(op.ToPath, op.Path))
	}
	h, err := j.changes(ctx, r.Seq+1, paths)
	if err != nil {
		return nil, err
	}
	delete(h.txs, r.Tx) // its own mark comes after it
	fs := newFates(j, s, r, h)
	for _, later := range h.records {
		fs.record(later)
	}
	out := make([]Fate, len(fs.all))
	for i, f := range fs.all {
		if out[i], err = f.tell(ctx, j); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tell compares what the log has of a file with what is there now.
func (f *fate) tell(ctx context.Context, j *journal) (Fate, error) {
	out := f.Fate
	if f.path != f.Path {
		out.At = f.path
	}
	if f.hidden || j.guard.Readable(f.path) != nil {
		return Fate{Path: f.Path, At: out.At, State: Hidden}, nil
	}
	now, err := present(ctx, j.guard, f.path)
	if err != nil {
		return out, err
	}
	switch {
	case !now.there:
		out.State, out.Outside = Gone, !f.deleted
	case f.left != "" && now.is(f.left):
		out.State = Unchanged
		if out.At == "" {
			out.By, out.ByCount = nil, 0
		}
	case f.deleted, f.back, f.left == "":
		out.State, out.Outside = Back, !now.is(f.sum)
	case now.is(f.sum):
		out.State = Changed
	default:
		out.State, out.Outside = Edited, true
	}
	return out, nil
}
