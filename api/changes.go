package api

import "time"

// ChangesRequest asks what was changed since a point of the log and is in effect.
type ChangesRequest struct {
	After uint64    // only entries with a higher number
	Since time.Time // and only those that are not older
	Path  string    // only this file, or what is below this directory; "" for all
	// Whole asks for one difference for each file, whoever changed it. Otherwise there is one for each session and file.
	Whole bool
}

// Changes lists what was changed since a point of the log.
type Changes struct {
	Sessions []ChangesOf `json:"sessions"` // the one with the newest call first; of a whole, one without a name
	Notes    []string    `json:"notes,omitempty"`
}

// ChangesOf lists what one session changed, or one client without a session.
type ChangesOf struct {
	SessionID string        `json:"sessionId"`
	AgentName string        `json:"agentName,omitempty"`
	Client    string        `json:"client,omitempty"`
	Calls     int           `json:"calls"` // that changed something and are in effect
	First     time.Time     `json:"first"`
	Last      time.Time     `json:"last"`
	Files     []ChangedFile `json:"files"`
}

// ChangedFile is a file as a session found it and as it left it.
type ChangedFile struct {
	Operation string   `json:"operation"` // add, update, delete, move
	Path      string   `json:"path"`
	ToPath    string   `json:"toPath,omitempty"`
	Added     int      `json:"added"` // lines
	Removed   int      `json:"removed"`
	Diff      string   `json:"diff,omitempty"`
	NotShown  string   `json:"notShown,omitempty"` // why there is no diff
	Entries   []string `json:"entries"`
}
