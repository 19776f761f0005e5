package trace

import (
	"cmp"
	"context"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
)

// maxRemade is how many versions are made anew to find out whether that can be done.
const maxRemade = 32

// maxStands is how many files are read to find out whether they are what is sought.
const maxStands = 64

// seek looks for contents whose own slot is empty: what was deleted may have been restored to another path, and what was
// moved away be displaced or stand elsewhere.
func (l *lineage) seek(ctx context.Context) error {
	lost := l.lost()
	if len(lost) == 0 {
		return nil
	}
	s, looked, keys := logbook.NewScan(), map[string]bool{}, audit.Keys{}
	for sum := range lost {
		keys.Add(string(logbook.SpelledIn(sum)))
	}
	for r, err := range l.j.Records(ctx, s, l.j.Sifted(s, keys, lost.In)) {
		if err != nil {
			return err
		}
		if !logbook.Decides(r) || s.Failed(r) != nil {
			continue
		}
		for i := range r.Acts {
			l.keepOf(r, &r.Acts[i], lost)
		}
		for _, op := range r.Ops {
			if err := l.stands(ctx, op, lost, looked); err != nil {
				return err
			}
		}
		if len(lost) == 0 {
			return nil
		}
	}
	return nil
}

// lost are the contents that are not found yet. Some can be made anew.
func (l *lineage) lost() logbook.Sums256 {
	lost, tried := logbook.Sums256{}, 0
	for _, v := range l.found {
		if v.ID != "" || v.Gone || v.hidden || v.sum == "" || l.kept[v.sum].id != "" {
			continue
		}
		if lost[v.sum] = true; v.record == nil || tried == maxRemade {
			continue
		}
		if a := kept.Maker(l.j, v.record, v.at, v.sum); a != nil {
			tried++
			if m, err := kept.Remake(l.j.Hist, v.record, a); err == nil {
				l.keep(held{there: true, sum: v.sum, id: history.Slot(v.record.Tx, a.Slot) + kept.RemadeMark, size: int64(len(m.Text))})
				delete(lost, v.sum)
			}
		}
	}
	return lost
}

// keepOf notes what a step displaced, if that is sought.
func (l *lineage) keepOf(r *audit.Record, a *audit.Act, lost logbook.Sums256) {
	if a.Old == nil || !lost[a.Old.Sum] || !a.Displaces() {
		return
	}
	path, inside := l.j.Below(a.Path)
	if !inside || l.j.Guard.CheckRead(path) != nil {
		return
	}
	if at, ok := kept.Slot(l.j, history.Slot(r.Tx, a.Slot), a); ok {
		l.keep(held{there: true, sum: a.Old.Sum, id: history.Slot(r.Tx, a.Slot), size: a.Old.Size, at: at})
		delete(lost, a.Old.Sum)
	}
}

// stands looks whether what a change left still stands there.
func (l *lineage) stands(ctx context.Context, op audit.Op, lost logbook.Sums256, looked map[string]bool) error {
	op, ok := l.j.Local(op)
	path := cmp.Or(op.ToPath, op.Path)
	if !ok || !lost[op.After] || looked[path] || len(looked) == maxStands || l.j.Guard.CheckRead(path) != nil {
		return nil
	}
	looked[path] = true
	h, err := present(ctx, l.j.Guard, path)
	if err == nil && h.id != "" && lost[h.sum] {
		h.now = false
		l.keep(h)
		delete(lost, h.sum)
	}
	if ctx.Err() != nil {
		return caller.Cancelled(ctx)
	}
	return nil
}
