package trace

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// backtrace follows a file back through the log. A change displaced the file that the change before it had left, so each
// change tells where the content of the version before it is kept.
type backtrace struct {
	rd       *logbook.Reader
	contents kept.Contents
	path     string // of the file, as far back as the walk has come
	quoted   []byte // the same, as a line of the log spells it
	keys     audit.Keys
	state    fileState            // of the path right after the change that the walk meets next
	kept     map[string]fileState // versions whose content is kept, by sum
	versions []version            // the newest first
	any      bool                 // there were versions

	returned *returnedFile // by the change that was met last
	source   string        // the slot that the walk is on the way to, see goBackTo; "" for none
	sourceTx string        // its transaction
}

// returnedFile is a file that a change brought back from the history.
type returnedFile struct {
	slot, path string
	state      fileState
}

// version is one version of the file.
type version struct {
	api.FileVersion
	sum    string
	hidden bool          // it may not be read
	record *audit.Record // that made it; nil for one that no entry made
	path   string        // where that left it
}

// maxReads bounds how often a file is read again because the log went on meanwhile.
const maxReads = 20

// readWithLog calls read, which reads a file, until the log is the same before and after it. Otherwise the file may have an entry
// that rd does not have, and it would look as if somebody had changed it without emend.
func readWithLog(rd *logbook.Reader, read func() error) error {
	for range maxReads {
		before := rd.Head()
		if err := read(); err != nil || rd.Log == nil {
			return err
		}
		if err := rd.Log.Refresh(); err != nil {
			return workspace.StoreError(err)
		}
		if rd.Head() == before {
			return nil
		}
	}
	return nil
}

func newBacktrace(rd *logbook.Reader, path string, now fileState) *backtrace {
	b := &backtrace{rd: rd, contents: kept.Of(rd.History), state: now, kept: map[string]fileState{}, keys: audit.Keys{}}
	b.goTo(path)
	b.addKept(now)
	return b
}

// goTo goes on at a path.
func (b *backtrace) goTo(path string) {
	b.path, b.quoted = path, logbook.Quoted(b.rd.ToTop(path))
	b.keys.AddQuoted(audit.ByPath, string(b.quoted))
}

// addKept notes where a content is kept.
func (b *backtrace) addKept(s fileState) {
	if s.id != "" && b.kept[s.sum].id == "" {
		b.kept[s.sum] = s
	}
}

// walk goes back until enough, which is called whenever there are more versions, says so, or to the beginning of the log.
func (b *backtrace) walk(ctx context.Context, enough func() (bool, error)) error {
	pending, o := b.rd.Pending(), logbook.NewOutcomes()
	query := logbook.WithKeys(o, b.keys, func(line []byte) bool {
		return bytes.Contains(line, b.quoted) || b.source != "" && audit.TxOf(line) == b.sourceTx
	})
	for r, err := range b.rd.Records(ctx, o, query) {
		if err != nil {
			return err
		}
		n := len(b.versions)
		if logbook.IsTransaction(r) && o.Failed(r) == nil && (!pending[r.Tx] || b.done(r)) {
			b.returned = nil
			b.record(o, r)
		}
		if len(b.versions) == n {
			continue
		}
		if stop, err := enough(); stop || err != nil {
			return err
		}
	}
	if b.state.exists && b.source == "" && b.any {
		b.addOutside() // the file before its first entry
		b.versions[len(b.versions)-1].Outside = false
		_, err := enough()
		return err
	}
	return nil
}

// done reports whether a change that may not be finished has changed the file already.
func (b *backtrace) done(r *audit.Record) bool {
	return slices.ContainsFunc(r.Ops, func(raw audit.Op) bool {
		op, ok := b.rd.Local(raw)
		return ok && cmp.Or(op.ToPath, op.Path) == b.path && op.After != "" && op.After != op.Before && b.state.sum == op.After
	})
}

// record goes back over the changes of one entry, the last first.
func (b *backtrace) record(o *logbook.Outcomes, r *audit.Record) {
	if b.source != "" {
		b.goToSource(r)
		return
	}
	for i, raw := range slices.Backward(r.Ops) {
		op, ok := b.rd.Local(raw)
		switch {
		case !ok:
		case op.ToPath == b.path:
			b.addVersion(o, r, i, op, op.After)
			b.goTo(op.Path)
			b.before(r, op)
		case op.Path == b.path && (op.ToPath != "" || op.Operation == patch.Delete.String()):
			b.addVersion(o, r, i, op, "")
			b.before(r, op)
		case op.Path == b.path:
			b.addVersion(o, r, i, op, op.After)
			b.before(r, op)
		}
	}
}

