package api

// Fate is what became of one file of an entry since.
type Fate struct {
	Path    string // that the entry left it at, or took it from
	State   FateState
	At      string     // the path that it has now, if it was moved
	By      []LogEntry // the later entries that changed or moved it and are in effect, the oldest first; the newest ten
	ByCount int        // how many there are
	Outside bool       // the last that happened to it did not go through emend
}

// FateState says it in a word.
type FateState string

// What becomes of files.
const (
	Unchanged FateState = "unchanged"
	Changed   FateState = "changed" // by the entries in By
	Edited    FateState = "edited"  // by somebody outside of emend, after the entries in By
	Gone      FateState = "gone"
	Back      FateState = "back"   // it was deleted, and something is there again
	Hidden    FateState = "hidden" // it may not be read
)
