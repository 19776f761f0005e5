package logbook

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
)

// News is what a part of the log adds to a tally.
type News struct {
	Calls                  int
	Hours                  map[int64]api.Count
	Sessions               map[string]*api.SessionCount // with no time: only what became of earlier calls
	Agents, Clients, Tools nameSet
}

type nameSet map[string]bool

func (n nameSet) add(name string) {
	if name != "" && len(n) < maxNames {
		n[name] = true
	}
}

// Count counts what the log has after a record, and what that says of calls before it. Not the same: the log does not have
// the record.
func (j *Journal) Count(ctx context.Context, after api.Head) (n *News, same bool, err error) {
	n = &News{Hours: map[int64]api.Count{}, Sessions: map[string]*api.SessionCount{}, Agents: nameSet{}, Clients: nameSet{}, Tools: nameSet{}}
	if j.Log == nil || j.Log.Head().Seq < after.Seq {
		return n, false, nil
	}
	now, then := NewScan(), NewScan() // what is known, and what was when the record after was the newest
	open := map[string]bool{}         // transactions of which something new is said
	for r, err := range j.Records(ctx, now, audit.Query{Need: j.brief}) {
		switch {
		case err != nil:
			return n, true, err
		case r.Seq > after.Seq:
			if n.changed(now, r, open); listed(r) && j.inside(r) {
				n.call(r, now.outcome(r))
			}
			continue
		case r.Seq == after.Seq && r.H != after.H:
			return n, false, nil
		case len(open) == 0:
			return n, true, nil
		}
		then.See(r)
		if Decides(r) && open[r.Tx] {
			delete(open, r.Tx)
			if was, is := then.outcome(r), now.outcome(r); was != is && j.inside(r) {
				n.turn(r, was, is)
			}
			if then.counts(r) != now.counts(r) {
				for _, tx := range r.Undoes {
					open[tx] = true
				}
			}
		}
		then.Over(r)
	}
	return n, true, nil
}

// brief is how much of a record is needed to count it.
func (j *Journal) brief(k audit.Kind, _ []byte) audit.Detail {
	switch k {
	case audit.Applied, audit.Rotate:
		return audit.Header
	case audit.Undo, audit.Abort, audit.Recovered:
		return audit.Full
	}
	if j.Prefix != "." {
		return audit.Full // to see whether it is below the root
	}
	return audit.WithActor
}

// counts reports whether r, a transaction, is done and stands.
func (s *Scan) counts(r *audit.Record) bool { return s.Failed(r) == nil && s.undoneBy(r.Tx) == "" }

// changed notes of which transactions r, which is new, says something.
func (n *News) changed(s *Scan, r *audit.Record, open map[string]bool) {
	switch {
	case r.Kind == audit.Abort || r.Kind == audit.Recovered:
		open[r.Tx] = true
	case Decides(r):
		delete(open, r.Tx)
		if s.counts(r) {
			for _, tx := range r.Undoes {
				open[tx] = true
			}
		}
	}
}

func count(o api.Outcome) api.Count {
	switch o {
	case api.Refused, api.Aborted, api.Reverted:
		return api.Count{Refused: 1}
	case api.Undone:
		return api.Count{Undone: 1}
	}
	return api.Count{Done: 1}
}

func hour(r *audit.Record) int64 { return r.TS.Unix() / 3600 }

// call counts a new call.
func (n *News) call(r *audit.Record, o api.Outcome) {
	n.Calls++
	n.Hours[hour(r)] = n.Hours[hour(r)].And(count(o))
	n.Agents.add(r.Actor.Agent)
	n.Clients.add(r.Actor.Client)
	n.Tools.add(r.Actor.Tool)
	s := n.session(r.Actor.Session)
	if s == nil {
		return
	}
	s.And(&api.SessionCount{Agent: r.Actor.Agent, Client: r.Actor.Client, Last: r.TS, Count: count(o)})
	if s.First.IsZero() || r.TS.Before(s.First) {
		s.First = r.TS
	}
}

// session is what is new of a session; nil when there are too many, of which those that are met first are newer.
func (n *News) session(id string) *api.SessionCount {
	s := n.Sessions[id]
	if s == nil && id != "" && len(n.Sessions) < 2*MaxSessions {
		s = &api.SessionCount{ID: id}
		n.Sessions[id] = s
	}
	return s
}

// turn counts a call otherwise than before.
func (n *News) turn(r *audit.Record, was, is api.Outcome) {
	change := count(was).Negative().And(count(is))
	n.Hours[hour(r)] = n.Hours[hour(r)].And(change)
	if s := n.session(r.Actor.Session); s != nil {
		s.Count = s.Count.And(change)
	}
}
