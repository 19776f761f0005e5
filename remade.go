package emend

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
)

// What a change left and nobody displaced through emend, since a person saved another file there, is kept nowhere as a
// file. But what the change displaced is, and its diff: so it can be made anew, and its hash says whether that worked.

// remadeMark ends the id of such a version; before it is the slot of the change.
const remadeMark = "+"

// remade is a version that was made anew.
type remade struct {
	path, text string
	slot       string // with what lends its mode; "" for a new file
	act        *audit.Act
}

// remake makes what a step left, from what it displaced and the diff of its change.
func remake(h *history.History, r *audit.Record, a *audit.Act) (out remade, err error) {
	if a.New == nil || a.New.Link || a.Old != nil && a.Old.Link || a.Do != "put" && a.Do != "swap" {
		return out, errNotKept
	}
	out = remade{path: a.Path, act: a}
	if a.Old != nil {
		out.slot = history.Slot(r.Tx, a.Slot)
		if out.text, _, err = slotText(h, out.slot); err != nil {
			return out, err
		}
		if plan.Sum(out.text) != a.Old.Sum {
			return out, errNotKept
		}
	}
	diff, err := h.Kept(history.Diff(r.Tx))
	if err != nil || len(diff) > 4*maxSessionText {
		return out, errNotKept
	}
	parts, ok := report.Parts(diff), true
	for i, op := range r.Ops {
		if op.Path != a.Path || op.ToPath != "" {
			continue
		}
		if out.text, ok = redo(out.text, report.PartOf(parts, i, op.Path, "")); !ok {
			return out, errNotKept
		}
	}
	if plan.Sum(out.text) != a.New.Sum {
		return out, errNotKept
	}
	return out, nil
}

// maker is the step of a change that left this at a path from the root.
func (j *journal) maker(r *audit.Record, path, sum string) *audit.Act {
	for i := range r.Acts {
		a := &r.Acts[i]
		if p, ok := j.below(a.Path); ok && p == path && a.New != nil && a.New.Sum == sum && (a.Do == "put" || a.Do == "swap") {
			return a
		}
	}
	return nil
}

// remade finds the version of an id, and makes it anew.
func (w *Workspace) remade(ctx context.Context, id string) (remade, error) {
	slot, _ := strings.CutSuffix(id, remadeMark)
	tx, n, ok := history.ParseSlot(slot)
	if !ok {
		return remade{}, noVersion(id)
	}
	p, err := w.past()
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
			out, err := remake(p.store.History(), r.Record, a)
			if err != nil {
				return out, noVersion(id)
			}
			out.path = path
			return out, p.err
		}
	}
	return remade{}, errors.Join(p.err, noVersion(id))
}

func isRemade(id string) bool { return strings.HasSuffix(id, remadeMark) }

// contentAnew is the content of a version that is made anew.
func (w *Workspace) contentAnew(ctx context.Context, id string) (*Content, error) {
	v, err := w.remade(ctx, id)
	if err == nil {
		err = w.guard.Readable(v.path)
	}
	if err != nil {
		return nil, err
	}
	c := &Content{ID: id, Path: v.path, Mode: octal(v.act.New.Mode)}
	return c, c.fill(ctx, strings.NewReader(v.text))
}

// planAnew puts a version back that is made anew: a file that is there keeps its mode.
func (w *Workspace) planAnew(ctx context.Context, src *reader, r PutBackRequest) (p *plan.Plan, notes []string, err error) {
	v, err := w.remade(ctx, r.Version)
	if err == nil {
		err = w.guard.ReadableBy(v.path, src.asks)
	}
	if err != nil {
		return nil, nil, err
	}
	made := v.act.New
	f, err := r.target(ctx, src, v.path, made.Sum, 0)
	if err != nil {
		return nil, nil, err
	}
	switch is := modeOf(f); {
	case f.Kind == plan.Link:
		return nil, nil, &fail.Error{Kind: fail.AlreadyExists, Path: r.Path, Msg: "a symbolic link is there now",
			Hint: "Delete the link first (delete_file, emend rm), and put the version back then."}
	case f.Kind == plan.Regular && is.Perm() != made.Mode.Perm():
		notes = append(notes, fmt.Sprintf("%s keeps the permissions that it has, %s: they were %s, and only the text of this version is kept.",
			report.Escape(r.Path), octal(is), octal(made.Mode)))
	}
	p, err = w.bringing(ctx, src, f, origin{there: true, slot: v.slot, sum: made.Sum, mode: made.Mode, size: int64(len(v.text)), edited: true, text: v.text})
	if err == nil && f.Kind == plan.Missing && v.slot == "" {
		p.Steps[0].Exec = made.Mode&0o111 != 0
	}
	return p, notes, err
}
