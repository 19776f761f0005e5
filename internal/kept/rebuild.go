package kept

import (
	"context"
	"errors"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// Rebuilt is a version that a step left, made from the version before it and the diff of the change. It is needed where no
// later change displaced the file as a whole.
type Rebuilt struct {
	Path, Text string
	Slot       string // of the version before, which lends its mode; "" for a new file
	Act        *audit.Act
}

// Rebuild makes the version that a step of r left. It fails with [ErrNotKept] unless the result has the sum that the log
// has.
func (c Contents) Rebuild(r *audit.Record, a *audit.Act) (out Rebuilt, err error) {
	if a.New == nil || a.New.Link || a.Old != nil && a.Old.Link || !a.Places() {
		return out, ErrNotKept
	}
	out = Rebuilt{Path: a.Path, Act: a}
	if a.Old != nil {
		out.Slot = history.Slot(r.Tx, a.Slot)
		if out.Text, _, err = c.Text(out.Slot, MaxText); err != nil {
			return out, err
		}
		if text.Sum(out.Text) != a.Old.Sum {
			return out, ErrNotKept
		}
	}
	diff, err := c.history.ReadText(history.DiffName(r.Tx))
	if err != nil || len(diff) > 4*MaxText {
		return out, ErrNotKept
	}
	var ok bool
	if out.Text, ok = ApplyDiffs(out.Text, r, a, diff); !ok {
		return out, ErrNotKept
	}
	return out, nil
}

// ApplyDiffs applies to data what the diff of r has for the path of a step, and reports whether that gives the file that the
// step left.
func ApplyDiffs(data string, r *audit.Record, a *audit.Act, diff string) (string, bool) {
	parts, ok := report.SplitDiff(diff), true
	for i, op := range r.Ops {
		if op.Path != a.Path || op.ToPath != "" {
			continue
		}
		if data, ok = ApplyDiff(data, report.DiffOf(parts, i, op.Path, "")); !ok {
			return "", false
		}
	}
	return data, text.Sum(data) == a.New.Sum
}

// FindRebuilt finds the version of an id, and rebuilds it.
func FindRebuilt(ctx context.Context, w *workspace.Workspace, id string) (Rebuilt, error) {
	slot, _ := strings.CutSuffix(id, rebuiltMark)
	tx, n, ok := history.ParseSlot(slot)
	if !ok {
		return Rebuilt{}, noVersion(id)
	}
	v, err := takeInventory(w, tx)
	if err != nil {
		return Rebuilt{}, err
	}
	if err := v.has(tx, noVersion(id)); err != nil {
		return Rebuilt{}, err
	}
	for t := range v.newestFirst(ctx) {
		for i := range t.Acts {
			a := &t.Acts[i]
			path, inside := v.FromTop(a.Path)
			if t.failed || a.Slot != n || a.New == nil || !inside {
				continue
			}
			out, err := v.Rebuild(t.Record, a)
			if err != nil {
				return out, noVersion(id)
			}
			out.Path = path
			return out, v.err
		}
	}
	return Rebuilt{}, errors.Join(v.err, noVersion(id))
}
