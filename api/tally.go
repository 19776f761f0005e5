package api

import "time"

// Count is calls of one hour, or of one session: those that were done and stand, those that changed nothing, whether
// they were refused, aborted or reverted, and those that were done and taken back since.
type Count struct{ Done, Refused, Undone int }

// SessionCount is what one session did. One that comes back after it was let go for newer ones begins anew.
type SessionCount struct {
	ID, Agent, Client string
	First, Last       time.Time
	Count
}

func (c Count) And(d Count) Count {
	return Count{c.Done + d.Done, c.Refused + d.Refused, c.Undone + d.Undone}
}

// And adds what is new of a session.
func (s *SessionCount) And(n *SessionCount) {
	s.Count = s.Count.And(n.Count)
	if n.Last.After(s.Last) {
		s.Last, s.Agent, s.Client = n.Last, n.Agent, n.Client
	}
	if !n.First.IsZero() && n.First.Before(s.First) {
		s.First = n.First
	}
}

func (c Count) Negative() Count { return Count{-c.Done, -c.Refused, -c.Undone} }
