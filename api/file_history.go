package api

// FileHistory is what the log has of one file, through its moves, and which contents of it are kept.
type FileHistory struct {
	Path      string // as it is, or was last, called
	Exists    bool
	Sha256    string // of what is there now
	SizeBytes int64
	Versions  []FileVersion // the newest first
	Truncated bool
	Notes     []string
}

// FileVersion is a file after one entry of the log. The oldest is the file before the first, with no entry; so is what
// somebody made of it outside of emend between two entries, or since the last.
type FileVersion struct {
	LogEntry         // what made it; Entry is "" where no entry did. Path is where the file was, AfterSha256 what it had
	ID        string // by which [Workspace.Content] and [Workspace.PutBack] know its content; "" when it is not kept
	Now       bool   // it is what is there now
	Gone      bool   // the entry left no file
	Outside   bool   // no entry made it: it was found so
	SizeBytes int64
}
