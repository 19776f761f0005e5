package trace

import (
	"cmp"
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/logbook"
)

// maxBy is how many later entries a fate lists.
const maxBy = 10

func Fates(ctx context.Context, j *logbook.Journal, entry string) ([]api.Fate, error) {
	s, r, err := j.Find(ctx, entry)
	if err != nil || !logbook.Decides(r) || s.Failed(r) != nil {
		return nil, err
	}
	paths := logbook.Places{}
	for _, op := range r.Ops {
		paths.Add(cmp.Or(op.ToPath, op.Path))
	}
	h, err := j.Changes(ctx, r.Seq+1, paths)
	if err != nil {
		return nil, err
	}
	delete(h.Txs, r.Tx) // its own mark comes after it
	fs := newFates(j, s, r, h)
	for _, later := range h.Records {
		fs.record(later)
	}
	out := make([]api.Fate, len(fs.all))
	for i, f := range fs.all {
		if out[i], err = f.tell(ctx, j); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tell compares what the log has of a file with what is there now.
func (f *fate) tell(ctx context.Context, j *logbook.Journal) (api.Fate, error) {
	out := f.Fate
	if f.path != f.Path {
		out.At = f.path
	}
	if f.hidden || j.Guard.CheckRead(f.path) != nil {
		return api.Fate{Path: f.Path, At: out.At, State: api.Hidden}, nil
	}
	now, err := present(ctx, j.Guard, f.path)
	if err != nil {
		return out, err
	}
	switch {
	case !now.there:
		out.State, out.Outside = api.Gone, !f.deleted
	case f.left != "" && now.is(f.left):
		out.State = api.Unchanged
		if out.At == "" {
			out.By, out.ByCount = nil, 0
		}
	case f.deleted, f.back, f.left == "":
		out.State, out.Outside = api.Back, !now.is(f.sum)
	case now.is(f.sum):
		out.State = api.Changed
	default:
		out.State, out.Outside = api.Edited, true
	}
	return out, nil
}
