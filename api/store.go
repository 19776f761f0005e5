package api

// Health describes a workspace's store, and the promises that hold on its file system.
type Health struct {
	Root       string     `json:"root"`
	Store      string     `json:"store"`
	Exists     bool       `json:"exists"`     // the store; the first apply makes it
	Top        string     `json:"top"`        // of the tree that shares the store
	Filesystem string     `json:"filesystem"` // its type
	Abilities  *Abilities `json:"abilities,omitempty"`
	Locked     string     `json:"locked,omitempty"`  // by whom
	Pending    string     `json:"pending,omitempty"` // an interrupted transaction that could not be recovered
	Recovered  *Recovery  `json:"recovered,omitempty"`
	Log        *Head      `json:"log,omitempty"`
	History    *Usage     `json:"history,omitempty"`
	Orphans    []string   `json:"orphans,omitempty"` // transactions that left slots and no record
	Weaker     []string   `json:"weaker"`            // the promises that are weaker here, and how; empty when all hold
	Problems   []string   `json:"problems"`          // what keeps emend from writing here
}

// Usage counts what the history holds.
type Usage struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Abilities says what the file system of the store can do, as far as a try showed.
type Abilities struct {
	Exchange    bool `json:"exchange"`    // two names change places in one step
	NoReplace   bool `json:"noReplace"`   // a rename that fails when the name is taken
	ReplaceOpen bool `json:"replaceOpen"` // a rename replaces a file that somebody has open, and that keeps a second name
	Links       bool `json:"hardLinks"`
	Lock        bool `json:"lock"`
	Lease       bool `json:"lease"` // a program that opens a file for writing is noticed
	Sync        bool `json:"sync"`
}

// Recovery says which interrupted transaction was found, and how it ended.
type Recovery struct {
	RecoveredTx               // the transaction that was pending; empty when none was
	Others      []RecoveredTx `json:"others,omitempty"` // others that were committed with it, and pending as well
	Notes       []string      `json:"notes,omitempty"`  // what a person should know, one sentence each
	Torn        *Torn         `json:"torn,omitempty"`   // the end of the log that a crash had cut short, set aside
	Swept       []string      `json:"swept,omitempty"`  // transactions that died while they were staged; their files are removed
}

// RecoveredTx is a transaction that was pending.
type RecoveredTx struct {
	Tx    string      `json:"tx,omitempty"`    // "" when none was
	End   RecoveryEnd `json:"end,omitempty"`   // how it ended
	Files []string    `json:"files,omitempty"` // the paths that it names
}

// Nothing reports whether there was nothing to do.
func (r *Recovery) Nothing() bool {
	return r == nil || r.Tx == "" && r.Torn == nil && len(r.Swept) == 0
}

// All returns the transactions that were pending.
func (r *Recovery) All() []RecoveredTx {
	if r == nil || r.Tx == "" {
		return nil
	}
	return append([]RecoveredTx{r.RecoveredTx}, r.Others...)
}

// RecoveryEnd says how a pending transaction ended.
type RecoveryEnd string

// The ends of a pending transaction.
const (
	Complete  RecoveryEnd = "complete"   // it had been applied whole; only the mark was missing
	Finished  RecoveryEnd = "finished"   // the missing steps were done
	TakenBack RecoveryEnd = "taken back" // it could not be finished, and nothing of it is left
)

// Torn is the end of a segment of the log that was set aside.
type Torn struct {
	Name string // of the file beside the segments
	Size int64
}
