package api

// SessionChanges is all that a session did to the files, as one difference.
type SessionChanges struct {
	SessionID string
	Calls     []LoggedCall // the newest first; at most 200
	CallCount int
	Files     []SessionFile // by path
	Notes     []string
}

// SessionFile is one file that a session touched: from what it was before the session to what the session left.
type SessionFile struct {
	Operation     string // add, update, delete, move; "" when the session left it as it was
	Path, ToPath  string
	Before, After string // sha256; "" for nothing
	Diff          string
	NotShown      string // why there is no diff
	Entries       []string
	Others        []string // entries of other sessions that changed it in between, which the difference shows too
	Outside       bool     // so did somebody outside of emend
}
