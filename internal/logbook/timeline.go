package logbook

import (
	"cmp"
	"context"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/workspace"
)

// maxCallFiles bounds the files of a call in a list.
const maxCallFiles = 20

// Timeline lists calls with their files, the newest first.
func Timeline(ctx context.Context, w *workspace.Workspace, r api.TimelineRequest) (*api.Timeline, error) {
	rd, err := Open(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	f, err := newFilter(w, r)
	if err != nil {
		return nil, err
	}
	return rd.timeline(ctx, f)
}

func (rd *Reader) timeline(ctx context.Context, f *Filter) (*api.Timeline, error) {
	t, o := &api.Timeline{Head: rd.Head()}, NewOutcomes()
	for r, err := range rd.Records(ctx, o, f.query(o, rd.Paths)) {
		if err != nil {
			return nil, err
		}
		if f.tooOld(r) {
			break
		}
		c, ok := rd.Call(o, r, f)
		ok = ok && (f.content == "" || rd.changedLineContains(r, f))
		if ok && len(t.Calls) == f.limit {
			t.Next = t.Calls[len(t.Calls)-1].Seq
			break
		}
		if ok {
			if f.lines {
				c.Lines = rd.countLines(o, r)
			}
			t.Calls = append(t.Calls, c)
		}
		if t.Looked++; t.Looked == f.look && r.Seq > 1 {
			t.Next = r.Seq
			break
		}
	}
	t.Notes = rd.Notes
	return t, nil
}

// Call returns r as a list of calls has it, and whether it matches the filter.
func (rd *Reader) Call(o *Outcomes, r *audit.Record, f *Filter) (api.LoggedCall, bool) {
	if !hasEntries(r) || !f.matches(r) {
		return api.LoggedCall{}, false
	}
	r = rd.withoutQuotes(r)
	c := api.LoggedCall{Entry: EntryName(r), Seq: r.Seq, Timestamp: r.TS, Kind: string(r.Kind), SessionID: r.Actor.Session, Turn: r.Actor.Turn, Seen: r.Seen, AgentName: r.Actor.Agent,
		Client: r.Actor.Client, ToolName: r.Actor.Tool, Outcome: o.of(r), ErrorKind: r.ErrorKind, Message: r.Message,
		Undoes: r.Undoes, UndoneBy: o.UndoneBy(r.Tx), UndoesParts: rd.undoesParts(r), UndoneParts: rd.undoneParts(o, r), Marks: rd.shortMarks(r)}
	if r.Asked != nil {
		c.AskedBy = r.Asked.By
	}
	if f.outcome != "" && f.outcome != c.Outcome {
		return c, false
	}
	if end := o.Failed(r); IsTransaction(r) && end != nil {
		c.ErrorKind, c.Message = cmp.Or(end.ErrorKind, string(fail.CommandFailed)), end.Message
	}
	var matching, others []int // indexes of the changes below the paths of the filter, and of the others
	inside, named := len(r.Ops) == 0, f.namedByText(&c)
	for i := range r.Ops {
		op, ok := rd.Local(r.Ops[i])
		if !ok {
			continue
		}
		c.FileCount, inside = c.FileCount+1, true
		named = named || f.containsText(op.Path) || f.containsText(op.ToPath)
		if f.matchesOp(op) {
			matching = append(matching, i)
		} else {
			others = append(others, i)
		}
	}
	if !inside || len(matching) == 0 && len(f.paths) > 0 || !named && !f.containsText(c.Message) {
		return c, false
	}
	for _, i := range slices.Concat(matching, others)[:min(c.FileCount, maxCallFiles)] {
		op, _ := rd.Local(r.Ops[i])
		e := rd.Entry(o, r, op)
		if e.OK {
			e.TrashedTo = rd.Kept(SlotOf(r, r.Ops[i]))
		}
		c.Files = append(c.Files, e)
	}
	return c, true
}
