package api

import (
	"fmt"
	"time"
)

// Actor says who asks for a change, for the log.
type Actor struct {
	Client  string `json:"client,omitempty"`
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Call    string `json:"call,omitempty"` // the client's own name for this use of the tool
}

// Head names one record of the log by its number and its hash, and by the hash all records before it. Somebody who keeps a head
// can prove later that nothing before it was rewritten.
type Head struct {
	Seq uint64 `json:"seq"`
	H   string `json:"h"`
}

// String returns the number, a colon and the hash.
func (h Head) String() string { return fmt.Sprintf("%d:%s", h.Seq, h.H) }

// EntryData is all that is known of one record of the log: who asked, what was done and what of it is kept.
type EntryData struct {
	Entry          string     `json:"entry"`
	Seq            uint64     `json:"seq"`
	Kind           string     `json:"kind"` // commit, undo, failed, denied, purge
	Timestamp      time.Time  `json:"timestamp"`
	Client         string     `json:"client,omitempty"`
	Call           string     `json:"call,omitempty"`
	SessionID      string     `json:"sessionId"`
	AgentName      string     `json:"agentName"`
	ToolName       string     `json:"toolName"`
	PolicyHash     string     `json:"policyHash,omitempty"`     // names the rules by which it was judged
	IdempotencyKey string     `json:"idempotencyKey,omitempty"` // of the call
	RequestSha256  string     `json:"requestSha256,omitempty"`  // of the text of a call with a key
	AskedBy        string     `json:"askedBy,omitempty"`        // by what a person was asked, who said yes
	OK             bool       `json:"ok"`
	Outcome        Outcome    `json:"outcome"`
	ErrorKind      string     `json:"errorKind,omitempty"`
	Message        string     `json:"message,omitempty"`
	End            string     `json:"end,omitempty"` // applied, abort, recovered; empty when there is no mark
	EndedAt        *time.Time `json:"endedAt,omitempty"`
	Undoes         []string   `json:"undoes,omitempty"`
	UndoneBy       string     `json:"undoneBy,omitempty"`
	Files          []LogEntry `json:"files"`
	Kept           []Kept     `json:"kept"`
	Prev           string     `json:"prev"` // the hash of the record before
	H              string     `json:"h"`    // its own: with seq, a head for verify
}

// Kept is a file that a transaction displaced and that the history still has.
type Kept struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"` // where it was
	SizeBytes int64     `json:"sizeBytes"`
	MTime     time.Time `json:"mtime"`
}

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
