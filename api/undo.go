package api

import "time"

// UndoRequest asks to take back an entry of the log, or all that a session did.
type UndoRequest struct {
	Entry          string `json:"entry,omitempty" jsonschema:"the entry, as history lists it"`
	SessionID      string `json:"sessionId,omitempty" jsonschema:"all of this session"`
	DryRun         bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
	// Turn and To are for people and fronts. Turn takes back what came of one prompt, in a session that SessionID may name;
	// LastTurn stands for the newest. To takes back all that was done since a mark, or a time (RFC 3339), by the session or by all.
	// What nobody is known to have made stays.
	Turn string `json:"-"`
	To   string `json:"-"`
}

// LastTurn is the newest turn in the log.
const LastTurn = "last"

// MarkRequest asks to give the present state of the tree a name.
type MarkRequest struct {
	Name string
}

// Mark is a point in the log that has a name.
type Mark struct {
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	Head    Head      `json:"head"`              // of the log at that time
	Session string    `json:"session,omitempty"` // who set it
	Turn    string    `json:"turn,omitempty"`    // the turn that begins here
}

// PutBackRequest asks to make a file what it was in an earlier version.
type PutBackRequest struct {
	Path           string `json:"path" jsonschema:"the file, relative to the workspace"`
	Version        string `json:"version" jsonschema:"the id of the version"`
	ExpectedSha256 string `json:"expectedSha256,omitempty" jsonschema:"refuse unless the file is still this; empty: unless nothing is there"`
	DryRun         bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
}
