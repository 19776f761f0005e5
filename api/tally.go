package api

import "time"

// Tally counts the calls of a log, by the hour and by who made them. The zero value has counted nothing.
type Tally struct {
	Hours    map[int64]Count // by the hour, in hours since 1970, in UTC; the newest 2,000
	Sessions []SessionCount  // the newest first; at most 1,000
	Agents   []string        // these three are sorted, at most 1,000 names each
	Clients  []string
	Tools    []string
	Calls    int
	Head     Head // the newest record that is counted
	Notes    []string
}

// Count counts calls by their outcome.
type Count struct {
	Done    int // done, and still in effect
	Refused int // refused, aborted or reverted: nothing changed
	Undone  int // done, and undone since
}

// SessionCount counts the calls of one session. A session that was dropped for newer ones begins anew when it comes back.
type SessionCount struct {
	ID, Agent, Client string
	First, Last       time.Time
	Count
}
