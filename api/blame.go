package api

import "time"

// BlameRequest asks where the lines of a file come from.
type BlameRequest struct {
	Path      string
	StartLine int // from 1; 0 for the first
	EndLine   int // 0 for the last
}

// Blame says where the lines of a file come from.
type Blame struct {
	Path      string        `json:"path"`
	Sha256    string        `json:"sha256"`
	LineCount int           `json:"lineCount"` // of the whole file
	Origins   []LineOrigin  `json:"origins"`
	Ranges    []BlamedLines `json:"ranges"`        // in order; each line that was asked for is in one of them
	Log       *Head         `json:"log,omitempty"` // the newest record of the log
}

// BlamedLines is lines that stand together and have one origin.
type BlamedLines struct {
	StartLine int      `json:"startLine"` // from 1
	EndLine   int      `json:"endLine"`
	Origin    int      `json:"origin"` // index in Origins
	Text      []string `json:"text"`   // the lines, without their ends
}

// LineOrigin is where lines come from.
type LineOrigin struct {
	Source      LineSource  `json:"source"`
	Contributor Contributor `json:"contributor"`
	By          *LogEntry   `json:"by,omitempty"`        // FromEntry: the entry that brought the lines into the file
	Uncertain   bool        `json:"uncertain,omitempty"` // FromEntry: somebody else may have made the change that emend saw
	// FromOutside: the entries between which the file was changed, "" for the last one that there is; and the time of the
	// file as it was left, if that is known.
	After      string     `json:"after,omitempty"`
	Before     string     `json:"before,omitempty"`
	ModifiedAt *time.Time `json:"modifiedAt,omitempty"`
	Why        string     `json:"why,omitempty"` // FromUnknown: why nobody can say
}

// LineSource says what the log knows of a line.
type LineSource string

// What the log knows of a line.
const (
	FromEntry     LineSource = "entry"     // an entry of the log brought it into the file
	FromOutside   LineSource = "outside"   // somebody changed the file without emend, between two entries or since the last
	FromBeforeLog LineSource = "beforeLog" // it is older than the first entry of the file
	FromUnknown   LineSource = "unknown"   // an older version would tell, and cannot be read
)

// Contributor says who wrote a line, as far as the log knows, in the words of Agent Trace. No line is "mixed": each has one
// origin.
type Contributor string

// The contributors.
const (
	ByHuman   Contributor = "human"
	ByAI      Contributor = "ai"
	ByUnknown Contributor = "unknown"
)
