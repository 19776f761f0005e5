package logbook

import (
	"cmp"
	"context"
	"io/fs"
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
func Verify(ctx context.Context, w *workspace.Workspace, r api.VerifyRequest) (*api.VerifyReport, error) {
	rd, err := openAny(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	v := &api.VerifyReport{Store: rd.Store, Kinds: map[string]int{}, Breaks: []api.Break{}, Missing: slices.Clone(r.Heads), Files: []api.FileMismatch{}}
	last := lastStates{rd: rd, files: map[string]lastState{}}
	if err := rd.verifyLog(ctx, v, audit.Check{Witnesses: r.Heads, Since: r.Since, Each: last.add}); err != nil {
		return nil, err
	}
	last.settleAll()
	if err := rd.verifyFiles(ctx, v, last.files); err != nil {
		return nil, err
	}
	v.Notes = append([]string{}, rd.Notes...)
	return v, nil
}

// verifyLog checks the records, and that the heads are among them.
func (rd *Reader) verifyLog(ctx context.Context, v *api.VerifyReport, check audit.Check) error {
	if rd.Log == nil {
		rd.note("There is no store yet, so there is nothing to verify.")
		if check.Since.Seq > 0 {
			v.Missing = append(v.Missing, check.Since)
		}
		v.OK = len(v.Missing) == 0
		return nil
	}
	if tell := caller.Progress(ctx); tell != nil {
		check.Progress = func(done, total int64) { tell(int(done>>20), int(total>>20), "MiB of the log checked") }
	}
	rep, err := check.Run(ctx, rd.dir)
	if ctx.Err() != nil {
		return caller.Cancelled(ctx)
	}
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
	if r := rep.Dropped; r != nil {
		v.Dropped = &api.DroppedBefore{Seq: r.Seq, At: r.TS, Last: r.Dropped.Head(), Until: r.Dropped.Until, Rule: r.Dropped.Rule}
	}
	v.Missing = append([]api.Head{}, rep.Missing...)
	if rep.Since.Seq > 0 {
		v.Since = &rep.Since
	}
	return nil
}

// verifyFiles compares each file with its last entry.
func (rd *Reader) verifyFiles(ctx context.Context, v *api.VerifyReport, last map[string]lastState) error {
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

// lastStates finds what the log has last of each path below the root, from its records, oldest first. It holds one entry
// for each path, however long the log is.
type lastStates struct {
	rd    *Reader
	files map[string]lastState
	open  []*audit.Record // the last transactions, which are of one group, while nothing says how they ended
	// inGroup says that the last record is a commit after which others of its group come.
	inGroup bool
}

// add takes in the next record. Groups of transactions run one after the other, so the ends of one come before the next.
func (s *lastStates) add(r *audit.Record) {
	if IsTransaction(r) {
		if !s.inGroup {
			s.settleAll()
		}
		s.open, s.inGroup = append(s.open, r), r.Group > 0
		return
	}
	s.inGroup = false
	failed := r.Kind == audit.Abort || r.Kind == audit.Recovered && !r.OK
	if !failed && r.Kind != audit.Applied && r.Kind != audit.Recovered {
		return
	}
	if i := slices.IndexFunc(s.open, func(c *audit.Record) bool { return c.Tx == r.Tx }); i >= 0 {
		if !failed {
			s.settle(s.open[i])
		}
		s.open = slices.Delete(s.open, i, i+1)
	}
}

// settleAll takes in transactions of which nothing says how they ended.
func (s *lastStates) settleAll() {
	for _, r := range s.open {
		s.settle(r)
	}
	s.open = nil
}

// settle makes what a transaction left the last of its paths.
func (s *lastStates) settle(r *audit.Record) {
	left := func(top, sum string) {
		if p, ok := s.rd.FromTop(top); ok {
			s.files[p] = lastState{r.Tx, sum}
		}
	}
	for _, op := range r.Ops {
		switch op.Operation {
		case audit.OpMkdir, audit.OpRmdir: // the log has the states of files
			continue
		}
		if op.Mode.Type()&^fs.ModeSymlink != 0 { // nor of special files
			if p, ok := s.rd.FromTop(op.Path); ok {
				delete(s.files, p)
			}
			continue
		}
		switch op.Operation {
		case patch.Delete.String():
			left(op.Path, "")
		case patch.Move.String():
			left(op.Path, "")
			left(op.ToPath, cmp.Or(op.After, op.Before))
		default:
			left(op.Path, op.After)
			if p, ok := s.rd.FromTop(op.Path); ok && op.After == "" {
				delete(s.files, p) // a look could not read it
			}
		}
	}
	for _, a := range r.Acts {
		if p, ok := s.rd.FromTop(a.Path); ok && a.Do == audit.DoMkdir {
			delete(s.files, p) // a directory took the place of a file
		}
	}
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
	// What is reached through a link that took a directory's place is another file.
	missing := err == nil && (now.Kind == guard.Missing || last.sum == "" && now.Rel != p)
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
