package logbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/report"
)

// Nearby is how far from the newest record an entry may be, or a list begin, and still be read from there: what took it back is
// met on the way. For one further back all that was ever taken back has to be known.
var Nearby uint64 = 4000

// key is what a person wrote to name an entry.
type key struct {
	tx  string // a transaction, or how its name begins
	seq uint64 // the number of a record; 0 for none
}

// soon is how many records may come between a change and what says how it ended.
const soon = 100

// Find looks for the record that entry names: among the newest; where it should be; and if it is not there, since a clock was
// set back, in all of the log.
func (j *Journal) Find(ctx context.Context, entry string) (*Scan, *audit.Record, error) {
	s, r, err := j.findNear(ctx, keyOf(entry))
	if r != nil || err != nil {
		return s, r, err
	}
	at := keyOf(entry).at()
	s, r, err = j.findFrom(ctx, entry, at)
	if errors.Is(err, fail.NotFound) && !at.Until.IsZero() {
		return j.findFrom(ctx, entry, audit.Query{})
	}
	return s, r, err
}

// findNear looks among the newest records for the one that the key names, and not only begins to name; nil when it is not there.
func (j *Journal) findNear(ctx context.Context, key key) (*Scan, *audit.Record, error) {
	s := NewScan()
	much := ChangesWith(s, func(line []byte) bool { return key.in(line) }).Need
	for r, err := range j.Records(ctx, s, audit.Query{Need: much}) {
		if err != nil {
			return nil, nil, err
		}
		if r.Seq+Nearby < j.Log.Head().Seq {
			break
		}
		if r.Seq == key.seq && r.Tx != "" {
			key.tx = r.Tx
		}
		if key.is(r) && key.meant(r) && j.inside(r) {
			return s, r, nil
		}
	}
	return nil, nil, nil
}

func (j *Journal) findFrom(ctx context.Context, entry string, at audit.Query) (*Scan, *audit.Record, error) {
	s, key := NewScan(), keyOf(entry)
	var list []*audit.Record
	var end *audit.Record // of the last in the list
	at.Need = ChangesWith(s, func(line []byte) bool { return key.in(line) }).Need
	if at.Before > 0 || !at.Until.IsZero() {
		j.remember(s)
	}
	for r, err := range j.Records(ctx, s, at) {
		if err != nil {
			return nil, nil, err
		}
		if r.Seq == key.seq && r.Tx != "" {
			key.tx, list = r.Tx, nil // also a mark names its transaction
		}
		if !key.meant(r) || !j.inside(r) {
			continue
		}
		end = s.ends[r.Tx]
		if list = append(list, r); key.is(r) {
			return s, r, nil
		}
	}
	if len(list) == 1 {
		s.ends[list[0].Tx] = end
		return s, list[0], nil
	}
	return nil, nil, unnamed(entry, list)
}

// keyOf reads "#12" as a number only, since names of transactions begin with digits too.
func keyOf(entry string) key {
	number, only := strings.CutPrefix(entry, "#")
	seq, _ := strconv.ParseUint(number, 10, 64)
	if only || len(entry) < 6 {
		return key{seq: seq}
	}
	return key{tx: entry, seq: seq}
}

// at is where the log has what is meant: behind the record of a number, or soon after the time that a whole name says.
func (k key) at() audit.Query {
	made, ok := history.TimeOf(k.tx)
	switch {
	case k.tx == "" && k.seq > 0:
		return audit.Query{Before: k.seq + 1}
	case ok && k.seq == 0:
		return audit.Query{Until: made}
	}
	return audit.Query{}
}

// is reports whether r has the whole name, or the number.
func (k key) is(r *audit.Record) bool { return r.Tx == k.tx || r.Seq == k.seq && k.tx == "" }

func (k key) meant(r *audit.Record) bool {
	if !listed(r) {
		return false
	}
	return k.tx != "" && strings.HasPrefix(r.Tx, k.tx) && Decides(r) || k.seq > 0 && r.Seq == k.seq
}

