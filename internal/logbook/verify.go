package logbook

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// last is how the log has a file.
type last struct{ entry, sum string }

// ParseHead reads a head as [Head.String] writes it: the number of a record, a colon and its hash.
func ParseHead(s string) (api.Head, error) { return audit.ParseHead(s) }

// Chain checks the log itself.
func Chain(v *api.VerifyReport, j *Journal, heads []api.Head) error {
	if j.Log == nil {
		j.note("There is no store yet, so there is nothing to verify.")
		v.OK = len(heads) == 0
		return nil
	}
	rep, err := audit.Verify(j.dir, heads...)
	if err != nil {
		return workspace.StoreError(err)
	}
	v.OK, v.Head, v.Segments, v.Records = rep.Whole(), rep.Head, rep.Segments, rep.Records
	v.Void, v.Lost, v.Torn = rep.Void, rep.Lost, rep.Torn
	for k, n := range rep.Kinds {
		v.Kinds[string(k)] = n
	}
	for _, c := range rep.Breaks {
		v.Breaks = append(v.Breaks, api.Break{Segment: c.Segment, Line: c.Line, After: c.Seq, Why: c.Why})
	}
	v.Missing = append([]api.Head{}, rep.Missing...)
	return nil
}

// Files compares each file with its last entry.
func Files(ctx context.Context, v *api.VerifyReport, j *Journal) error {
	known, err := j.last(ctx)
	if err != nil {
		return err
	}
	paths := make([]string, 0, len(known))
	for p := range known {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	tell := caller.Progress(ctx)
	for i, p := range paths {
		if ctx.Err() != nil {
			return caller.Cancelled(ctx)
		}
		if tell != nil {
			tell(i, len(paths), "files compared")
		}
		f, err := j.compare(ctx, p, known[p])
		if err != nil {
			return err
		}
		if f.State == api.FileSame {
			v.Same++
		} else {
			v.Files = append(v.Files, f)
		}
	}
	return nil
}

// last collects, of every path below the root, what the newest transaction that changed it left there. What is damaged
// in the log is in the report by now.
func (j *Journal) last(ctx context.Context) (map[string]last, error) {
	s, out, notes := NewScan(), map[string]last{}, j.Notes
	defer func() { j.Notes = notes }()
	for r, err := range j.Records(ctx, s, audit.Query{}) {
		if err != nil {
			return nil, workspace.StoreError(err)
		}
		if !Decides(r) || s.Failed(r) != nil {
			continue
		}
		for _, op := range slices.Backward(r.Ops) {
			j.leaves(r, op, func(p, sum string) {
				if _, ok := out[p]; !ok {
					out[p] = last{r.Tx, sum}
				}
			})
		}
	}
	return out, nil
}

// leaves says what op left at its paths: a hash, or "" for nothing.
func (j *Journal) leaves(r *audit.Record, op audit.Op, put func(p, sum string)) {
	at := func(p, sum string) {
		if p, ok := j.Below(p); ok {
			put(p, sum)
		}
	}
	switch op.Operation {
	case patch.Delete.String():
		at(op.Path, "")
	case patch.Move.String():
		at(op.ToPath, cmp.Or(op.After, op.Before))
		at(op.Path, "")
	default:
		at(op.Path, op.After)
	}
}

// compare looks at a file. The error is that of a context that ended.
func (j *Journal) compare(ctx context.Context, p string, was last) (api.FileState, error) {
	f := api.FileState{Path: p, Entry: was.entry, Expected: was.sum}
	e, err := j.Guard.Resolve(p, guard.Request{})
	if err == nil && e.Kind == guard.Regular && was.sum != "" {
		f.Actual, _, err = j.Guard.Hash(ctx, e)
	}
	if ctx.Err() != nil {
		return f, caller.Cancelled(ctx)
	}
	missing := errors.Is(err, fail.NotFound) || err == nil && e.Kind == guard.Missing
	if err == nil && e.Kind == guard.Symlink {
		f.Actual = Sum(e.Target)
	}
	switch {
	case missing && was.sum == "":
		f.State = api.FileSame
	case missing:
		f.State = api.FileGone
	case err != nil:
		f.State, f.Why = api.FileUnknown, err.Error()
		if j.Guard.CheckRead(p) != nil {
			f.Expected = "" // a short secret can be guessed from its hash
		}
	case was.sum == "":
		f.State = api.FileBack
	case f.Actual == was.sum:
		f.State = api.FileSame
	case e.Kind == guard.Special:
		f.State, f.Why = api.FileUnknown, "it is no regular file"
	default:
		f.State = api.FileChanged
	}
	return f, nil
}
