package api

// VerifyRequest asks for a check of the log. The zero value checks all of it.
type VerifyRequest struct {
	Heads []Head // that somebody kept, and that the log has to have
	// Since is a head that an earlier check reported. If the log still has it, only what is behind it is checked, and of
	// the files only those that changed behind it. If not, everything is checked, and it counts as missing.
	Since Head
}

// VerifyReport holds the findings of a verification.
type VerifyReport struct {
	OK       bool           `json:"ok"` // the log is undamaged, and has every head
	Store    string         `json:"store,omitempty"`
	Head     Head           `json:"head"`              // the newest record; keep it outside of the machine
	Segments int            `json:"segments"`          // files of the log
	Since    *Head          `json:"since,omitempty"`   // what is before this record was not checked
	Dropped  *DroppedBefore `json:"dropped,omitempty"` // the log begins later than with record 1, by rule
	Records  int            `json:"records"`
	Kinds    map[string]int `json:"kinds"`          // records by kind
	Void     int            `json:"void,omitempty"` // records that the log itself declared void
	Lost     uint64         `json:"lost,omitempty"` // unsynced records that a power cut lost
	Torn     int64          `json:"torn,omitempty"` // bytes of an incomplete record at the end
	Breaks   []Break        `json:"breaks"`         // the first hundred damages
	Missing  []Head         `json:"missing"`        // heads that the log does not have
	Same     int            `json:"same"`           // number of files that are as the log has them
	Files    []FileMismatch `json:"files"`          // those that are not, sorted by path
	Notes    []string       `json:"notes"`
}

// Break is a damage of the log.
type Break struct {
	Segment string `json:"segment"`
	Line    int    `json:"line"`
	After   uint64 `json:"after"` // number of the last good record before it
	Why     string `json:"why"`
}

// FileMismatch is a file that is not as its last entry left it: somebody changed it without emend, or it cannot be read.
type FileMismatch struct {
	Path     string    `json:"path"`
	State    FileState `json:"state"`
	Entry    string    `json:"entry"`              // the last that changed it
	Expected string    `json:"expected,omitempty"` // sha256; empty when it was deleted
	Actual   string    `json:"actual,omitempty"`
	Why      string    `json:"why,omitempty"` // why the state is unknown
}