// in reports whether a line of the log may be of a record that is meant, or say how that ended.
func (k key) in(line []byte) bool {
	_, number, _ := bytes.Cut(line[:min(len(line), 64)], []byte(`"seq":`))
	number, _, _ = bytes.Cut(number, []byte{','})
	seq, _ := strconv.ParseUint(string(number), 10, 64)
	return k.tx != "" && strings.HasPrefix(TxIn(line), k.tx) || k.seq > 0 && seq >= k.seq && seq-k.seq <= soon
}

// inside reports whether anything of r is below the root.
func (j *Journal) inside(r *audit.Record) bool {
	return len(r.Ops) == 0 || slices.ContainsFunc(r.Ops, func(op audit.Op) bool { _, ok := j.Local(op); return ok })
}

func unnamed(entry string, list []*audit.Record) error {
	e := &fail.Error{Kind: fail.NotFound, Msg: "no entry is called " + fail.Quote(entry),
		Hint: "Name a transaction, six or more characters of its beginning, or the number of a record; emend log lists them."}
	if len(list) > 1 {
		var names []string
		for _, r := range list[:min(len(list), 5)] {
			names = append(names, r.Tx)
		}
		e.Kind, e.Reason = fail.CommandFailed, fail.BadArguments
		e.Msg = fmt.Sprintf("%d entries begin with %s", len(list), fail.Quote(entry))
		e.Hint = "Write more of the name: " + strings.Join(names, ", ") + map[bool]string{true: ", …", false: "."}[len(list) > 5]
	}
	return e
}

// Tell is all of r.
func (j *Journal) Tell(s *Scan, r *audit.Record) api.EntryData {
	d := api.EntryData{Entry: nameOf(r), Seq: r.Seq, Kind: string(r.Kind), Timestamp: r.TS, Client: r.Actor.Client, Call: r.Actor.Call, SessionID: r.Actor.Session,
		AgentName: r.Actor.Agent, ToolName: r.Actor.Tool, PolicyHash: r.PolicyHash, IdempotencyKey: r.Idem, RequestSha256: r.Request,
		OK: r.OK, Outcome: s.outcome(r), ErrorKind: r.ErrorKind, Message: r.Message, Undoes: r.Undoes, UndoneBy: s.undoneBy(r.Tx),
		Files: j.entries(s, r, &Wanted{diff: true}), Kept: []api.Kept{}, Prev: r.Prev, H: r.H}
	if r.Asked != nil {
		d.AskedBy = r.Asked.By
	}
	if len(d.Files) > 0 && !d.Files[0].OK {
		first := d.Files[0]
		d.OK, d.ErrorKind, d.Message = false, first.ErrorKind, first.Message
	}
	if len(r.Ops) == 0 {
		d.Files = []api.LogEntry{}
	}
	if end := s.ends[r.Tx]; end != nil && Decides(r) {
		d.End, d.EndedAt = string(end.Kind), &end.TS
		if d.Message == "" {
			d.Message = end.Message
		}
	}
	if Decides(r) && d.OK {
		d.Kept = j.keeps(r)
	}
	return d
}

// keeps is what the history still has of what r displaced.
func (j *Journal) keeps(r *audit.Record) []api.Kept {
	out := []api.Kept{}
	for _, a := range r.Acts {
		path, ok := j.Below(a.Path)
		if !a.Displaces() || !ok {
			continue
		}
		id := history.Slot(r.Tx, a.Slot)
		for _, name := range []string{history.OldLink(id), id} {
			if is, err := j.Hist.Slots().Stat(name); err == nil {
				out = append(out, api.Kept{ID: id, Path: path, SizeBytes: is.Size, MTime: is.ModTime})
				break
			}
		}
	}
	return out
}

// Text is the entry as a model reads it.
func Text(d *api.EntryData, notes []string) string {
	out := make([]string, 0, len(d.Files)+len(notes)+1)
	out = append(out, report.Escape(fmt.Sprintf("%s: %s, record %d.", d.Entry, d.Kind, d.Seq)))
	if d.AskedBy != "" {
		out = append(out, "A person was asked, by "+report.Escape(d.AskedBy)+", and said yes.")
	}
	for i := range d.Files {
		out = append(out, report.EntryLine(&d.Files[i]))
	}
	for _, n := range notes {
		out = append(out, "Note: "+report.Escape(n))
	}
	return strings.Join(out, "\n")
}
