// Package chain verifies the hash chains of many workspaces as their batches arrive. It does no I/O: what was verified before is asked
// of a [Past], which the caller keeps.
//
// It does not judge what a record says. A record whose line was withheld is followed by its hashes only, and counted.
package chain

import (
	"time"

	"github.com/emend-dev/emend/api"
)

// State says how far the chain of a workspace was verified. Whoever stores the records stores it with them, in one transaction.
type State struct {
	Epoch    int      `json:"epoch"`    // rises when the log turned out to be cut, forked or replaced; records of earlier epochs stay
	First    uint64   `json:"first"`    // the number of the epoch's first record
	Head     api.Head `json:"head"`     // the last verified record
	Stream   uint64   `json:"stream"`   // the last message that was taken
	Records  uint64   `json:"records"`  // of all epochs
	Withheld uint64   `json:"withheld"` // records that came as headers
	Repeated uint64   `json:"repeated"` // records that came again, equal; harmless
	Findings uint64   `json:"findings"`
	Gaps     []Gap    `json:"gaps,omitempty"` // what is missing, to be asked for again
}

// Gap is a run of records that is missing: those with the numbers From to To.
type Gap struct {
	After api.Head `json:"after"`
	From  uint64   `json:"from"`
	To    uint64   `json:"to"`
	Until string   `json:"until"` // the hash that the last of them has
}

// Past gives what was verified before. A caller that collects several batches in a transaction answers with what is in it.
type Past interface {
	// State returns the state of a workspace that was stored last; the zero State if there is none.
	State(ws string) (State, error)
	// HashAt returns the hash of a stored record; "" if there is none.
	HashAt(ws string, epoch int, seq uint64) (string, error)
}

// Record is a verified record.
type Record struct {
	api.Record
	Epoch   int
	TooLong int // the line was not sent because it has so many bytes; then Withheld is set
}

// Verified is the result of verifying one message of the stream of records. It is stored in one transaction.
type Verified struct {
	Workspace string
	Stream    uint64    // the message's number in the stream
	At        time.Time // when the hub's store took it
	Records   []Record  // new ones, to be stored; none of them is known already
	Findings  []Finding
	Void      []Void // stored records that the log itself declared void
	State     State  // after it
	Local     api.Head

	Repository string // as the batch says
}

// Void names a stored record that does not count: the log declared it void.
type Void struct {
	Epoch int
	From  uint64 // this record and all after it of the epoch that were stored before this message
	By    uint64 // the rotate record that says so
}

// Kind says what is wrong.
type Kind string

// What can be found.
const (
	Forked     Kind = "forked"     // a record with a number that another record has already: the log was rewritten, or two logs have one key
	Truncated  Kind = "truncated"  // the workspace has fewer records than it had sent
	Missing    Kind = "gap"        // records are missing; they are asked for
	Filled     Kind = "filled"     // a gap was closed
	Dropped    Kind = "dropped"    // records were dropped by rule before they were sent, as the log says itself
	Damaged    Kind = "restarted"  // the log was begun again after a damage, as it says itself
	Voided     Kind = "void"       // the log declared records void that it had sent
	Altered    Kind = "altered"    // a line does not have the hash that it says
	Foreign    Kind = "foreign"    // a batch in the name of another workspace
	Unreadable Kind = "unreadable" // a message that is no batch
	Unsigned   Kind = "unsigned"   // a message in the name of a workspace that its key did not sign
	Lost       Kind = "lost"       // the workspace says that its log does not have a record that it had sent
)

// Grave reports whether a kind says that somebody may have tampered with a log. The others are told for completeness.
func (k Kind) Grave() bool {
	switch k {
	case Filled, Dropped:
		return false
	}
	return true
}

// Finding is something wrong, or worth telling, in a chain.
type Finding struct {
	Workspace string    `json:"workspace"`
	Epoch     int       `json:"epoch"` // where the chain goes on
	Kind      Kind      `json:"kind"`
	Seq       uint64    `json:"seq"`
	Have      string    `json:"have,omitempty"` // the hash that was verified before
	Got       string    `json:"got,omitempty"`  // the hash that came now
	At        time.Time `json:"at"`
	Stream    uint64    `json:"stream"` // the message; 0 if it was not in one
	Text      string    `json:"text"`
}
