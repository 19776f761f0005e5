package api

import (
	"fmt"
	"time"
)

// Actor says who makes a call, for the log.
type Actor struct {
	Client  string `json:"client,omitempty"`
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Call    string `json:"call,omitempty"` // the client's own name for this use of the tool
	Turn    string `json:"turn,omitempty"` // what came of one prompt of a person
}

// What some callers say of themselves.
const (
	CommandLine = "cli"    // the Client of the command line, which agents use too
	PersonAgent = "person" // the Agent of a person, as on the pages
)

// Head names one record of the log by its number and its hash, and by the hash all records before it. Somebody who keeps a head
// can prove later that nothing before it was rewritten.
type Head struct {
	Seq uint64 `json:"seq"`
	H   string `json:"h"`
}

// String returns the number, a colon and the hash.
func (h Head) String() string { return fmt.Sprintf("%d:%s", h.Seq, h.H) }

// HistoryRequest asks for entries of the log, the newest first.
type HistoryRequest struct {
	Path      string `json:"path,omitempty" jsonschema:"only this file or directory"`
	SessionID string `json:"sessionId,omitempty" jsonschema:"only of this session"`
	Since     string `json:"since,omitempty" jsonschema:"a time (RFC 3339) or an age (90m, 2h, 7d)"`
	Limit     int    `json:"limit,omitempty" jsonschema:"at most so many entries"`
	Trash     bool   `json:"trash,omitempty" jsonschema:"only files in the trash, with the id for restore_file"`
	// These are for people and fronts; agents ask with the fields above. ByCall makes Limit count calls, each with all its files.
	Tool   string `json:"-"`
	Diff   bool   `json:"-"`
	ByCall bool   `json:"-"`
}

// HistoryData lists entries, the newest first: one for every file that a call changed, or tried to change.
type HistoryData struct {
	Entries   []LogEntry `json:"entries"`
	Truncated bool       `json:"truncated"`
}

// LogEntry says what one call did to one file. The fields above Entry are those of Comma's log; those below are emend's own.
type LogEntry struct {
	Timestamp    time.Time `json:"timestamp"`
	SessionID    string    `json:"sessionId"`
	AgentName    string    `json:"agentName"`
	ToolName     string    `json:"toolName"`
	Operation    string    `json:"operation"`
	Path         string    `json:"path"`
	ToPath       string    `json:"toPath,omitempty"`
	BeforeSha256 string    `json:"beforeSha256,omitempty"`
	AfterSha256  string    `json:"afterSha256,omitempty"`
	Diff         string    `json:"diff,omitempty"`
	OK           bool      `json:"ok"`
	ErrorKind    string    `json:"errorKind,omitempty"`

	Entry     string   `json:"entry"` // by which show and undo know it: the transaction, or #seq of a refusal
	Seq       uint64   `json:"seq"`
	Client    string   `json:"client,omitempty"`
	Call      string   `json:"call,omitempty"` // the client's own name for this use of the tool
	Message   string   `json:"message,omitempty"`
	TrashedTo string   `json:"trashedTo,omitempty"`
	Undoes    []string `json:"undoes,omitempty"`   // the entries that this one took back
	UndoneBy  string   `json:"undoneBy,omitempty"` // the entry that took this one back

	UndoesParts []UndonePart `json:"undoesParts,omitempty"` // what this one took back of entries that it did not take back entirely
	UndoneParts []UndonePart `json:"undoneParts,omitempty"` // what undos in effect took back of the file

	Ended     string      `json:"ended,omitempty"`     // abort, recovered: how a change ended that was cut short or met somebody's save
	Hunks     []HunkPlace `json:"hunks,omitempty"`     // with the diff: where the hunks of a patch, or text edits, landed; none in older entries
	HunksMore int         `json:"hunksMore,omitempty"` // how many more there were

	Turn string `json:"turn,omitempty"` // what came of one prompt of a person
	Seen *Seen  `json:"seen,omitempty"` // emend did not make the change but saw it

	Marks []string `json:"marks,omitempty"` // what a person should know of the file: that nobody was asked, that a line looks like a key
}

// Seen says what is known of a change that emend saw between two looks at the tree.
type Seen struct {
	Since   time.Time `json:"since"`             // when the tree was looked at before
	Command string    `json:"command,omitempty"` // what the call ran
	Result  string    `json:"result,omitempty"`  // how the call ended
	Others  []string  `json:"others,omitempty"`  // who else may have made it
}

// HunkPlace says where a hunk landed.
type HunkPlace struct {
	Line int    `json:"line"` // of the file before, from 1
	Rung string `json:"rung"` // how loosely it matched: exact, trailing, whitespace, …
}