// addVersion adds the version with this sum, or none, that the change at index i of r left.
func (b *backtrace) addVersion(o *logbook.Outcomes, r *audit.Record, i int, op audit.Op, sum string) {
	if !b.state.matches(sum) {
		b.addOutside()
		b.state = fileState{exists: sum != "", sum: sum, size: op.Size}
	}
	v := version{FileVersion: api.FileVersion{LogEntry: b.rd.Entry(o, r, op)}, record: r, path: b.path}
	if slot := b.rd.Kept(logbook.SlotOf(r, r.Ops[i])); slot != "" {
		v.TrashedTo = slot
	}
	b.add(v)
}

// addOutside adds a version that no entry made.
func (b *backtrace) addOutside() {
	s := b.state
	b.add(version{FileVersion: api.FileVersion{Outside: true, LogEntry: api.LogEntry{Timestamp: s.time, Path: b.path, AfterSha256: s.sum, OK: true}}})
}

// add adds a version that has the state of the path.
func (b *backtrace) add(v version) {
	s := b.state
	v.sum, v.ID, v.Now, v.Gone, v.SizeBytes = s.sum, s.id, s.current, !s.exists, s.size
	v.hidden = b.rd.Guard.CheckRead(b.path) != nil
	b.state.current, b.any = false, true
	b.versions = append(b.versions, v)
}

// before sets the state of the path to that before a change: what the change displaced, or, when it moved the file as it
// was, the same.
func (b *backtrace) before(r *audit.Record, op audit.Op) {
	after := b.state
	if op.ToPath == "" && b.returned == nil {
		b.findReturned(r, op, after)
	}
	b.state = fileState{exists: op.Before != "", sum: op.Before}
	if after.exists && after.sum == op.Before {
		b.state = after
		b.state.current = false
	}
	for i := range r.Acts {
		a := &r.Acts[i]
		path, ok := b.rd.FromTop(a.Path)
		if !ok || path != b.path || a.Old == nil || a.Old.Sum != op.Before || !a.Displaces() {
			continue
		}
		b.state = fileState{exists: true, sum: a.Old.Sum, size: a.Old.Size, time: r.TS}
		slot := history.Slot(r.Tx, a.Slot)
		if is, ok := b.contents.Has(slot, a); ok {
			b.state.id, b.state.time = slot, is.ModTime
			b.addKept(b.state)
		}
	}
}

// findReturned notes that a change brought the file back from the history, which left it as given.
func (b *backtrace) findReturned(r *audit.Record, op audit.Op, left fileState) {
	for i := range r.Acts {
		a := &r.Acts[i]
		if path, ok := b.rd.FromTop(a.Path); ok && path == b.path && a.Places() && a.From != "" && a.New != nil && a.New.Sum == op.After {
			b.returned = &returnedFile{a.From, path, left}
		}
	}
}

// goBackTo makes the walk go on where a file that was brought back had been displaced: what happened in between did not lead to
// it.
func (b *backtrace) goBackTo(f *returnedFile) {
	b.goTo(f.path)
	b.source, b.state = f.slot, f.state
	b.sourceTx, _, _ = history.ParseSlot(f.slot)
	b.keys.Add(audit.ByTx, b.sourceTx)
}

// goToSource goes on before r, if that displaced the file into the slot that b is on the way to. On the way it only notes
// what is kept.
func (b *backtrace) goToSource(r *audit.Record) {
	for i := range r.Acts {
		a := &r.Acts[i]
		path, ok := b.rd.FromTop(a.Path)
		if !ok || !a.Displaces() || a.Old == nil || b.rd.Guard.CheckRead(path) != nil {
			continue
		}
		slot := history.Slot(r.Tx, a.Slot)
		s := fileState{exists: true, sum: a.Old.Sum, size: a.Old.Size, time: r.TS}
		if _, ok := b.contents.Has(slot, a); ok {
			s.id = slot
			b.addKept(s)
		}
		if slot == b.source {
			b.source, b.state = "", s
			b.goTo(path)
		}
	}
}

// fileVersions returns the versions. A content whose own slot is empty may be kept elsewhere: an undo that was itself
// undone, or a file that came back, has put it there.
func (b *backtrace) fileVersions() []api.FileVersion {
	out := []api.FileVersion{}
	for _, v := range b.versions {
		if same, ok := b.kept[v.sum]; v.ID == "" && !v.Gone && ok {
			v.ID, v.SizeBytes = same.id, same.size
		}
		if v.hidden {
			v.ID, v.SizeBytes, v.BeforeSha256, v.AfterSha256 = "", 0, "", ""
		}
		out = append(out, v.FileVersion)
	}
	return out
}
