package api

// SessionChanges shows all changes of a session as one difference.
type SessionChanges struct {
	SessionID string
	Calls     []LoggedCall // the newest first; at most 200
	CallCount int
	Files     []SessionFile // by path
	Notes     []string
}

// SessionFile is one file that a session changed: what it was before the session first changed it, and what the session
// left.
type SessionFile struct {
	Operation     string // add, update, delete, move; "" when the session left it as it was
	Path, ToPath  string
	Before, After string // sha256; "" for nothing
	Diff          string
	NotShown      string   // why there is no diff
	Entries       []string // of the session
	Others        []string // entries of other sessions in between; the diff includes them
	Outside       bool     // it was changed outside of emend in between; the diff includes that
}
