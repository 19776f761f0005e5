package trace

import (
	"bytes"
	"context"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/patch"
)

// lineage follows a file back through the log. What a change displaced is what the change before it had left: so each
// change that is met says where the content of the version before it is kept.
type lineage struct {
	j       *logbook.Journal
	path    string // where the file was, as far back as the walk has come
	spelled []byte // the same, as a line of the log has it
	keys    audit.Keys
	held    held // what stood there right after the change that comes next
	kept    map[string]held
	found   []version
}

// version is a version, and what it had.
type version struct {
	api.FileVersion
	sum    string
	hidden bool
	record *audit.Record // that made it
	at     string        // where that left it
}

func newLineage(j *logbook.Journal, path string, now held) *lineage {
	l := &lineage{j: j, held: now, kept: map[string]held{}, keys: audit.Keys{}}
	l.at(path)
	l.keep(now)
	return l
}

// at goes on at a path.
func (l *lineage) at(path string) {
	l.path, l.spelled = path, logbook.SpelledIn(kept.Top(l.j, path))
	l.keys.Add(string(l.spelled))
}

func (l *lineage) keep(h held) {
	if h.id != "" && l.kept[h.sum].id == "" {
		l.kept[h.sum] = h
	}
}

// walk goes back until it has met more than limit versions; more says that it has not come to the beginning of the log.
func (l *lineage) walk(ctx context.Context, limit int) (more bool, err error) {
	pending, s := l.j.Pending(), logbook.NewScan()
	for r, err := range l.j.Records(ctx, s, l.j.Sifted(s, l.keys, func(line []byte) bool { return bytes.Contains(line, l.spelled) })) {
		if err != nil {
			return false, err
		}
		if logbook.Decides(r) && s.Failed(r) == nil && r.Tx != pending {
			l.back(s, r)
		}
		if len(l.found) > limit {
			l.found = l.found[:limit]
			return true, nil
		}
	}
	if l.held.there && len(l.found) > 0 {
		l.unmade(l.held)
		l.found[len(l.found)-1].Outside = false
	}
	if more = len(l.found) > limit; more {
		l.found = l.found[:limit]
	}
	return more, nil
}

// back goes over the changes of one entry, the last first.
func (l *lineage) back(s *logbook.Scan, r *audit.Record) {
	for i, raw := range slices.Backward(r.Ops) {
		op, ok := l.j.Local(raw)
		switch {
		case !ok:
		case op.ToPath == l.path:
			l.step(s, r, i, op, op.After)
			l.at(op.Path)
			l.before(r, op)
		case op.Path == l.path && (op.ToPath != "" || op.Operation == patch.Delete.String()):
			l.step(s, r, i, op, "")
			l.before(r, op)
		case op.Path == l.path:
			l.step(s, r, i, op, op.After)
			l.before(r, op)
		}
	}
}

// step is the version that a change left.
func (l *lineage) step(s *logbook.Scan, r *audit.Record, i int, op audit.Op, left string) {
	if !l.held.is(left) {
		l.unmade(l.held)
		l.held = held{there: left != "", sum: left, size: op.Size}
	}
	v := version{FileVersion: api.FileVersion{LogEntry: l.j.Entry(s, r, op)}, record: r, at: l.path}
	if slot := l.j.Kept(logbook.Displaced(r, r.Ops[i])); slot != "" {
		v.TrashedTo = slot
	}
	l.add(v, l.held)
}

// unmade is a version that no entry made.
func (l *lineage) unmade(h held) {
	l.add(version{FileVersion: api.FileVersion{Outside: true, LogEntry: api.LogEntry{Timestamp: h.at, Path: l.path, AfterSha256: h.sum, OK: true}}}, h)
}

func (l *lineage) add(v version, h held) {
	v.sum, v.ID, v.Now, v.Gone, v.SizeBytes = h.sum, h.id, h.now, !h.there, h.size
	v.hidden = l.j.Guard.CheckRead(l.path) != nil
	l.held.now = false
	l.found = append(l.found, v)
}

// before is what stood at the path before a change: what that displaced, or, when it moved the file as it was, the same.
func (l *lineage) before(r *audit.Record, op audit.Op) {
	was := l.held
	l.held = held{there: op.Before != "", sum: op.Before}
	if was.there && was.sum == op.Before {
		l.held = was
		l.held.now = false
	}
	for _, a := range r.Acts {
		path, ok := l.j.Below(a.Path)
		if !ok || path != l.path || a.Old == nil || a.Old.Sum != op.Before || !a.Displaces() {
			continue
		}
		l.held = held{there: true, sum: a.Old.Sum, size: a.Old.Size, at: r.TS}
		if is, ok := kept.Slot(l.j, history.Slot(r.Tx, a.Slot), &a); ok {
			l.held.id, l.held.at = history.Slot(r.Tx, a.Slot), is
			l.keep(l.held)
		}
	}
}

// versions are those that were found. A content whose own slot is empty may be kept elsewhere: an undo that was itself
// undone, or a file that came back, has put it there.
func (l *lineage) versions() []api.FileVersion {
	out := []api.FileVersion{}
	for _, v := range l.found {
		if same, ok := l.kept[v.sum]; v.ID == "" && !v.Gone && ok {
			v.ID, v.SizeBytes = same.id, same.size
		}
		if v.hidden {
			v.ID, v.SizeBytes, v.BeforeSha256, v.AfterSha256 = "", 0, "", ""
		}
		out = append(out, v.FileVersion)
	}
	return out
}
