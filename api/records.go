package api

import "time"

// RecordsRequest asks for the records of the log behind a head, for a program that keeps a copy of them.
type RecordsRequest struct {
	After Head // the last record that the caller has; zero for none
	Limit int  // at most so many
}

// Records are records of the log, the oldest first.
type Records struct {
	// Known reports whether the log has After. If not, it was cut off, replaced, or what has After was dropped by rule.
	Known   bool
	First   uint64 // the number of the oldest record of the log
	Head    Head   // the newest one
	Records []Record
}

// Record is a record of the log, as a program that keeps it elsewhere needs it. Line is the record itself; the other fields are read
// from it.
type Record struct {
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"ts"`
	Prev string    `json:"prev"` // the hash of the record before
	Kind string    `json:"kind"`
	H    string    `json:"h"`
	// Withheld says that the record is about a file that may not be read here. Then it has no Line, and only the fields above.
	Withheld bool `json:"withheld,omitempty"`

	Tx         string         `json:"tx,omitempty"`
	Actor      Actor          `json:"actor,omitzero"`
	PolicyHash string         `json:"policyHash,omitempty"`
	Files      []RecordedFile `json:"files,omitempty"`
	OK         bool           `json:"ok,omitempty"`
	ErrorKind  string         `json:"errorKind,omitempty"`
	Message    string         `json:"message,omitempty"`
	Undoes     []string       `json:"undoes,omitempty"`
	Command    string         `json:"command,omitempty"` // of a change that emend saw: the command that made it
	// Of the first record of a file of the log: what of the records before it does not count, or may be missing. See the docs of the log.
	Void  string `json:"void,omitempty"`
	Since string `json:"since,omitempty"`
	// Dropped, of a drop record, is the head of what was dropped.
	Dropped string `json:"dropped,omitempty"`

	Line []byte `json:"-"`
}

// RecordedFile says what a record did to one file. Its path is relative to the top of the tree of the log.
type RecordedFile struct {
	Operation string `json:"operation"`
	Path      string `json:"path"`
	ToPath    string `json:"toPath,omitempty"`
	Before    string `json:"beforeSha256,omitempty"`
	After     string `json:"afterSha256,omitempty"`
	Unasked   bool   `json:"unasked,omitempty"`
	Keys      int    `json:"keys,omitempty"` // how many lines of the new text look like keys
}

// FreezeRequest keeps a workspace from being changed.
type FreezeRequest struct {
	By     string // who wants it, for the refusals; "" for the caller
	Reason string
}

// Frozen says who keeps a workspace from being changed, and why.
type Frozen struct {
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}
