package logbook

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// EntryName returns the name by which a person asks for r: a transaction's own, or "#" and the number of the record.
func EntryName(r *audit.Record) string {
	if IsTransaction(r) {
		return r.Tx
	}
	return fmt.Sprintf("#%d", r.Seq)
}

// entries returns the entries of r that match the filter: one for each file that it changed or tried to.
func (rd *Reader) entries(o *Outcomes, r *audit.Record, f *Filter) []api.LogEntry {
	if !hasEntries(r) || !f.matches(r) {
		return nil
	}
	ops, r := r.Ops, rd.withoutQuotes(r)
	if len(ops) == 0 {
		ops = []audit.Op{{Operation: operationOf(r)}}
	}
	var out []api.LogEntry
	var diffs []string
	for i := range ops {
		op, ok := rd.Local(ops[i])
		if !ok || !f.matchesOp(op) {
			continue
		}
		e := rd.Entry(o, r, op)
		if f.diff && e.OK && r.Kind != audit.Purge {
			if diffs == nil {
				diffs = rd.Diffs(r.Tx)
			}
			rd.addDiff(&e, op, report.DiffOf(diffs, i, ops[i].Path, ops[i].ToPath))
		}
		if e.OK {
			e.TrashedTo = rd.Kept(SlotOf(r, ops[i]))
		}
		out = append(out, e)
	}
	return out
}

// operationOf returns the operation of a record that names no file. A purge may have removed diffs and answers alone.
func operationOf(r *audit.Record) string {
	if r.Kind == audit.Purge {
		return string(audit.Purge)
	}
	return ""
}

// Entry returns the log entry for op, one change of r, whose paths count from the root.
func (rd *Reader) Entry(o *Outcomes, r *audit.Record, op audit.Op) api.LogEntry {
	e := api.LogEntry{Timestamp: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent, ToolName: r.Actor.Tool,
		Operation: op.Operation, Path: op.Path, ToPath: op.ToPath, BeforeSha256: op.Before, AfterSha256: op.After,
		OK: r.OK, ErrorKind: r.ErrorKind, Message: r.Message, Entry: EntryName(r), Seq: r.Seq, Client: r.Actor.Client, Call: r.Actor.Call,
		Undoes: r.Undoes, UndoneBy: o.UndoneBy(r.Tx), Turn: r.Actor.Turn, Seen: r.Seen, UndoesParts: rd.undoesParts(r)}
	for _, p := range rd.undoneParts(o, r) {
		if p.Path == op.Path || p.Path == op.ToPath {
			e.UndoneParts = append(e.UndoneParts, p)
		}
	}
	if e.OK {
		e.Marks = marksOf(op)
	}
	if rd.Readable(op) != nil {
		e.BeforeSha256, e.AfterSha256 = "", "" // a short secret can be guessed from its hash
		if r.Kind == audit.Failed {
			e.Message = unquoted(e.Message)
		}
	}
	if !IsTransaction(r) {
		return e
	}
	if end := o.ends[r.Tx]; end != nil && end.Kind != audit.Applied {
		e.Ended = string(end.Kind)
	}
	if end := o.Failed(r); end != nil {
		e.OK, e.Message = false, end.Message
		e.ErrorKind = cmp.Or(end.ErrorKind, string(fail.CommandFailed))
	}
	return e
}

// undoesParts returns what r took back of other entries by pieces, below the root.
func (rd *Reader) undoesParts(r *audit.Record) (out []api.UndonePart) {
	for _, p := range r.Parts {
		out = rd.appendPart(out, p, api.UndonePart{Entry: p.Entry})
	}
	return out
}

// undoneParts returns what was taken back of r by pieces, below the root.
func (rd *Reader) undoneParts(o *Outcomes, r *audit.Record) (out []api.UndonePart) {
	for _, p := range o.UndoneParts(r.Tx) {
		out = rd.appendPart(out, p.Part, api.UndonePart{Entry: p.By, Partly: p.Blurs})
	}
	return out
}

func (rd *Reader) appendPart(list []api.UndonePart, p audit.Part, out api.UndonePart) []api.UndonePart {
	var inside bool
	if out.Path, inside = rd.FromTop(p.Path); !inside {
		return list
	}
	out.Hunks, out.Of = p.Hunks, p.Of
	return append(list, out)
}

// marksOf words what a person should know of a change.
func marksOf(op audit.Op) (out []string) {
	if op.Files > 0 {
		out = append(out, report.FilesInside(op.Files, op.Size))
	}
	if op.Unasked != "" {
		out = append(out, fmt.Sprintf("%s (rule %s)", unaskedMark, fail.Quote(op.Unasked)))
	}
	for _, k := range op.Keys {
		out = append(out, fmt.Sprintf("line %d %s: %s", k.Line, keyMark, k.Kind))
	}
	if op.NoUndo != "" {
		out = append(out, "not given back by an undo: "+op.NoUndo)
	}
	return out
}

