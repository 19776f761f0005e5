package emend

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// What a tally keeps at most.
const (
	maxHours    = 2000
	maxSessions = 1000
	maxNames    = 1000 // of agents, of clients, of tools
)

// Tally counts what the log has, by the hour and by who asked. Refresh reads on from where the last one ended.
type Tally struct {
	w        *Workspace
	Hours    map[int64]Count // by the hour, in hours since 1970, in UTC; the newest 2,000
	Sessions []SessionCount  // the newest first; at most 1,000
	Agents   []string
	Clients  []string
	Tools    []string
	Calls    int
	Head     Head
	Notes    []string
}

// Count is calls of one hour, or of one session: those that were done and stand, those that changed nothing, whether
// they were refused, aborted or reverted, and those that were done and taken back since.
type Count struct{ Done, Refused, Undone int }

// SessionCount is what one session did. One that comes back after it was let go for newer ones begins anew.
type SessionCount struct {
	ID, Agent, Client string
	First, Last       time.Time
	Count
}

// NewTally makes a tally that has counted nothing yet.
func (w *Workspace) NewTally() *Tally { return &Tally{w: w, Hours: map[int64]Count{}} }

// Refresh counts what is new in the log, and keeps nothing open. It is for one goroutine at a time. After an error the tally
// is as it was.
func (t *Tally) Refresh(ctx context.Context) error {
	return t.w.consult(func(j *journal) error { return t.refresh(ctx, j) })
}

func (t *Tally) refresh(ctx context.Context, j *journal) error {
	var head Head
	if j.log != nil {
		head = j.log.Head()
	}
	if head == t.Head {
		return nil
	}
	news, same, err := j.count(ctx, t.Head)
	if err != nil {
		return err
	}
	if !same {
		*t = *t.w.NewTally()
		if j.log == nil {
			return nil
		}
		j.notes = []string{"The log is another one now; it was counted anew."}
		if news, _, err = j.count(ctx, Head{}); err != nil {
			return err
		}
	}
	t.add(news)
	t.Head = head
	for _, n := range j.notes {
		if !slices.Contains(t.Notes, n) {
			t.Notes = append(t.Notes, n)
		}
	}
	return nil
}

// add takes in what is new.
func (t *Tally) add(news *news) {
	t.Calls += news.calls
	for hour, c := range news.hours {
		if c = c.and(t.Hours[hour]); min(c.Done, c.Refused, c.Undone) >= 0 { // else it is of an hour that was let go
			t.Hours[hour] = c
		}
	}
	if n := len(t.Hours) - maxHours; n > 0 {
		for _, hour := range slices.Sorted(maps.Keys(t.Hours))[:n] {
			delete(t.Hours, hour)
		}
	}
	for i := range t.Sessions {
		s := &t.Sessions[i]
		if n := news.sessions[s.ID]; n != nil {
			s.and(n)
			delete(news.sessions, s.ID)
		}
	}
	for _, n := range news.sessions {
		if !n.Last.IsZero() {
			t.Sessions = append(t.Sessions, *n)
		}
	}
	slices.SortFunc(t.Sessions, func(a, b SessionCount) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID)) })
	t.Sessions = slices.Clone(t.Sessions[:min(len(t.Sessions), maxSessions)])
	t.Agents, t.Clients, t.Tools = joined(t.Agents, news.agents), joined(t.Clients, news.clients), joined(t.Tools, news.tools)
}

func (c Count) and(d Count) Count {
	return Count{c.Done + d.Done, c.Refused + d.Refused, c.Undone + d.Undone}
}

// and adds what is new of a session.
func (s *SessionCount) and(n *SessionCount) {
	s.Count = s.Count.and(n.Count)
	if n.Last.After(s.Last) {
		s.Last, s.Agent, s.Client = n.Last, n.Agent, n.Client
	}
	if !n.First.IsZero() && n.First.Before(s.First) {
		s.First = n.First
	}
}

// joined is a sorted list with new names in it.
func joined(list []string, more nameSet) []string {
	for name := range more {
		if i, known := slices.BinarySearch(list, name); !known && len(list) < maxNames {
			list = slices.Insert(list, i, name)
		}
	}
	return list
}
