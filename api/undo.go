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
	// Pieces limits the undo to files, or to hunks of the diff of a file, of the entry that is named, or of the last change. Without
	// hunks it also limits the undo of a session, of a turn, or of all since To.
	Pieces []UndoPiece `json:"-"`
	// SkipConflicts leaves what conflicts with later changes as it is, and takes the rest back. The result says what stays, and why.
	SkipConflicts bool `json:"-"`
}

// UndoPiece is a file of an entry, or a part of what the entry did to it.
type UndoPiece struct {
	Path  string `json:"path"`            // as the entry has it, or relative to where the call's paths are; or a directory above it
	Hunks []int  `json:"hunks,omitempty"` // their numbers in the file's diff, from 1; none for all
}

// UndonePart is a piece that an undo takes back, or took back.
type UndonePart struct {
	Entry string `json:"entry"` // of which the piece is; or the undo that took it back
	UndoPiece
	Of     int  `json:"of,omitempty"`     // how many hunks the diff of the file has
	Partly bool `json:"partly,omitempty"` // some of the undo was taken back, so that these hunks may be in effect again
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
