package api

// Moment says when a look at the tree is taken.
type Moment string

// The moments of a look.
const (
	BeforeCall   Moment = "before"        // before a call that may change files without emend
	AfterCall    Moment = "after"         // after it
	AtPrompt     Moment = "prompt"        // a person asks the agent for something: a turn begins
	AtTaskEnd    Moment = "task end"      // what ran in the background has ended: the agent goes on with its turn
	AtTurnEnd    Moment = "turn end"      // the agent has answered
	AtStart      Moment = "session start" // an agent begins to work
	AtSessionEnd Moment = "session end"   // it ends
	AtUnclear    Moment = "unclear"       // an agent's program says something that emend cannot read: no call begins or ends
	AtMark       Moment = "mark"          // a person marks the state of the tree
)

// LookRequest asks to compare the tree with the last look at it, and to record what changed without emend. The context says who
// makes the call: session, turn and call tell calls apart.
type LookRequest struct {
	Moment  Moment
	Command string   // what the call runs, for the log
	Paths   []string // the files that the call says it changes, from the workspace; none if it does not say
	Result  string   // after a call: how it ended, for the log ("exit code 1")
	// StillRuns, after a call, says that it goes on in the background: what changes from now on may be its work, too.
	StillRuns bool
	// Quiet, before the first call of a program that looks by itself: what changed since the last look is nobody's call and is
	// not recorded, unless a call was open then.
	Quiet bool
	// Missed has what keeps the record from being whole, the oldest first, for the log: why looks before this one failed, and what cannot
	// be read of the event of this one. What changed meanwhile is found by this one.
	Missed []string
}

// Look is what a look found.
type Look struct {
	Entries []SeenEntry `json:"entries"` // what was recorded, the oldest first
	Files   int         `json:"files"`   // how many files were compared
	// NotKept has the files whose content emend could not keep, so that a change of them can be seen and not undone.
	NotKept []NotKept `json:"notKept,omitempty"`
	Notes   []string  `json:"notes,omitempty"` // what a person should know, one sentence each
}

// SeenEntry is an entry of the log about changes that emend did not make.
type SeenEntry struct {
	Entry string     `json:"entry"`
	Seq   uint64     `json:"seq"`
	Files []SeenFile `json:"files"`
}

// SeenFile is one change that emend saw.
type SeenFile struct {
	Operation string `json:"operation"` // add, update, delete, move
	Path      string `json:"path"`
	ToPath    string `json:"toPath,omitempty"`
	NoUndo    string `json:"noUndo,omitempty"` // why it cannot be undone
}

// NotKept is a file, or the sum of a directory, whose content was not kept.
type NotKept struct {
	Path  string `json:"path"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
	Why   string `json:"why"`
}
