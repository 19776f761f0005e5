package emend

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/fail"
)

// TimelineRequest asks for calls of the log, the newest first. Every condition that is given has to hold.
type TimelineRequest struct {
	SessionID, Agent, Client, Tool string
	Path                           string // this file, or something below this directory
	Text                           string // a part of a path, a message, a session, an agent, a client, a tool or an entry, in any case
	Outcome                        Outcome
	Since, Until                   time.Time
	Before                         uint64 // only what is older than the record of this number; 0 for all
	Limit                          int    // at most so many calls; 50
	Look                           int    // at most so many records are looked through; 20,000
}

// Outcome is how a call ended.
type Outcome string

// How calls end.
const (
	Done      Outcome = "done"
	Refused   Outcome = "refused"   // before it changed anything
	Aborted   Outcome = "aborted"   // it began, and was taken back by the process that made it
	Recovered Outcome = "recovered" // a crash interrupted it, and a later process finished it
	Reverted  Outcome = "reverted"  // a crash interrupted it, and a later process took it back
	Undone    Outcome = "undone"    // it was done, and has been taken back since
)

// Timeline is calls of the log.
type Timeline struct {
	Calls  []LoggedCall
	Next   uint64 // ask with Before for what is older; 0 when nothing is
	Looked int    // records that were looked through
	Head   Head   // the newest record
	Notes  []string
}

// LoggedCall is one call of the log, with the files that it changed or tried to.
type LoggedCall struct {
	Entry     string // by which Show and Undo know it
	Seq       uint64
	Timestamp time.Time
	Kind      string // commit, undo, failed, denied, purge
	SessionID string
	AgentName string
	Client    string
	ToolName  string
	Outcome   Outcome
	ErrorKind string
	Message   string
	AskedBy   string
	Undoes    []string
	UndoneBy  string
	Files     []LogEntry // without diffs; the first twenty
	FileCount int
}

// Timeline lists calls, each with all its files, where [Workspace.History] lists files. It waits for no lock.
func (w *Workspace) Timeline(ctx context.Context, r TimelineRequest) (t *Timeline, err error) {
	err = w.consult(func(j *journal) error {
		want, err := w.seeks(r)
		if err == nil {
			t, err = j.timeline(ctx, want)
		}
		return err
	})
	return t, err
}

// timeline collects calls.
func (j *journal) timeline(ctx context.Context, want *sought) (*Timeline, error) {
	t, s := &Timeline{}, newScan()
	if j.log != nil {
		t.Head = j.log.Head()
	}
	q := want.query(s, j.prefix)
	switch {
	case want.before > 0 && t.Head.Seq < want.before+nearby && want.until.IsZero():
		q.Before = 0
	case want.before > 0 || !want.until.IsZero():
		j.remember(s)
	}
	for r, err := range j.records(ctx, s, q) {
		if err != nil {
			return nil, err
		}
		if want.before > 0 && r.Seq >= want.before {
			continue // it says how the next one ended
		}
		if want.over(r) {
			break
		}
		c, ok := j.call(s, r, want)
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
	t.Notes = j.notes
	return t, nil
}

// maxListed is how many files of a call a list has.
const maxListed = 20

// call is r as a list has it, if that is wanted.
func (j *journal) call(s *scan, r *audit.Record, want *sought) (LoggedCall, bool) {
	if !listed(r) || !want.record(r) {
		return LoggedCall{}, false
	}
	r = j.shown(r)
	c := LoggedCall{Entry: nameOf(r), Seq: r.Seq, Timestamp: r.TS, Kind: string(r.Kind), SessionID: r.Actor.Session, AgentName: r.Actor.Agent,
		Client: r.Actor.Client, ToolName: r.Actor.Tool, Outcome: s.outcome(r), ErrorKind: r.ErrorKind, Message: r.Message,
		Undoes: r.Undoes, UndoneBy: s.undoneBy(r.Tx)}
	if r.Asked != nil {
		c.AskedBy = r.Asked.By
	}
	if want.outcome != "" && want.outcome != c.Outcome {
		return c, false
	}
	if end := s.failed(r); decides(r) && end != nil {
		c.ErrorKind, c.Message = cmp.Or(end.ErrorKind, string(fail.CommandFailed)), end.Message
	}
	var hits, others []int // of the operations: those at the paths that are asked for, and the others
	inside, named := len(r.Ops) == 0, want.names(&c)
	for i := range r.Ops {
		op, ok := j.local(r.Ops[i])
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
		op, _ := j.local(r.Ops[i])
		e := j.entry(s, r, op)
		if e.OK {
			e.TrashedTo = j.kept(displaced(r, r.Ops[i]))
		}
		c.Files = append(c.Files, e)
	}
	return c, true
}

// outcome is how r ended.
func (s *scan) outcome(r *audit.Record) Outcome {
	end := s.ends[r.Tx]
	switch {
	case r.Kind == audit.Failed || r.Kind == audit.Denied:
		return Refused
	case !decides(r):
		return Done
	case end != nil && end.Kind == audit.Abort && !commit.Interrupted(end):
		return Aborted
	case s.failed(r) != nil:
		return Reverted
	case s.undoneBy(r.Tx) != "":
		return Undone
	case end != nil && end.Kind == audit.Recovered:
		return Recovered
	}
	return Done
}
