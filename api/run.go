package api

// RunRequest asks to run a command over a layer, and to land what it left as one change. The command has the streams of the process.
// The context says who makes the call.
type RunRequest struct {
	Args   []string
	Dir    string // where the command starts, an absolute path in the workspace
	Env    []string
	DryRun bool // land nothing, and keep nothing
	// KeepIgnored lists what the command changed in directories that ignore rules leave out, file by file, and keeps what was there.
	KeepIgnored bool
	// Confine keeps the command from writing outside of the tree, of the temporary directory and of what the policy names.
	Confine bool
}

// RunReport is how a run ended.
type RunReport struct {
	Exit     int       `json:"exit"` // the command's exit code; 128 and the signal that ended it
	Entry    string    `json:"entry,omitempty"`
	Files    []RanFile `json:"files"`
	Inside   int       `json:"inside,omitempty"` // how many files in .git changed as well
	Notes    []string  `json:"notes,omitempty"`  // what a person should know, one sentence each
	Layer    string    `json:"layer,omitempty"`  // the name of the layer, if it is kept
	NotRun   string    `json:"notRun,omitempty"` // why the command could not be started
	Duration string    `json:"duration"`
}

// RanFile is one change of a command.
type RanFile struct {
	Operation string `json:"operation"` // add, update, delete
	Path      string `json:"path"`
	Files     int    `json:"files,omitempty"` // of a directory that ignore rules leave out: how many files changed in it
	Bytes     int64  `json:"bytes,omitempty"` // their size
	Diff      string `json:"diff,omitempty"`
	NoUndo    string `json:"noUndo,omitempty"` // why an undo leaves it, or a part of it, as it is
}

// KeptLayer is a layer that did not land.
type KeptLayer struct {
	Name    string   `json:"name"`
	Command []string `json:"command"`
	Began   string   `json:"began"`         // RFC 3339
	Old     bool     `json:"old,omitempty"` // older than the policy keeps layers, or than a week if it does not say
	Why     string   `json:"why,omitempty"`
}
