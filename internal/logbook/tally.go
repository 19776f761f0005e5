package logbook

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	maxHours    = 2000
	maxSessions = 1000
	maxNames    = 1000 // of agents, of clients, of tools
)

// UpdateTally counts in t what the log has since t was updated last; the zero Tally has counted nothing. After an error t
// is as it was.
func UpdateTally(ctx context.Context, w *workspace.Workspace, t *api.Tally) error {
	rd, err := Open(w)
	if err != nil {
		return err
	}
	defer rd.Close()
	head := rd.Head()
	if head == t.Head {
		return nil
	}
	next := *t
	d, sameLog, err := rd.countSince(ctx, t.Head)
	if err != nil {
		return err
	}
	if !sameLog {
		next = api.Tally{}
		if rd.Log != nil {
			rd.Notes = []string{"The log is another one now; it was counted anew."}
			if d, _, err = rd.countSince(ctx, api.Head{}); err != nil {
				return err
			}
		}
	}
	d.addTo(&next)
	next.Head = head
	for _, n := range rd.Notes {
		if !slices.Contains(next.Notes, n) {
			next.Notes = append(next.Notes, n)
		}
	}
	*t = next
	return nil
}

// tallyDelta counts a part of the log.
type tallyDelta struct {
	calls                  int
	hours                  map[int64]api.Count
	sessions               map[string]*api.SessionCount // without times: earlier calls changed their outcome
	agents, clients, tools nameSet
}

type nameSet map[string]bool

func (n nameSet) add(name string) {
	if name != "" && len(n) < maxNames {
		n[name] = true
	}
}

// addTo adds d to a tally.
func (d *tallyDelta) addTo(t *api.Tally) {
	t.Calls += d.calls
	if t.Hours == nil {
		t.Hours = map[int64]api.Count{}
	}
	for hour, c := range d.hours {
		if c = AddCounts(c, t.Hours[hour]); min(c.Done, c.Refused, c.Undone) >= 0 { // else the tally has dropped the hour
			t.Hours[hour] = c
		}
	}
	if n := len(t.Hours) - maxHours; n > 0 {
		for _, hour := range slices.Sorted(maps.Keys(t.Hours))[:n] {
			delete(t.Hours, hour)
		}
	}
	t.Sessions = slices.Clone(t.Sessions)
	for i := range t.Sessions {
		s := &t.Sessions[i]
		if n := d.sessions[s.ID]; n != nil {
			addSession(s, n)
			delete(d.sessions, s.ID)
		}
	}
	for _, n := range d.sessions {
		if !n.Last.IsZero() {
			t.Sessions = append(t.Sessions, *n)
		}
	}
	slices.SortFunc(t.Sessions, func(a, b api.SessionCount) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID)) })
	t.Sessions = slices.Clone(t.Sessions[:min(len(t.Sessions), maxSessions)])
	t.Agents, t.Clients, t.Tools = withNames(t.Agents, d.agents), withNames(t.Clients, d.clients), withNames(t.Tools, d.tools)
}

// withNames returns a sorted list with new names in it.
func withNames(list []string, names nameSet) []string {
	for name := range names {
		if i, known := slices.BinarySearch(list, name); !known && len(list) < maxNames {
			list = slices.Insert(list, i, name)
		}
	}
	return list
}

// countSince counts the records after a head, and the outcomes that they gave to earlier calls. It reports false when the
// log does not contain the head.
func (rd *Reader) countSince(ctx context.Context, after api.Head) (d *tallyDelta, sameLog bool, err error) {
	d = &tallyDelta{hours: map[int64]api.Count{}, sessions: map[string]*api.SessionCount{}, agents: nameSet{}, clients: nameSet{}, tools: nameSet{}}
	if rd.Log == nil || rd.Log.Head().Seq < after.Seq {
		return d, false, nil
	}
	now, then := NewOutcomes(), NewOutcomes() // then: what was known when the head was the newest record
	open := map[string]bool{}                 // transactions whose outcome may have changed
	for r, err := range rd.Records(ctx, now, audit.Query{Need: rd.tallyPart}) {
		switch {
		case err != nil:
			return d, true, err
		case r.Seq > after.Seq:
			if noteOpen(now, r, open); hasEntries(r) && rd.inside(r) {
				d.addCall(r, now.of(r))
			}
			continue
		case r.Seq == after.Seq && r.H != after.H:
			return d, false, nil
		case len(open) == 0:
			return d, true, nil
		}
		then.Add(nil, r)
		if IsTransaction(r) && open[r.Tx] {
			delete(open, r.Tx)
			if was, is := then.of(r), now.of(r); was != is && rd.inside(r) {
				d.recount(r, was, is)
			}
			if then.InEffect(r) != now.InEffect(r) || len(then.parts[r.Tx]) != len(now.parts[r.Tx]) {
				for _, tx := range r.TakesBack() {
					open[tx] = true
				}
			}
		}
		then.Forget(r)
	}
	return d, true, nil
}

