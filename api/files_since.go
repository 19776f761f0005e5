package api

// FileSince tells what happened to one file of an entry after the entry was made.
type FileSince struct {
	Path    string     // where the entry left the file, or from where it deleted it
	State   FileState  // FileUnknown for a file that may not be read
	At      string     // its path now, if it was moved
	By      []LogEntry // the later entries that changed or moved it and are in effect, the oldest first; the newest ten
	ByCount int        // how many there are
	Outside bool       // the last change to it did not go through emend
}

// FileState compares a file with what an entry of the log left.
type FileState string

// The states of a file. That somebody changes files without emend is no damage.
const (
	FileSame    FileState = "same"
	FileChanged FileState = "changed"
	FileGone    FileState = "gone"
	FileBack    FileState = "back"    // the log has it deleted, and something is there again
	FileUnknown FileState = "unknown" // it cannot be read: protected, or no regular file
)
