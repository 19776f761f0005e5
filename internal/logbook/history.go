package logbook

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// maxEntries is how many entries History returns unless it is told.
const maxEntries = 50

// Scan goes through the log from the newest record on, and so knows of each what came of it.
type Scan struct {
	ends   map[string]*audit.Record // of a transaction: what says how it ended
	Undone map[string]string        // of a transaction: the one that took it back
	later  map[string]string        // the same, known beforehand, where the scan does not begin at the newest record
}

// Wanted is a request, understood.
type Wanted struct {
	at            []string // the paths, one of which it has to be, or be below
	Session, tool string
	since         time.Time
	limit         int
	diff          bool
}

var age = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{1,9})([dw])$`) })

var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.){3,}"(?:… \(\d+ bytes\))?`)
})

// List collects what is wanted.
func (j *Journal) List(ctx context.Context, want *Wanted) (api.HistoryData, error) {
	data, s := api.HistoryData{Entries: []api.LogEntry{}}, NewScan()
	for r, err := range j.Records(ctx, s, audit.Query{}) {
		if err != nil {
			return data, err
		}
		if want.over(r) {
			break
		}
		entries := j.entries(s, r, want)
		if room := want.limit - len(data.Entries); want.limit > 0 && len(entries) > room {
			data.Entries, data.Truncated = append(data.Entries, entries[:room]...), true
			break
		}
		data.Entries = append(data.Entries, entries...)
	}
	return data, nil
}

func NewScan() *Scan { return &Scan{ends: map[string]*audit.Record{}, Undone: map[string]string{}} }

// undoneBy is the transaction that took tx back.
func (s *Scan) undoneBy(tx string) string { return cmp.Or(s.Undone[tx], s.later[tx]) }

func (s *Scan) See(r *audit.Record) {
	switch r.Kind {
	case audit.Applied, audit.Abort, audit.Recovered:
		if r.Tx != "" && s.ends[r.Tx] == nil { // one that was not read whole is none that says anything
			s.ends[r.Tx] = r
		}
	case audit.Commit, audit.Undo:
		if len(r.Undoes) == 0 || s.Failed(r) != nil || s.undoneBy(r.Tx) != "" {
			return
		}
		for _, tx := range r.Undoes {
			if s.undoneBy(tx) == "" {
				s.Undone[tx] = r.Tx
			}
		}
	}
}

// Over lets go of how a transaction ended, when nothing is to be asked of it any more: a log may have millions.
func (s *Scan) Over(r *audit.Record) {
	if Decides(r) {
		delete(s.ends, r.Tx)
	}
}

// Failed is the record that says that r, a transaction, came to nothing.
func (s *Scan) Failed(r *audit.Record) *audit.Record {
	end := s.ends[r.Tx]
	if end == nil || end.Kind == audit.Applied || end.Kind == audit.Recovered && end.OK {
		return nil
	}
	return end
}

// Decides reports whether r is the record of a transaction.
func Decides(r *audit.Record) bool { return r.Kind == audit.Commit || r.Kind == audit.Undo }

// listed reports whether r has entries.
func listed(r *audit.Record) bool {
	switch r.Kind {
	case audit.Denied, audit.Failed, audit.Purge:
		return true
	}
	return Decides(r)
}

// entries are those of the entries of r that are wanted.
func (j *Journal) entries(s *Scan, r *audit.Record, want *Wanted) []api.LogEntry {
	if !listed(r) || !want.record(r) {
		return nil
	}
	ops, r := r.Ops, j.shown(r)
	if len(ops) == 0 {
		ops = []audit.Op{{}}
	}
	var out []api.LogEntry
	var parts []string
	for i := range ops {
		op, ok := j.Local(ops[i])
		if !ok || !want.paths(op) {
			continue
		}
		e := j.Entry(s, r, op)
		if want.diff && e.OK && r.Kind != audit.Purge {
			if parts == nil {
				parts = j.Parts(r.Tx)
			}
			j.show(&e, op, report.DiffOf(parts, i, ops[i].Path, ops[i].ToPath))
		}
		if e.OK {
			e.TrashedTo = j.Kept(Displaced(r, ops[i]))
		}
		out = append(out, e)
	}
	return out
}