// tallyPart tells how much of a record has to be read to count it.
func (rd *Reader) tallyPart(k audit.Kind, _ []byte) audit.Detail {
	switch k {
	case audit.Applied, audit.Rotate:
		return audit.Header
	case audit.Undo, audit.Abort, audit.Recovered:
		return audit.Full
	}
	if rd.Prefix != "." {
		return audit.Full // to see whether it is below the root
	}
	return audit.WithActor
}

// noteOpen notes the transactions whose outcome r, a new record, may change.
func noteOpen(o *Outcomes, r *audit.Record, open map[string]bool) {
	switch {
	case r.Kind == audit.Abort || r.Kind == audit.Recovered:
		open[r.Tx] = true
	case IsTransaction(r):
		delete(open, r.Tx)
		if o.InEffect(r) {
			for _, tx := range r.TakesBack() {
				open[tx] = true
			}
		}
	}
}

// addCall counts a new call.
func (d *tallyDelta) addCall(r *audit.Record, o api.Outcome) {
	d.calls++
	d.hours[hour(r)] = AddCounts(d.hours[hour(r)], CountOf(o))
	d.agents.add(r.Actor.Agent)
	d.clients.add(r.Actor.Client)
	d.tools.add(r.Actor.Tool)
	s := d.session(r.Actor.Session)
	if s == nil {
		return
	}
	addSession(s, &api.SessionCount{Agent: r.Actor.Agent, Client: r.Actor.Client, Last: r.TS, Count: CountOf(o)})
	if s.First.IsZero() || r.TS.Before(s.First) {
		s.First = r.TS
	}
}

// recount counts an earlier call by its new outcome.
func (d *tallyDelta) recount(r *audit.Record, was, is api.Outcome) {
	minus, plus := CountOf(was), CountOf(is)
	change := AddCounts(plus, api.Count{Done: -minus.Done, Refused: -minus.Refused, Undone: -minus.Undone})
	d.hours[hour(r)] = AddCounts(d.hours[hour(r)], change)
	if s := d.session(r.Actor.Session); s != nil {
		s.Count = AddCounts(s.Count, change)
	}
}

// session returns the count of a session. It returns nil when there are too many; the walk has met the newest first.
func (d *tallyDelta) session(id string) *api.SessionCount {
	s := d.sessions[id]
	if s == nil && id != "" && len(d.sessions) < 2*maxSessions {
		s = &api.SessionCount{ID: id}
		d.sessions[id] = s
	}
	return s
}

// addSession adds to s what is new of the session.
func addSession(s, n *api.SessionCount) {
	s.Count = AddCounts(s.Count, n.Count)
	if n.Last.After(s.Last) {
		s.Last, s.Agent, s.Client = n.Last, n.Agent, n.Client
	}
	if !n.First.IsZero() && n.First.Before(s.First) {
		s.First = n.First
	}
}

// AddCounts adds two counts.
func AddCounts(a, b api.Count) api.Count {
	return api.Count{Done: a.Done + b.Done, Refused: a.Refused + b.Refused, Undone: a.Undone + b.Undone}
}

// CountOf counts one call of an outcome.
func CountOf(o api.Outcome) api.Count {
	switch o {
	case api.Refused, api.Aborted, api.Reverted:
		return api.Count{Refused: 1}
	case api.Undone:
		return api.Count{Undone: 1}
	}
	return api.Count{Done: 1}
}

// hour returns the hour of a record, in hours since 1970.
func hour(r *audit.Record) int64 { return r.TS.Unix() / 3600 }
