package look

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/patch"
)

const (
	// maxRecord is how many changes one entry of the log has at most.
	maxRecord = 20_000
	// Bounds of the diff that is stored with an entry.
	maxDiffFile  = 1 << 20
	maxDiffTotal = 8 << 20
)

// record writes the changes into the log, one entry for each maker.
func (l *look) record(ctx context.Context, copies vfs.Dir, changes []change) error {
	ends := l.calls.find(l.actor)
	if l.req.Moment != api.AfterCall {
		ends = nil
	} else if ends == nil { // its beginning was not reported
		a := l.actor
		a.Turn = l.turn()
		l.calls.begin(openCall{Actor: a, Command: l.req.Command, Paths: l.fromTop(l.req.Paths), Since: l.was.at})
		ends = l.calls.find(l.actor)
	}
	type group struct {
		maker
		changes []change
	}
	var groups []*group
	unnamed := 0
	for _, c := range changes {
		paths := []string{c.path()}
		if c.moved() {
			paths = append(paths, c.now.path)
		}
		if !utf8.ValidString(strings.Join(paths, "")) {
			unnamed++
			continue
		}
		m := l.calls.makerOf(ends, paths...)
		var g *group
		for _, known := range groups {
			if known.call == m.call && strings.Join(known.others, "\n") == strings.Join(m.others, "\n") && len(known.changes) < maxRecord {
				g = known
			}
		}
		if g == nil {
			g = &group{maker: m}
			groups = append(groups, g)
		}
		g.changes = append(g.changes, c)
	}
	if unnamed > 0 {
		l.out.Notes = append(l.out.Notes, fmt.Sprintf("%d files with names that are not valid UTF-8 changed. The log cannot have such names: this is not on record and cannot be undone.", unnamed))
	}
	for _, g := range groups {
		noAgent := l.req.Quiet || l.req.Moment == api.AtStart || len(l.calls.sessions) == 0 && l.req.Moment != api.AtUnclear
		if g.call == nil && noAgent {
			continue
		}
		if err := l.recordGroup(ctx, copies, g.maker, g.changes, g.call != nil && g.call == ends); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) recordGroup(ctx context.Context, copies vfs.Dir, m maker, changes []change, ended bool) error {
	r := audit.Record{PolicyHash: l.w.Guard.PolicyHash(), Actor: api.Actor{Tool: audit.Between}, Seen: &audit.Seen{Since: l.was.at.UTC(), Others: forLog(m.others)}}
	if m.call != nil {
		r.Actor, r.Seen.Command = m.call.Actor, caller.ForLog(m.call.Command)
		if ended {
			r.Seen.Result = caller.ForLog(l.req.Result)
		}
	}
	seen := commit.Seen{Record: r}
	entry := api.SeenEntry{}
	var diff strings.Builder
	rd := &reader{guard: l.top}
	defer rd.close()
	filled := dirsOf(changes)
	for _, c := range changes {
		op, acts := l.describe(rd, copies, c, &diff)
		if op.Operation != audit.OpMkdir && op.Operation != audit.OpRmdir || !filled[op.Path] { // else the files in a directory tell of it
			seen.Record.Ops = append(seen.Record.Ops, op)
		}
		seen.Changes = append(seen.Changes, acts...)
	}
	seen.Diff = diff.String()
	tx, head, err := l.store.RecordSeen(ctx, seen)
	if err != nil {
		return err
	}
	entry.Entry, entry.Seq = tx, head.Seq
	for _, op := range seen.Record.Ops {
		entry.Files = append(entry.Files, api.SeenFile{Operation: op.Operation, Path: op.Path, ToPath: op.ToPath, NoUndo: op.NoUndo})
	}
	l.out.Entries = append(l.out.Entries, entry)
	return nil
}

// recordMissed notes in the log why looks before this one failed, and what could not be read of the event of this one. What changed
// meanwhile was found by this one.
func (l *look) recordMissed(ctx context.Context) error {
	const most = 20
	for _, why := range l.req.Missed[max(0, len(l.req.Missed)-most):] {
		a := l.actor
		a.Tool, a.Call = "look", ""
		r := audit.Record{Kind: audit.Failed, Actor: a, ErrorKind: string(fail.CommandFailed), Message: caller.ForLog("The record may have a gap: " + why)}
		if err := l.store.RecordRefusal(ctx, r, true); err != nil {
			return err
		}
	}
	return nil
}

func forLog(all []string) []string {
	for i := range all {
		all[i] = caller.ForLog(all[i])
	}
	return all
}

// dirsOf returns the directories in which something changed, and those above them.
func dirsOf(changes []change) map[string]bool {
	out := map[string]bool{}
	add := func(f *file) {
		for p := f.path; ; {
			i := strings.LastIndexByte(p, '/')
			if i < 0 || out[p[:i]] {
				return
			}
			p = p[:i]
			out[p] = true
		}
	}
	for _, c := range changes {
		if c.old != nil {
			add(c.old)
		}
		if c.now != nil {
			add(c.now)
		}
	}
	return out
}

// describe makes the operation and the steps of a change, and adds its diff.
func (l *look) describe(rd *reader, copies vfs.Dir, c change, diff *strings.Builder) (audit.Op, []commit.SeenChange) {
	op := audit.Op{Path: c.path()}
	if c.old != nil && !c.old.mode.IsDir() {
		op.Before = c.old.ident().Sum
	}
	if c.now != nil && !c.now.mode.IsDir() {
		op.After, op.Size = c.now.ident().Sum, c.now.size
	}
	if c.now != nil {
		op.Mode = c.now.mode
	}
	a := audit.Act{Path: c.path()}
	keep := func(vfs.Dir, string) error { return fs.ErrNotExist }
	if c.old != nil && !c.moved() {
		keep = l.keepOf(rd, copies, c.old)
	}
	op.NoUndo = c.noUndo()
	switch {
	case c.moved():
		op.Operation, op.ToPath = patch.Move.String(), c.now.path
		a.Do, a.To, a.Old = audit.DoMove, c.now.path, c.old.ident()
	case c.old == nil:
		op.Operation = patch.Add.String()
		if a.Do, a.New = audit.DoPut, c.now.ident(); c.now.mode.IsDir() {
			op.Operation, a.Do, a.New, a.Mode = audit.OpMkdir, audit.DoMkdir, nil, c.now.mode
		}
	case c.now == nil:
		op.Operation = patch.Delete.String()
		if a.Do, a.Old = audit.DoTake, c.old.ident(); c.old.mode.IsDir() {
			op.Operation, a.Do, a.Old, a.Mode = audit.OpRmdir, audit.DoRmdir, nil, c.old.mode
		}
	default:
		op.Operation = patch.Update.String()
		a.Do, a.Old, a.New = audit.DoSwap, c.old.ident(), c.now.ident()
	}
	if c.beyondUndo() {
		return op, nil
	}
	if !c.moved() { // what moved is as it was
		l.addDiff(rd, copies, c, op.Operation, diff)
	}
	return op, []commit.SeenChange{{Act: a, Keep: keep}}
}

// beyondUndo reports whether a change is named in the entry and nothing of it can be taken back.
func (c change) beyondUndo() bool {
	for _, f := range []*file{c.old, c.now} {
		if f != nil && (f.has(unentered) || !f.mayKeep() && !f.mode.IsDir()) {
			return true
		}
	}
	return c.old != nil && c.now != nil && c.old.mode.IsDir()
}

// noUndo says what an undo of a change does not give back. What is not kept is found out later.
func (c change) noUndo() string {
	f := c.old
	if f == nil {
		f = c.now
	}
	switch {
	case path.Base(f.path) == dotGit:
		return "git's own files are not on record"
	case f.has(unentered):
		return "ignore rules leave this directory out, so what is in it is not on record"
	case f.mode.IsDir() && c.old != nil && c.now != nil:
		return "the permissions of a directory stay as they are"
	case f.mode.IsDir():
		return ""
	case !f.mayKeep():
		return "a special file stays as it is"
	case c.now != nil && c.now.mode.IsRegular() && c.now.sum == "":
		return "its content was not read: it is too large, or may not be read, and an undo leaves it as it is"
	case c.old != nil && c.old.mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 && !c.moved():
		return "undo restores it without its set-user-ID and set-group-ID bits"
	case c.old != nil && c.old.has(linked) && !c.moved():
		return "it was a hard link; undo restores it as a separate file"
	}
	return ""
}

// keepOf returns what puts the content of a file into a slot: a link's target, the copy of it, or what git has.
func (l *look) keepOf(rd *reader, copies vfs.Dir, f *file) func(slots vfs.Dir, name string) error {
	switch {
	case f.link != "":
		return func(slots vfs.Dir, name string) error { return slots.Symlink(f.link, name) }
	case f.copy != 0:
		return func(slots vfs.Dir, name string) error {
			// The copy keeps its name until the change is in the log: if that fails, the next look needs it.
			err := copies.Link(copyName(f.copy), slots, name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // no hard links here
				err = copies.Rename(copyName(f.copy), slots, name, vfs.NoReplace)
			}
			return err
		}
	case f.blob != "":
		return func(slots vfs.Dir, name string) error { return rd.keepFromGit(l.repo, f, slots, name) }
	}
	return nil
}

// addDiff adds the diff of a text whose content from before is known, that is not too long, and that may be read.
func (l *look) addDiff(rd *reader, copies vfs.Dir, c change, operation string, diff *strings.Builder) {
	for _, f := range []*file{c.old, c.now} {
		if f == nil {
			continue
		}
		rel, inside := l.w.Paths().FromTop(f.path)
		if !f.mode.IsRegular() || f.size > maxDiffFile || !inside || l.w.Guard.CheckRead(rel) != nil {
			return
		}
	}
	var before, after string
	var err error
	if c.old != nil {
		if before, err = l.textBefore(copies, c.old); err != nil {
			return
		}
	}
	if c.now != nil {
		if after, err = rd.text(c.now); err != nil {
			return
		}
	}
	if diff.Len()+len(before)+len(after) <= maxDiffTotal {
		diff.WriteString(report.DiffOfTexts(operation, c.path(), before, after))
	}
}
