package emend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// compare gives a file its difference, or says why there is none.
func (d *doings) compare(ctx context.Context, f *doing) error {
	for _, p := range []string{f.first, f.left} {
		if err := d.j.guard.Readable(p); err != nil {
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
				return cancelled(ctx)
			}
			f.NotShown = err.Error()
			return nil
		}
	}
	s.Op, s.Path, s.To = operationOf[f.Operation], f.Path, f.ToPath
	f.Diff = report.Diff(&s)
	return nil
}

var operationOf = map[string]patch.Op{"add": patch.Add, "update": patch.Update, "delete": patch.Delete, "move": patch.Move}

// stored is the diff that the history keeps of a file that was touched once.
func (d *doings) stored(f *doing) string {
	if len(f.touched) != 1 || f.touched[0].op.Operation != f.Operation {
		return ""
	}
	diff := d.part(f.touched[0])
	if len(diff) > 2*maxSessionText || !strings.Contains(diff, "\n@@ ") && !strings.Contains(diff, "\nBinary files ") {
		return ""
	}
	return diff
}

// part is the diff that is kept of one change.
func (d *doings) part(t touch) string {
	to := t.op.ToPath
	if to != "" {
		to = d.j.top(to)
	}
	if d.read != t.tx {
		d.read, d.diffs = t.tx, d.j.parts(t.tx)
	}
	return report.PartOf(d.diffs, t.n, d.j.top(t.op.Path), to)
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
	if s.After, _, err = d.text(ctx, f, f.after); errors.Is(err, errNotKept) {
		s.After, err = d.again(s.Before, f)
	}
	if err != nil {
		return s, fmt.Errorf("what the session left %w", err)
	}
	s.Edits = plan.Between(s.Before, s.After)
	return s, nil
}

var errNotKept = errors.New("is not kept any more: it was purged or pruned, or changed outside of emend")

// text finds a content: among what was displaced, or where the file is.
func (d *doings) text(ctx context.Context, f *doing, sum string) (text string, link bool, err error) {
	if sum == "" {
		return "", false, nil
	}
	for _, slot := range d.kept[sum] {
		text, link, err = slotText(d.j.hist, slot)
		if errors.Is(err, errTooLong) || err == nil && plan.Sum(text) == sum {
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
		text, link, err = d.j.standing(ctx, p)
		if errors.Is(err, errTooLong) || err == nil && plan.Sum(text) == sum {
			return text, link, err
		}
	}
	return "", false, errNotKept
}

// again makes the text that the session left anew, by the diffs that are kept of what led to it.
func (d *doings) again(text string, f *doing) (string, error) {
	for _, t := range f.touched {
		var ok bool
		if t.op.Before == t.op.After {
			continue
		}
		if text, ok = redo(text, d.part(t)); !ok || len(text) > maxSessionText {
			return "", errNotKept
		}
	}
	if plan.Sum(text) != f.after {
		return "", errNotKept
	}
	return text, nil
}

var errTooLong = fmt.Errorf("has over %d MiB", maxSessionText>>20)

// slotText is what is kept in a slot; of a link, what it says.
func slotText(h *history.History, slot string) (text string, link bool, err error) {
	name, is, err := h.Find(slot)
	switch {
	case err != nil:
		return "", false, err
	case is.Mode&fs.ModeSymlink != 0:
		text, err = h.Slots().Readlink(name)
		return text, true, err
	case is.Size > maxSessionText:
		return "", false, errTooLong
	}
	f, err := h.Slots().Open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSessionText))
	return string(b), false, err
}

// standing is what a file has now; of a link, what it says.
func (j *journal) standing(ctx context.Context, path string) (text string, link bool, err error) {
	e, err := j.guard.Look(path, guard.Ask{Known: true})
	switch {
	case err != nil:
		return "", false, err
	case e.Kind == guard.Symlink:
		return e.Target, true, nil
	case e.Kind != guard.Regular:
		return "", false, errNotKept
	case e.Size > maxSessionText:
		return "", false, errTooLong
	}
	text, _, err = j.guard.Load(ctx, e)
	return text, false, err
}

// top is a path from the root as the log has it: from the top of the tree.
func (j *journal) top(path string) string {
	if j.prefix == "." {
		return path
	}
	return j.prefix + "/" + path
}
