package trace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

const (
	maxSessionCalls = 200
	maxSessionFiles = 256 // for which the difference is worked out
)

// SessionChanges returns what a session did: for each file the difference between what it was before the session first
// changed it and what the session left.
func SessionChanges(ctx context.Context, w *workspace.Workspace, session string) (*api.SessionChanges, error) {
	if session == "" {
		return nil, caller.BadField("session", `""`, "Name a session, as ‹history› lists it.")
	}
	rd, err := logbook.Open(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	out := &api.SessionChanges{SessionID: session, Files: []api.SessionFile{}}
	first, paths, err := listCalls(ctx, rd, out)
	if err != nil {
		return nil, err
	}
	if out.CallCount == 0 {
		return nil, &fail.Error{Kind: fail.NotFound, Msg: "no session is called " + fail.Quote(session), Hint: "‹history› lists the sessions."}
	}
	changes, err := rd.Changes(ctx, first, paths)
	if err != nil {
		return nil, err
	}
	own := func(r *audit.Record) bool { return r.Actor.Session == session }
	if out.Files, out.Notes, err = filesOf(ctx, rd, changes.Records, own); err != nil {
		return nil, err
	}
	out.Notes = append(out.Notes, rd.Notes...)
	return out, nil
}

// filesOf returns the files that some of the records changed, by path, each with the difference from what the first of these records
// found to what the last left. The notes say what else is in the differences.
func filesOf(ctx context.Context, rd *logbook.Reader, records []*audit.Record, own func(*audit.Record) bool) (files []api.SessionFile, notes []string, err error) {
	s := &sessionFiles{rd: rd, contents: kept.Of(rd.History), own: own, byPath: map[string]*sessionFile{}, slots: kept.BySum{}}
	for _, r := range records {
		s.record(r)
	}
	files = []api.SessionFile{}
	slices.SortStableFunc(s.files, func(a, b *sessionFile) int { return strings.Compare(a.left, b.left) })
	for i, f := range s.files {
		if f.finish(); i >= maxSessionFiles {
			f.NotShown = "only the first 256 files are compared: look at the entries"
		} else if err := s.addDiff(ctx, f); err != nil {
			return nil, nil, err
		}
		notes = append(notes, f.notes()...)
		files = append(files, f.SessionFile)
	}
	return files, notes, nil
}

// listCalls lists the calls of a session, and returns the number of the first and the paths that they touched.
func listCalls(ctx context.Context, rd *logbook.Reader, out *api.SessionChanges) (first uint64, paths logbook.PathSet, err error) {
	filter, field := &logbook.Filter{Session: out.SessionID}, audit.EncodeField("session", out.SessionID)
	o, keys := logbook.NewOutcomes(), audit.Keys{}
	keys.Add(audit.BySession, out.SessionID)
	paths = logbook.PathSet{}
	for r, err := range rd.Records(ctx, o, logbook.WithKeys(o, keys, func(line []byte) bool { return bytes.Contains(line, field) })) {
		if err != nil {
			return 0, nil, err
		}
		c, ok := rd.Call(o, r, filter)
		if !ok {
			continue
		}
		first = r.Seq
		if out.CallCount++; len(out.Calls) < maxSessionCalls {
			out.Calls = append(out.Calls, c)
		}
		for _, op := range r.Ops {
			if paths.Add(op.Path); op.ToPath != "" {
				paths.Add(op.ToPath)
			}
		}
	}
	delete(paths, `""`) // of a refusal that names no file
	return first, paths, nil
}

// finish says what the session did to the file as a whole.
func (f *sessionFile) finish() {
	f.Path, f.Before, f.After = f.first, f.before, f.after
	switch moved := f.first != f.left; {
	case f.before == "" && f.after == "":
		f.Path = f.left
	case f.before == "":
		f.Operation, f.Path = "add", f.left
	case f.after == "":
		f.Operation = "delete"
	case moved:
		f.Operation, f.ToPath = "move", f.left
	case f.before != f.after:
		f.Operation = "update"
	}
}

var operationOf = map[string]patch.Op{"add": patch.Add, "update": patch.Update, "delete": patch.Delete, "move": patch.Move}

// addDiff gives a file its diff, or says why there is none. It fails only when the context ends.
func (s *sessionFiles) addDiff(ctx context.Context, f *sessionFile) error {
	for _, p := range []string{f.first, f.left} {
		if err := s.rd.Guard.CheckRead(p); err != nil {
			f.Before, f.After, f.NotShown = "", "", "the difference is not shown: "+err.Error()
			return nil
		}
	}
	if f.Operation == "" {
		return nil
	}
	if f.Diff = s.keptDiff(f); f.Diff != "" {
		return nil
	}
	var step plan.Step
	if f.Before != f.After { // else it was moved as it was
		var err error
		if step, err = s.texts(ctx, f); err != nil {
			if ctx.Err() != nil {
				return caller.Cancelled(ctx)
			}
			f.NotShown = err.Error()
			return nil
		}
	}
	step.Op, step.Path, step.To = operationOf[f.Operation], f.Path, f.ToPath
	f.Diff = report.Diff(&step)
	return nil
}

// keptDiff returns the diff that the history has of a file that was changed once, else "".
func (s *sessionFiles) keptDiff(f *sessionFile) string {
	if len(f.changes) != 1 || f.changes[0].op.Operation != f.Operation {
		return ""
	}
	diff := s.diffOf(f.changes[0])
	if len(diff) > 2*kept.MaxText || !strings.Contains(diff, "\n@@ ") && !strings.Contains(diff, "\nBinary files ") {
		return ""
	}
	return diff
}

// diffOf returns the diff that the history has of one change.
func (s *sessionFiles) diffOf(c fileChange) string {
	to := c.op.ToPath
	if to != "" {
		to = s.rd.ToTop(to)
	}
	if s.diffsOf != c.tx {
		s.diffsOf, s.diffs = c.tx, s.rd.Diffs(c.tx)
	}
	return report.DiffOf(s.diffs, c.index, s.rd.ToTop(c.op.Path), to)
}

// texts returns a step with the texts before and after.
func (s *sessionFiles) texts(ctx context.Context, f *sessionFile) (plan.Step, error) {
	step := plan.Step{Source: plan.File{Kind: plan.Regular}}
	var err error
	var link bool
	if step.Before, link, err = s.text(ctx, f, f.before); err != nil {
		return step, fmt.Errorf("what it was before %w", err)
	}
	if link {
		step.Source.Kind = plan.Link
	}
	if step.After, _, err = s.text(ctx, f, f.after); errors.Is(err, kept.ErrNotKept) {
		step.After, err = s.rebuild(step.Before, f)
	}
	if err != nil {
		return step, fmt.Errorf("what the session left %w", err)
	}
	step.Edits = text.Between(step.Before, step.After)
	return step, nil
}

// text finds the content with a sum: among what was displaced, or where one of the files stands.
func (s *sessionFiles) text(ctx context.Context, f *sessionFile, sum string) (data string, link bool, err error) {
	if sum == "" {
		return "", false, nil
	}
	for _, slot := range s.slots[sum] {
		data, link, err = s.contents.Text(slot, kept.MaxText)
		if errors.Is(err, kept.ErrTooLong) || err == nil && text.Sum(data) == sum {
			return data, link, err
		}
	}
	paths := []string{f.left}
	for _, other := range s.files { // a deleted file may have been restored elsewhere
		if other.sum == sum {
			paths = append(paths, other.path)
		}
	}
	for _, p := range paths {
		data, link, err = kept.StandingText(ctx, s.rd.Guard, p)
		if errors.Is(err, kept.ErrTooLong) || err == nil && text.Sum(data) == sum {
			return data, link, err
		}
	}
	return "", false, kept.ErrNotKept
}

// rebuild applies the diffs of the changes to the text before, and returns what the session left.
func (s *sessionFiles) rebuild(data string, f *sessionFile) (string, error) {
	for _, c := range f.changes {
		var ok bool
		if c.op.Before == c.op.After {
			continue
		}
		if data, ok = kept.ApplyDiff(data, s.diffOf(c)); !ok || len(data) > kept.MaxText {
			return "", kept.ErrNotKept
		}
	}
	if text.Sum(data) != f.after {
		return "", kept.ErrNotKept
	}
	return data, nil
}

// notes tells who else changed the file.
func (f *sessionFile) notes() (out []string) {
	name := cmp.Or(f.ToPath, f.Path)
	if len(f.Others) > 0 {
		out = append(out, fail.Quote(name)+" was also changed by other sessions in between ("+kept.JoinSome(f.Others)+"), and the difference shows that too.")
	}
	if f.Outside {
		out = append(out, fail.Quote(name)+" was also changed outside of emend in between, and the difference shows that too.")
	}
	return out
}