// EntryData is one record of the log: who asked, what was done, and which of the displaced files are kept.
type EntryData struct {
	Entry          string       `json:"entry"`
	Seq            uint64       `json:"seq"`
	Kind           string       `json:"kind"` // commit, undo, failed, denied, purge
	Timestamp      time.Time    `json:"timestamp"`
	Client         string       `json:"client,omitempty"`
	Call           string       `json:"call,omitempty"`
	SessionID      string       `json:"sessionId"`
	AgentName      string       `json:"agentName"`
	ToolName       string       `json:"toolName"`
	Turn           string       `json:"turn,omitempty"`
	Seen           *Seen        `json:"seen,omitempty"`
	PolicyHash     string       `json:"policyHash,omitempty"`     // of the policy at that time
	IdempotencyKey string       `json:"idempotencyKey,omitempty"` // of a call with one
	RequestSha256  string       `json:"requestSha256,omitempty"`  // of the text of such a call
	Dialect        string       `json:"dialect,omitempty"`        // of a patch: how its text was written
	AskedBy        string       `json:"askedBy,omitempty"`        // the front where a person was asked and said yes
	OK             bool         `json:"ok"`
	Outcome        Outcome      `json:"outcome"`
	ErrorKind      string       `json:"errorKind,omitempty"`
	Message        string       `json:"message,omitempty"`
	End            string       `json:"end,omitempty"` // applied, abort, recovered; "" when no record says how it ended
	EndedAt        *time.Time   `json:"endedAt,omitempty"`
	Undoes         []string     `json:"undoes,omitempty"`
	UndoneBy       string       `json:"undoneBy,omitempty"`
	UndoesParts    []UndonePart `json:"undoesParts,omitempty"` // what it took back of entries that it did not take back entirely
	UndoneParts    []UndonePart `json:"undoneParts,omitempty"` // what undos in effect took back of it
	Files          []LogEntry   `json:"files"`
	Attempt        *Attempt     `json:"attempt,omitempty"` // of a refused call, as long as it is kept
	Kept           []Kept       `json:"kept"`
	Prev           string       `json:"prev"` // the hash of the record before
	H              string       `json:"h"`    // its own hash; Seq and H are a [Head]
}

// Attempt is the patch that a refused call was to apply; of text edits, a patch with a hunk for each.
type Attempt struct {
	Patch   string    `json:"patch"`
	Dialect string    `json:"dialect,omitempty"`
	Lenient bool      `json:"lenient,omitempty"`
	Base    string    `json:"base,omitempty"` // the directory that its paths are relative to
	File    *FileDiff `json:"file,omitempty"`
}

// Kept is a file that a transaction displaced and that the history still has.
type Kept struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"` // where it was
	SizeBytes int64     `json:"sizeBytes"`
	MTime     time.Time `json:"mtime"`
}

// TimelineRequest asks for calls, the newest first. A call matches when every condition that is set holds.
type TimelineRequest struct {
	SessionID, Agent, Client, Tool string
	Path                           string // a file, or a directory
	Text                           string // part of a path, a message, or the name of a session, agent, client, tool or entry; case does not matter
	Content                        string // part of a changed line, in files that may be read; case does not matter
	Outcome                        Outcome
	Since, Until                   time.Time
	Before                         uint64 // only records with a lower number; 0 for all
	Limit                          int    // most calls to return; 0 for 50
	Look                           int    // most records to look through; 0 for 20,000, or for 2,000 with Content
	CountLines                     bool   // the calls say how many lines they added and removed
}

// Outcome says how a call ended.
type Outcome string

// The outcomes of calls.
const (
	Done      Outcome = "done"
	Refused   Outcome = "refused"   // before it changed anything
	Aborted   Outcome = "aborted"   // it began, and the same process took it back
	Recovered Outcome = "recovered" // a crash interrupted it, and a later process finished it
	Reverted  Outcome = "reverted"  // a crash interrupted it, and a later process took it back
	Undone    Outcome = "undone"    // it was done, and an undo has taken it back since
)

// Timeline is one page of calls.
type Timeline struct {
	Calls  []LoggedCall
	Next   uint64 // the Before of the next page; 0 on the last
	Looked int    // records looked through
	Head   Head   // the newest record
	Notes  []string
}

// LoggedCall is one call of the log, with the files that it changed or tried to.
type LoggedCall struct {
	Entry       string // its name, for Show and Undo
	Seq         uint64
	Timestamp   time.Time
	Kind        string // commit, undo, failed, denied, purge
	SessionID   string
	Turn        string // what came of one prompt of a person
	AgentName   string
	Client      string
	ToolName    string
	Outcome     Outcome
	ErrorKind   string
	Message     string
	AskedBy     string
	Seen        *Seen    // set for a change that emend did not make but saw
	Marks       []string // as in LogEntry, of all files; each once, without its details
	Undoes      []string
	UndoneBy    string
	UndoesParts []UndonePart // as in EntryData
	UndoneParts []UndonePart
	Files       []LogEntry // without diffs; the first twenty
	FileCount   int

	Lines *LineCount // of a change whose diff is kept, or was when it was counted, if the request asks to count; nil if it is not known
}

// LineCount counts the changed lines of text in the files that may be read.
type LineCount struct{ Added, Removed int }
