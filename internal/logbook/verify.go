package logbook

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// lastState is the newest transaction that changed a file, and the sum that it left; "" for a deletion.
type lastState struct{ entry, sum string }

// Verify checks the log, and compares the files with it. What it finds wrong is in the report.
func Verify(ctx context.Context, w *workspace.Workspace, heads []api.Head) (*api.VerifyReport, error) {
	rd, err := openAny(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	v := &api.VerifyReport{Store: rd.Store, Kinds: map[string]int{}, Breaks: []api.Break{}, Missing: slices.Clone(heads), Files: []api.FileMismatch{}}
	if err := rd.verifyLog(v, heads); err != nil {
		return nil, err
	}
	if err := rd.verifyFiles(ctx, v); err != nil {
		return nil, err
	}
	v.Notes = append([]string{}, rd.Notes...)
	return v, nil
}

// verifyLog checks the records, and that the heads are among them.
func (rd *Reader) verifyLog(v *api.VerifyReport, heads []api.Head) error {
	if rd.Log == nil {
		rd.note("There is no store yet, so there is nothing to verify.")
		v.OK = len(heads) == 0
		return nil
	}
	rep, err := audit.Verify(rd.dir, heads...)
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

// verifyFiles compares each file with its last entry.
func (rd *Reader) verifyFiles(ctx context.Context, v *api.VerifyReport) error {
	last, err := rd.lastStates(ctx)
	if err != nil {
		return err
	}
	tell := caller.Progress(ctx)
	for i, p := range slices.Sorted(maps.Keys(last)) {
		if ctx.Err() != nil {
			return caller.Cancelled(ctx)
		}
		if tell != nil {
			tell(i, len(last), "files compared")
		}
		f, err := rd.compare(ctx, p, last[p])
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

// lastStates returns what the log has last of each path below the root. It adds no notes: verifyLog has reported what is
// damaged.
func (rd *Reader) lastStates(ctx context.Context) (map[string]lastState, error) {
	o, out, notes := NewOutcomes(), map[string]lastState{}, rd.Notes
	defer func() { rd.Notes = notes }()
	for r, err := range rd.Records(ctx, o, audit.Query{}) {
		if err != nil {
			return nil, workspace.StoreError(err)
		}
		if !IsTransaction(r) || o.Failed(r) != nil {
			continue
		}
		left := func(top, sum string) {
			p, ok := rd.FromTop(top)
			if _, newer := out[p]; ok && !newer {
				out[p] = lastState{r.Tx, sum}
			}
		}
		for _, op := range slices.Backward(r.Ops) {
			switch op.Operation {
			case patch.Delete.String():
				left(op.Path, "")
			case patch.Move.String():
				left(op.ToPath, cmp.Or(op.After, op.Before))
				left(op.Path, "")
			default:
				left(op.Path, op.After)
			}
		}
	}
	return out, nil
}

// compare compares a file with its last entry. It fails only when the context ends.
func (rd *Reader) compare(ctx context.Context, p string, last lastState) (api.FileMismatch, error) {
	f := api.FileMismatch{Path: p, Entry: last.entry, Expected: last.sum}
	now, err := workspace.LookAt(rd.Guard, p)
	if err == nil && (last.sum != "" || now.Kind == guard.Symlink) {
		f.Actual, _, err = now.Sum(ctx)
	}
	if ctx.Err() != nil {
		return f, caller.Cancelled(ctx)
	}
	missing := err == nil && now.Kind == guard.Missing
	switch {
	case missing && last.sum == "":
		f.State = api.FileSame
	case missing:
		f.State = api.FileGone
	case err != nil:
		f.State, f.Why = api.FileUnknown, err.Error()
		if rd.Guard.CheckRead(p) != nil {
			f.Expected = "" // a short secret can be guessed from its hash
		}
	case last.sum == "":
		f.State = api.FileBack
	case f.Actual == last.sum:
		f.State = api.FileSame
	case now.Kind == guard.Special:
		f.State, f.Why = api.FileUnknown, "it is no regular file"
	default:
		f.State = api.FileChanged
	}
	return f, nil
}