// shown is r without what its message quotes, if it named a file that may not be read.
func (j *Journal) shown(r *audit.Record) *audit.Record {
	hidden := func(op audit.Op) bool {
		op, ok := j.Local(op)
		return !ok || j.Readable(op) != nil
	}
	if r.Kind != audit.Failed || !slices.ContainsFunc(r.Ops, hidden) {
		return r
	}
	out := *r
	out.Message = unquoted(r.Message)
	return &out
}

// Entry words one change of a record.
func (j *Journal) Entry(s *Scan, r *audit.Record, op audit.Op) api.LogEntry {
	e := api.LogEntry{Timestamp: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent, ToolName: r.Actor.Tool,
		Operation: op.Operation, Path: op.Path, ToPath: op.ToPath, BeforeSha256: op.Before, AfterSha256: op.After,
		OK: r.OK, ErrorKind: r.ErrorKind, Message: r.Message, Entry: nameOf(r), Seq: r.Seq, Client: r.Actor.Client, Call: r.Actor.Call,
		Undoes: r.Undoes, UndoneBy: s.undoneBy(r.Tx)}
	if j.Readable(op) != nil {
		e.BeforeSha256, e.AfterSha256 = "", "" // a short secret can be guessed from its hash
		if r.Kind == audit.Failed {
			e.Message = unquoted(e.Message)
		}
	}
	if end := s.ends[r.Tx]; Decides(r) && end != nil && end.Kind != audit.Applied {
		e.Ended = string(end.Kind)
	}
	if end := s.Failed(r); Decides(r) && end != nil {
		e.OK, e.Message = false, end.Message
		e.ErrorKind = cmp.Or(end.ErrorKind, string(fail.CommandFailed))
	}
	return e
}

// nameOf is by what an entry is asked for.
func nameOf(r *audit.Record) string {
	if Decides(r) {
		return r.Tx
	}
	return fmt.Sprintf("#%d", r.Seq)
}

// show gives an entry its diff, and where the hunks landed, unless policy protects the file from reading: now, whatever it
// said then.
func (j *Journal) show(e *api.LogEntry, op audit.Op, diff string) {
	if err := j.Readable(op); err != nil {
		e.Message = "the diff is not shown: " + err.Error()
		return
	}
	for _, h := range op.Hunks {
		e.Hunks = append(e.Hunks, api.HunkPlace(h))
	}
	e.Diff, e.HunksMore = diff, op.HunksMore
}

func (j *Journal) Readable(op audit.Op) error {
	err := j.Guard.CheckRead(op.Path)
	if err == nil && op.ToPath != "" {
		err = j.Guard.CheckRead(op.ToPath)
	}
	return err
}

// Parts are the diffs of a transaction, of its files in order; nothing when they are not kept.
func (j *Journal) Parts(tx string) []string {
	diff, err := j.Hist.ReadText(history.DiffName(tx))
	if err != nil {
		return []string{}
	}
	return report.SplitDiff(diff)
}

// Kept is the slot if the history still has it.
func (j *Journal) Kept(slot string) string {
	if slot == "" {
		return ""
	}
	for _, name := range []string{slot, history.OldLink(slot)} {
		if _, err := j.Hist.Slots().Stat(name); err == nil {
			return slot
		}
	}
	return ""
}

// Displaced names the slot with what op, of r, deleted or overwrote; "" when it did neither.
func Displaced(r *audit.Record, op audit.Op) (slot string) {
	do, at := audit.DoSwap, op.Path
	switch op.Operation {
	case patch.Delete.String():
		do = audit.DoTake
	case patch.Move.String():
		at = op.ToPath
	case patch.Add.String():
	default:
		return ""
	}
	for _, a := range r.Acts {
		if a.Do == do && a.Path == at {
			return history.Slot(r.Tx, a.Slot)
		}
	}
	return ""
}

