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
	"github.com/emend-dev/emend/patch"
)

var operationOf = map[string]patch.Op{"add": patch.Add, "update": patch.Update, "delete": patch.Delete, "move": patch.Move}

const (
	maxSessionCalls = 200
	maxSessionFiles = 256 // of which the difference is worked out
)

// compare gives a file its difference, or says why there is none.
func (d *doings) compare(ctx context.Context, f *doing) error {
	for _, p := range []string{f.first, f.left} {
		if err := d.j.Guard.CheckRead(p); err != nil {
			f.Before, f.After, f.NotShown = "", "", "the difference is not shown: "+err.Error()
			return nil
		}
	}
	if f.Operation == "" {
		return nil
	}
	if f.Diff = d.stored(f); f.Diff != "" {
		return nil
	}
	var s plan.Step
	if f.Before != f.After { // else it was moved as it was
		var err error
		if s, err = d.sides(ctx, f); err != nil {
			if ctx.Err() != nil {
				return caller.Cancelled(ctx)
			}
			f.NotShown = err.Error()
			return nil
		}
	}
	s.Op, s.Path, s.To = operationOf[f.Operation], f.Path, f.ToPath
	f.Diff = report.Diff(&s)
	return nil
}

// stored is the diff that the history keeps of a file that was touched once.
func (d *doings) stored(f *doing) string {
	if len(f.touched) != 1 || f.touched[0].op.Operation != f.Operation {
		return ""
	}
	diff := d.part(f.touched[0])
	if len(diff) > 2*kept.MaxSessionText || !strings.Contains(diff, "\n@@ ") && !strings.Contains(diff, "\nBinary files ") {
		return ""
	}
	return diff
}

// part is the diff that is kept of one change.
func (d *doings) part(t touch) string {
	to := t.op.ToPath
	if to != "" {
		to = kept.Top(d.j, to)
	}
	if d.read != t.tx {
		d.read, d.diffs = t.tx, d.j.Parts(t.tx)
	}
	return report.DiffOf(d.diffs, t.n, kept.Top(d.j, t.op.Path), to)
}

// sides are the two texts of a difference.
func (d *doings) sides(ctx context.Context, f *doing) (plan.Step, error) {
	s := plan.Step{Source: plan.File{Kind: plan.Regular}}
	var err error
	var link bool
	if s.Before, link, err = d.text(ctx, f, f.before); err != nil {
		return s, fmt.Errorf("what it was before %w", err)
	}
	if link {
		s.Source.Kind = plan.Link
	}
	if s.After, _, err = d.text(ctx, f, f.after); errors.Is(err, kept.ErrNotKept) {
		s.After, err = d.again(s.Before, f)
	}
	if err != nil {
		return s, fmt.Errorf("what the session left %w", err)
	}
	s.Edits = plan.Between(s.Before, s.After)
	return s, nil
}

// text finds a content: among what was displaced, or where the file is.
func (d *doings) text(ctx context.Context, f *doing, sum string) (text string, link bool, err error) {
	if sum == "" {
		return "", false, nil
	}
	for _, slot := range d.kept[sum] {
		text, link, err = kept.SlotText(d.j.Hist, slot)
		if errors.Is(err, kept.ErrTooLong) || err == nil && plan.Sum(text) == sum {
			return text, link, err
		}
	}
	places := []string{f.left}
	for _, other := range d.all { // what was deleted may have been restored elsewhere
		if other.sum == sum {
			places = append(places, other.path)
		}
	}
	for _, p := range places {
		text, link, err = kept.Standing(ctx, d.j, p)
		if errors.Is(err, kept.ErrTooLong) || err == nil && plan.Sum(text) == sum {
			return text, link, err
		}
	}
	return "", false, kept.ErrNotKept
}

// again makes the text that the session left anew, by the diffs that are kept of what led to it.
func (d *doings) again(text string, f *doing) (string, error) {
	for _, t := range f.touched {
		var ok bool
		if t.op.Before == t.op.After {
			continue
		}
		if text, ok = kept.Redo(text, d.part(t)); !ok || len(text) > kept.MaxSessionText {
			return "", kept.ErrNotKept
		}
	}
	if plan.Sum(text) != f.after {
		return "", kept.ErrNotKept
	}
	return text, nil
}

func SessionChanges(ctx context.Context, j *logbook.Journal, session string) (*api.SessionChanges, error) {
	out := &api.SessionChanges{SessionID: session, Files: []api.SessionFile{}}
	first, paths, err := called(ctx, j, out)
	if err != nil {
		return nil, err
	}
	if out.CallCount == 0 {
		return nil, &fail.Error{Kind: fail.NotFound, Msg: "no session is called " + fail.Quote(session), Hint: "emend log (the history tool) lists the sessions."}
	}
	h, err := j.Changes(ctx, first, paths)
	if err != nil {
		return nil, err
	}
	d := &doings{j: j, session: session, at: map[string]*doing{}, kept: map[string][]string{}}
	for _, r := range h.Records {
		d.record(r)
	}
	slices.SortStableFunc(d.all, func(a, b *doing) int { return strings.Compare(a.left, b.left) })
	for i, f := range d.all {
		if f.finish(); i >= maxSessionFiles {
			f.NotShown = "only the first 256 files are compared: look at the entries"
		} else if err := d.compare(ctx, f); err != nil {
			return nil, err
		}
		out.Notes = append(out.Notes, f.notes()...)
		out.Files = append(out.Files, f.SessionFile)
	}
	out.Notes = append(out.Notes, j.Notes...)
	return out, nil
}

// called lists the calls of a session, and finds the number of the first and the paths that it touched.
func called(ctx context.Context, j *logbook.Journal, out *api.SessionChanges) (first uint64, paths logbook.Places, err error) {
	want, by := &logbook.Sought{Wanted: logbook.Wanted{Session: out.SessionID}}, audit.EncodeField("session", out.SessionID)
	s, keys := logbook.NewScan(), audit.Keys{}
	keys.Add(string(logbook.SpelledIn(out.SessionID)))
	paths = logbook.Places{}
	for r, err := range j.Records(ctx, s, j.Sifted(s, keys, func(line []byte) bool { return bytes.Contains(line, by) })) {
		if err != nil {
			return 0, nil, err
		}
		c, ok := j.Call(s, r, want)
		if !ok {
			continue
		}
		first = r.Seq
		if out.CallCount++; len(out.Calls) < maxSessionCalls {
			out.Calls = append(out.Calls, c)
		}
		for _, op := range r.Ops {
			paths.Add(op.Path)
			paths.Add(op.ToPath)
		}
	}
	delete(paths, `""`)
	return first, paths, nil
}

// finish says what the session did to the file in all.
func (f *doing) finish() {
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

// notes says who else had a hand in it.
func (f *doing) notes() (out []string) {
	name := cmp.Or(f.ToPath, f.Path)
	if len(f.Others) > 0 {
		out = append(out, fail.Quote(name)+" was also changed by other sessions in between ("+kept.SomeOf(f.Others)+"), and the difference shows that too.")
	}
	if f.Outside {
		out = append(out, fail.Quote(name)+" was also changed outside of emend in between, and the difference shows that too.")
	}
	return out
}
