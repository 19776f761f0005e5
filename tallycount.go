package emend

import (
	"context"

	"github.com/emend-dev/emend/internal/audit"
)

// news is what a part of the log adds to a tally.
type news struct {
	calls                  int
	hours                  map[int64]Count
	sessions               map[string]*SessionCount // with no time: only what became of earlier calls
	agents, clients, tools nameSet
}

type nameSet map[string]bool

func (n nameSet) add(name string) {
	if name != "" && len(n) < maxNames {
		n[name] = true
	}
}

// count counts what the log has after a record, and what that says of calls before it. Not the same: the log does not have
// the record.
func (j *journal) count(ctx context.Context, after Head) (n *news, same bool, err error) {
	n = &news{hours: map[int64]Count{}, sessions: map[string]*SessionCount{}, agents: nameSet{}, clients: nameSet{}, tools: nameSet{}}
	if j.log == nil || j.log.Head().Seq < after.Seq {
		return n, false, nil
	}
	now, then := newScan(), newScan() // what is known, and what was when the record after was the newest
	open := map[string]bool{}         // transactions of which something new is said
	for r, err := range j.records(ctx, now, audit.Query{Much: j.brief}) {
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
		then.see(r)
		if decides(r) && open[r.Tx] {
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
		then.over(r)
	}
	return n, true, nil
}

// brief is how much of a record is needed to count it.
func (j *journal) brief(k audit.Kind, _ []byte) audit.Part {
	switch k {
	case audit.Applied, audit.Rotate:
		return audit.Mark
	case audit.Undo, audit.Abort, audit.Recovered:
		return audit.Whole
	}
	if j.prefix != "." {
		return audit.Whole // to see whether it is below the root
	}
	return audit.Who
}

// counts reports whether r, a transaction, is done and stands.
func (s *scan) counts(r *audit.Record) bool { return s.failed(r) == nil && s.undoneBy(r.Tx) == "" }

// changed notes of which transactions r, which is new, says something.
func (n *news) changed(s *scan, r *audit.Record, open map[string]bool) {
	switch {
	case r.Kind == audit.Abort || r.Kind == audit.Recovered:
		open[r.Tx] = true
	case decides(r):
		delete(open, r.Tx)
		if s.counts(r) {
			for _, tx := range r.Undoes {
				open[tx] = true
			}
		}
	}
}

func (o Outcome) count() Count {
	switch o {
	case Refused, Aborted, Reverted:
		return Count{Refused: 1}
	case Undone:
		return Count{Undone: 1}
	}
	return Count{Done: 1}
}

func hour(r *audit.Record) int64 { return r.TS.Unix() / 3600 }

// call counts a new call.
func (n *news) call(r *audit.Record, o Outcome) {
	n.calls++
	n.hours[hour(r)] = n.hours[hour(r)].and(o.count())
	n.agents.add(r.Actor.Agent)
	n.clients.add(r.Actor.Client)
	n.tools.add(r.Actor.Tool)
	s := n.session(r.Actor.Session)
	if s == nil {
		return
	}
	s.and(&SessionCount{Agent: r.Actor.Agent, Client: r.Actor.Client, Last: r.TS, Count: o.count()})
	if s.First.IsZero() || r.TS.Before(s.First) {
		s.First = r.TS
	}
}

// session is what is new of a session; nil when there are too many, of which those that are met first are newer.
func (n *news) session(id string) *SessionCount {
	s := n.sessions[id]
	if s == nil && id != "" && len(n.sessions) < 2*maxSessions {
		s = &SessionCount{ID: id}
		n.sessions[id] = s
	}
	return s
}

// turn counts a call otherwise than before.
func (n *news) turn(r *audit.Record, was, is Outcome) {
	change := was.count().negative().and(is.count())
	n.hours[hour(r)] = n.hours[hour(r)].and(change)
	if s := n.session(r.Actor.Session); s != nil {
		s.Count = s.Count.and(change)
	}
}

func (c Count) negative() Count { return Count{-c.Done, -c.Refused, -c.Undone} }
