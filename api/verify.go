package api

// VerifyReport is what [Workspace.Verify] found.
type VerifyReport struct {
	OK       bool           `json:"ok"` // the chain is whole, and every head is in it
	Store    string         `json:"store,omitempty"`
	Head     Head           `json:"head"`     // of the newest record: keep it elsewhere
	Segments int            `json:"segments"` // files of the log
	Records  int            `json:"records"`
	Kinds    map[string]int `json:"kinds"`          // how many of each
	Void     int            `json:"void,omitempty"` // records that the log itself declared void
	Lost     uint64         `json:"lost,omitempty"` // unsynced records that a power cut took
	Torn     int64          `json:"torn,omitempty"` // bytes at the end that are no whole record
	Breaks   []Break        `json:"breaks"`         // damages of the chain, the first hundred
	Missing  []Head         `json:"missing"`        // heads that are not in the log
	Same     int            `json:"same"`           // files that are as the log has them
	Files    []FileMismatch `json:"files"`          // those that are not, by path
	Notes    []string       `json:"notes"`
}

// Break is one damage of the chain.
type Break struct {
	Segment string `json:"segment"`
	Line    int    `json:"line"`
	After   uint64 `json:"after"` // the number of the last good record before it
	Why     string `json:"why"`
}

// FileMismatch is a file that is not as its last entry left it: somebody changed it without emend, or it cannot be read.
type FileMismatch struct {
	Path     string    `json:"path"`
	State    FileState `json:"state"`
	Entry    string    `json:"entry"`              // the last that changed it
	Expected string    `json:"expected,omitempty"` // sha256; empty when it was deleted
	Actual   string    `json:"actual,omitempty"`
	Why      string    `json:"why,omitempty"` // it is unknown
}
