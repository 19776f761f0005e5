package logbook

import (
	"cmp"
	"context"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
)

// maxListed is how many files of a call a list has.
const maxListed = 20

// Timeline collects calls.
func (j *Journal) Timeline(ctx context.Context, want *Sought) (*api.Timeline, error) {
	t, s := &api.Timeline{}, NewScan()
	if j.Log != nil {
		t.Head = j.Log.Head()
	}
	q := want.query(s, j.Prefix)
	switch {
	case want.before > 0 && t.Head.Seq < want.before+Nearby && want.until.IsZero():
		q.Before = 0
	case want.before > 0 || !want.until.IsZero():
		j.remember(s)
	}
	for r, err := range j.Records(ctx, s, q) {
		if err != nil {
			return nil, err
		}
		if want.before > 0 && r.Seq >= want.before {
			continue // it says how the next one ended
		}
		if want.over(r) {
			break
		}
		c, ok := j.Call(s, r, want)
		if ok && len(t.Calls) == want.limit {
			t.Next = t.Calls[len(t.Calls)-1].Seq
			break
		}
		if ok {
			t.Calls = append(t.Calls, c)
		}
		if t.Looked++; t.Looked == want.look && r.Seq > 1 {
			t.Next = r.Seq
			break
		}
	}
	t.Notes = j.Notes
	return t, nil
}

// Call is r as a list has it, if that is wanted.
func (j *Journal) Call(s *Scan, r *audit.Record, want *Sought) (api.LoggedCall, bool) {
	if !listed(r) || !want.record(r) {
		return api.LoggedCall{}, false
	}
	r = j.shown(r)
	c := api.LoggedCall{Entry: nameOf(r), Seq: r.Seq, Timestamp: r.TS, Kind: string(r.Kind), SessionID: r.Actor.Session, AgentName: r.Actor.Agent,
		Client: r.Actor.Client, ToolName: r.Actor.Tool, Outcome: s.outcome(r), ErrorKind: r.ErrorKind, Message: r.Message,
		Undoes: r.Undoes, UndoneBy: s.undoneBy(r.Tx)}
	if r.Asked != nil {
		c.AskedBy = r.Asked.By
	}
	if want.outcome != "" && want.outcome != c.Outcome {
		return c, false
	}
	if end := s.Failed(r); Decides(r) && end != nil {
		c.ErrorKind, c.Message = cmp.Or(end.ErrorKind, string(fail.CommandFailed)), end.Message
	}
	var hits, others []int // of the operations: those at the paths that are asked for, and the others
	inside, named := len(r.Ops) == 0, want.names(&c)
	for i := range r.Ops {
		op, ok := j.Local(r.Ops[i])
		if !ok {
			continue
		}
		c.FileCount, inside = c.FileCount+1, true
		named = named || want.in(op.Path) || want.in(op.ToPath)
		if want.paths(op) {
			hits = append(hits, i)
		} else {
			others = append(others, i)
		}
	}
	if !inside || len(hits) == 0 && len(want.at) > 0 || !named && !want.in(c.Message) {
		return c, false
	}
	for _, i := range slices.Concat(hits, others)[:min(c.FileCount, maxListed)] {
		op, _ := j.Local(r.Ops[i])
		e := j.Entry(s, r, op)
		if e.OK {
			e.TrashedTo = j.Kept(Displaced(r, r.Ops[i]))
		}
		c.Files = append(c.Files, e)
	}
	return c, true
}

// outcome is how r ended.
func (s *Scan) outcome(r *audit.Record) api.Outcome {
	end := s.ends[r.Tx]
	switch {
	case r.Kind == audit.Failed || r.Kind == audit.Denied:
		return api.Refused
	case !Decides(r):
		return api.Done
	case end != nil && end.Kind == audit.Abort && !commit.Interrupted(end):
		return api.Aborted
	case s.Failed(r) != nil:
		return api.Reverted
	case s.undoneBy(r.Tx) != "":
		return api.Undone
	case end != nil && end.Kind == audit.Recovered:
		return api.Recovered
	}
	return api.Done
}