const (
	unaskedMark = "nobody was asked"
	keyMark     = "looks like a key"
)

// shortMarks returns the marks of a call, without their details.
func (rd *Reader) shortMarks(r *audit.Record) (out []string) {
	for _, mark := range []struct {
		text string
		has  func(audit.Op) bool
	}{
		{unaskedMark, func(op audit.Op) bool { return op.Unasked != "" }},
		{"a line " + keyMark, func(op audit.Op) bool { return len(op.Keys) > 0 }},
	} {
		if slices.ContainsFunc(r.Ops, func(op audit.Op) bool { _, ok := rd.Local(op); return ok && mark.has(op) }) {
			out = append(out, mark.text)
		}
	}
	return out
}

// withoutQuotes returns r without the text that its message quotes, if r failed on a file that may not be read.
func (rd *Reader) withoutQuotes(r *audit.Record) *audit.Record {
	hidden := func(op audit.Op) bool {
		op, ok := rd.Local(op)
		return !ok || rd.Readable(op) != nil
	}
	if r.Kind != audit.Failed || !slices.ContainsFunc(r.Ops, hidden) {
		return r
	}
	out := *r
	out.Message = unquoted(r.Message)
	return &out
}

// addDiff gives an entry its diff, and where the hunks landed, unless policy now protects the file from reading.
func (rd *Reader) addDiff(e *api.LogEntry, op audit.Op, diff string) {
	if err := rd.Readable(op); err != nil {
		e.Message = "the diff is not shown: " + err.Error()
		return
	}
	for _, h := range op.Hunks {
		e.Hunks = append(e.Hunks, api.HunkPlace(h))
	}
	e.Diff, e.HunksMore = diff, op.HunksMore
}

// Readable returns why the files of op may not be read, nil when they may.
func (rd *Reader) Readable(op audit.Op) error {
	err := rd.Guard.CheckRead(op.Path)
	if err == nil && op.ToPath != "" {
		err = rd.Guard.CheckRead(op.ToPath)
	}
	return err
}

// Diffs returns the diffs of a transaction, one for each file, in order; none when they are not kept.
func (rd *Reader) Diffs(tx string) []string {
	diff, err := rd.History.ReadText(history.DiffName(tx))
	if err != nil {
		rd.noteUnread(err)
		return []string{}
	}
	return report.SplitDiff(diff)
}

// Kept returns slot if the history still has a file in it, else "".
func (rd *Reader) Kept(slot string) string {
	if slot == "" {
		return ""
	}
	if _, _, err := rd.History.Find(slot); err != nil {
		rd.noteUnread(err)
		return ""
	}
	return slot
}

// noteUnread notes that something of the history cannot be read, unless it is not there any more.
func (rd *Reader) noteUnread(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		rd.note("A part of the history cannot be read, and what it keeps is left out here: %v. A person can run emend doctor.", err)
	}
}

// SlotOf returns the slot with the file that op, of r, deleted or overwrote; "" when it did neither.
func SlotOf(r *audit.Record, op audit.Op) (slot string) {
	do, path := audit.DoSwap, op.Path
	switch op.Operation {
	case patch.Delete.String():
		do = audit.DoTake
	case patch.Move.String():
		path = op.ToPath
	case patch.Add.String():
	default:
		return ""
	}
	for _, a := range r.Acts {
		if a.Do == do && a.Path == path {
			return history.Slot(r.Tx, a.Slot)
		}
	}
	return ""
}

// Local makes the paths of op relative to the root. It reports false for a change outside of the root. A move across the
// border of the root becomes a deletion or an addition.
func (rd *Reader) Local(op audit.Op) (audit.Op, bool) {
	from, inFrom := rd.FromTop(op.Path)
	to, inTo := rd.FromTop(op.ToPath)
	switch {
	case op.Path == "": // a refusal that names no file
		inFrom = true
	case op.ToPath == "" || inFrom && inTo:
		op.Path, op.ToPath = from, to
		return op, inFrom
	case inFrom:
		op.Operation, op.Path, op.ToPath, op.After = patch.Delete.String(), from, "", ""
	case inTo:
		op.Operation, op.Path, op.ToPath, op.Before = patch.Add.String(), to, "", ""
	}
	return op, inFrom || inTo
}

// inside reports whether r changed anything below the root, or names no file.
func (rd *Reader) inside(r *audit.Record) bool {
	return len(r.Ops) == 0 || slices.ContainsFunc(r.Ops, func(op audit.Op) bool { _, ok := rd.Local(op); return ok })
}