// Local makes the paths of op, which are from the top of the tree, relative to the root. What is outside of it is left
// out: of a move over its border one end is left, which appears or goes.
func (j *Journal) Local(op audit.Op) (audit.Op, bool) {
	from, inFrom := j.Below(op.Path)
	to, inTo := j.Below(op.ToPath)
	switch {
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

func (j *Journal) Below(p string) (string, bool) {
	if p == "" || j.Prefix == "." {
		return p, true
	}
	return strings.CutPrefix(p, j.Prefix+"/")
}

func Wants(w *workspace.Workspace, r api.HistoryRequest) (*Wanted, error) {
	want := &Wanted{Session: r.SessionID, tool: r.Tool, limit: max(0, cmp.Or(r.Limit, maxEntries)), diff: r.Diff}
	var err error
	if r.Since != "" {
		if want.since, err = since(r.Since, time.Now()); err != nil {
			return nil, err
		}
	}
	if r.Path != "" {
		want.at, err = w.Spelled(r.Path)
	}
	return want, err
}

// over reports whether r is so much older than what is wanted that nothing before it is newer: clocks are set back now
// and then, but not by days.
func (w *Wanted) over(r *audit.Record) bool {
	return !w.since.IsZero() && r.TS.Before(w.since.Add(-24*time.Hour))
}

func (w *Wanted) record(r *audit.Record) bool {
	return (w.Session == "" || w.Session == r.Actor.Session) && (w.tool == "" || w.tool == r.Actor.Tool) && !r.TS.Before(w.since)
}

func (w *Wanted) paths(op audit.Op) bool {
	if len(w.at) == 0 {
		return true
	}
	return slices.ContainsFunc(w.at, func(at string) bool {
		return within(op.Path, at) || op.ToPath != "" && within(op.ToPath, at)
	})
}

// within reports whether p is dir, or below it.
func within(p, dir string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir+"/")
}

// since understands a time, a date or an age.
func since(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	if m := age().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return now.AddDate(0, 0, -n*map[string]int{"d": 1, "w": 7}[m[2]]), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "since: " + fail.Quote(text) + " is no time and no age",
		Hint: "Write a time (2026-01-31T12:00:00Z), a date (2026-01-31, in UTC) or an age (90m, 2h, 7d)."}
}

// unquoted takes out of a message what it quotes, which may be a line of a patch or of a file. What has one or two
// characters stays: it is a mark, such as "+" or "@@".
func unquoted(message string) string { return quoted().ReplaceAllString(message, `"…"`) }

// Logged is what the log says of a refusal. Content is not in the log: what a message quotes is left out where it may
// be a line of the patch.
func Logged(e *fail.Error) string {
	switch e.Kind {
	case fail.PatchParse, fail.PatchApply, fail.OldTextNotFound, fail.MultipleMatches, fail.Overlapping:
	case fail.CommandFailed:
		if e.Reason != fail.BadArguments {
			return report.Shorten(e.Error())
		}
	default:
		return report.Shorten(e.Error())
	}
	short := *e
	short.Msg = unquoted(e.Msg)
	return report.Shorten(short.Error())
}

// Listing is entries as a model reads them.
func Listing(d api.HistoryData, notes []string) string {
	var b strings.Builder
	if len(d.Entries) == 0 {
		b.WriteString("No entries.")
	}
	for i, e := range d.Entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(report.EntryLine(&e))
	}
	if d.Truncated {
		b.WriteString("\nThere are more: raise limit, or ask with path, sessionId or since.")
	}
	for _, n := range notes {
		b.WriteString("\nNote: " + report.Escape(n))
	}
	return b.String()
}
