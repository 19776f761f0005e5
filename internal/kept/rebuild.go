package kept

import (
	"context"
	"errors"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

// RemadeMark ends the id of such a version; before it is the slot of the change.
const RemadeMark = "+"

// remade is a version that was made anew.
type remade struct {
	Path, Text string
	Slot       string // with what lends its mode; "" for a new file
	Act        *audit.Act
}

// Remake makes what a step left, from what it displaced and the diff of its change.
func Remake(h *history.History, r *audit.Record, a *audit.Act) (out remade, err error) {
	if a.New == nil || a.New.Link || a.Old != nil && a.Old.Link || !a.Places() {
		return out, ErrNotKept
	}
	out = remade{Path: a.Path, Act: a}
	if a.Old != nil {
		out.Slot = history.Slot(r.Tx, a.Slot)
		if out.Text, _, err = SlotText(h, out.Slot); err != nil {
			return out, err
		}
		if plan.Sum(out.Text) != a.Old.Sum {
			return out, ErrNotKept
		}
	}
	diff, err := h.ReadText(history.DiffName(r.Tx))
	if err != nil || len(diff) > 4*MaxSessionText {
		return out, ErrNotKept
	}
	parts, ok := report.SplitDiff(diff), true
	for i, op := range r.Ops {
		if op.Path != a.Path || op.ToPath != "" {
			continue
		}
		if out.Text, ok = Redo(out.Text, report.DiffOf(parts, i, op.Path, "")); !ok {
			return out, ErrNotKept
		}
	}
	if plan.Sum(out.Text) != a.New.Sum {
		return out, ErrNotKept
	}
	return out, nil
}

// Maker is the step of a change that left this at a path from the root.
func Maker(j *logbook.Journal, r *audit.Record, path, sum string) *audit.Act {
	for i := range r.Acts {
		a := &r.Acts[i]
		if p, ok := j.Below(a.Path); ok && p == path && a.New != nil && a.New.Sum == sum && a.Places() {
			return a
		}
	}
	return nil
}

// Remade finds the version of an id, and makes it anew.
func Remade(ctx context.Context, w *workspace.Workspace, id string) (remade, error) {
	slot, _ := strings.CutSuffix(id, RemadeMark)
	tx, n, ok := history.ParseSlot(slot)
	if !ok {
		return remade{}, noVersion(id)
	}
	p, err := pastWorkspace(w)
	if err != nil {
		return remade{}, err
	}
	if p == nil || !p.txs[tx] {
		return remade{}, noVersion(id)
	}
	p.txs = map[string]bool{tx: true}
	for r := range p.each(ctx) {
		for i := range r.Acts {
			a := &r.Acts[i]
			path, inside := p.inside(a.Path)
			if r.takenBack || a.Slot != n || a.New == nil || !inside {
				continue
			}
			out, err := Remake(p.Store.History(), r.Record, a)
			if err != nil {
				return out, noVersion(id)
			}
			out.Path = path
			return out, p.err
		}
	}
	return remade{}, errors.Join(p.err, noVersion(id))
}

func IsRemade(id string) bool { return strings.HasSuffix(id, RemadeMark) }

// contentAnew is the content of a version that is made anew.
func contentAnew(ctx context.Context, w *workspace.Workspace, id string) (*api.Content, error) {
	v, err := Remade(ctx, w, id)
	if err == nil {
		err = w.Guard.CheckRead(v.Path)
	}
	if err != nil {
		return nil, err
	}
	c := &api.Content{ID: id, Path: v.Path, Mode: Octal(v.Act.New.Mode)}
	return c, fill(ctx, c, strings.NewReader(v.Text))
}
