package api

// FileHistory lists the versions of one file, through its moves.
type FileHistory struct {
	Path      string // its path now, or its last
	Exists    bool   // now
	Sha256    string // of what is there now
	SizeBytes int64
	Versions  []FileVersion // the newest first
	Truncated bool          // there are more
	Notes     []string
}

// FileVersion is a file as one entry of the log left it. A version without an Entry was not made through emend: the file
// before its first entry, or what somebody made of it between two entries or since the last.
type FileVersion struct {
	LogEntry         // that made it; Path is where the file was, AfterSha256 its sum
	ID        string // for Content and PutBack; "" when the content is not kept
	Now       bool   // it is the current one
	Gone      bool   // the entry left no file
	Outside   bool   // somebody changed the file outside of emend
	SizeBytes int64
}
