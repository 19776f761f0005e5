package api

import "time"

// DefaultReadBytes is how much of a file's content [Workspace.Read] returns when nobody asks for another size.
const DefaultReadBytes = 256 << 10

// ReadRequest asks for the text of a file.
type ReadRequest struct {
	Path        string `json:"path" jsonschema:"relative to the workspace"`
	StartLine   int    `json:"startLine,omitempty" jsonschema:"first line, from 1"`
	EndLine     int    `json:"endLine,omitempty" jsonschema:"last line"`
	MaxBytes    int    `json:"maxBytes,omitempty" jsonschema:"cut after so many bytes"`
	AllowBinary bool   `json:"allowBinary,omitempty" jsonschema:"return a binary file as base64"`
}

// ReadData is what a file says. Sha256 is of all bytes on disk, also when the content is a slice.
type ReadData struct {
	Path          string `json:"path"`
	Content       string `json:"content"`
	ContentBase64 string `json:"contentBase64,omitempty"`
	Encoding      string `json:"encoding"` // utf-8, utf-8-invalid (content has replacement characters) or binary
	StartLine     int    `json:"startLine"`
	EndLine       int    `json:"endLine"` // StartLine-1 when there is nothing
	LineCount     int    `json:"lineCount"`
	SizeBytes     int64  `json:"sizeBytes"`
	Sha256        string `json:"sha256"`
	Truncated     bool   `json:"truncated"`
	Binary        bool   `json:"binary"`
	NewlineStyle  string `json:"newlineStyle"` // lf, crlf, cr, mixed, none
	HasBOM        bool   `json:"hasBom"`
}

// ListRequest asks for the entries of a directory.
type ListRequest struct {
	Path           string `json:"path" jsonschema:"the directory; . is the workspace"`
	Recursive      bool   `json:"recursive,omitempty" jsonschema:"also what is below"`
	MaxDepth       int    `json:"maxDepth,omitempty" jsonschema:"how deep, with recursive"`
	IncludeHidden  bool   `json:"includeHidden,omitempty" jsonschema:"also names that begin with a dot"`
	IncludeIgnored bool   `json:"includeIgnored,omitempty" jsonschema:"also what ignore files leave out"`
	// NamesOnly is for callers who do not need sizes and times, which take longer to learn than the names: they are zero.
	NamesOnly bool `json:"-"`
}

// ListData is what is in a directory: by depth, then directories before files before links, then by name.
type ListData struct {
	Path      string      `json:"path"`
	Entries   []ListEntry `json:"entries"`
	Truncated bool        `json:"truncated"`
}

// ListEntry is one name.
type ListEntry struct {
	Name         string    `json:"name"`
	RelativePath string    `json:"relativePath"`
	Type         string    `json:"type"` // directory, file, link, other
	Size         int64     `json:"size"`
	MTime        time.Time `json:"mtime"`
	Depth        int       `json:"depth"` // 1 for what is directly in the directory
}

// SearchRequest asks for lines, or for paths.
type SearchRequest struct {
	Query          string   `json:"query" jsonschema:"what to look for"`
	Mode           string   `json:"mode" jsonschema:"text: literal; regex: RE2; path: glob, or part of a name"`
	Root           string   `json:"root,omitempty" jsonschema:"a directory or file to search in"`
	IncludeGlobs   []string `json:"includeGlobs,omitempty" jsonschema:"only files that match these"`
	ExcludeGlobs   []string `json:"excludeGlobs,omitempty" jsonschema:"none that match these"`
	CaseSensitive  *bool    `json:"caseSensitive,omitempty" jsonschema:"default true"`
	ContextLines   int      `json:"contextLines,omitempty" jsonschema:"lines around a match"`
	MaxResults     int      `json:"maxResults,omitempty" jsonschema:"stop after so many matches"`
	IncludeIgnored bool     `json:"includeIgnored,omitempty" jsonschema:"also what ignore files leave out"`
}

// SearchData is what was found, by path and line.
type SearchData struct {
	Matches      []SearchMatch `json:"matches"`
	Truncated    bool          `json:"truncated"`
	FilesScanned int           `json:"filesScanned"`
}

// SearchSum is what [Workspace.SearchTo] has written.
type SearchSum struct {
	Written      int  `json:"written"` // matches
	Truncated    bool `json:"truncated"`
	FilesScanned int  `json:"filesScanned"`
}

// SearchMatch is one line, or in mode path one file with line 0.
type SearchMatch struct {
	Path    string   `json:"path"`
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"` // of the first match, in bytes, from 1
	Preview string   `json:"preview,omitempty"`
	Before  []string `json:"before,omitempty"`
	After   []string `json:"after,omitempty"`
}

// GlobRequest asks for the paths that match a pattern.
type GlobRequest struct {
	Pattern        string   `json:"pattern" jsonschema:"relative to root"`
	Root           string   `json:"root,omitempty" jsonschema:"where the pattern begins"`
	ExcludeGlobs   []string `json:"excludeGlobs,omitempty" jsonschema:"none that match these"`
	MaxResults     int      `json:"maxResults,omitempty" jsonschema:"stop after so many paths"`
	IncludeIgnored bool     `json:"includeIgnored,omitempty" jsonschema:"also what ignore files leave out"`
}

// GlobData is what matched, by path.
type GlobData struct {
	Matches   []GlobMatch `json:"matches"`
	Truncated bool        `json:"truncated"`
}

// GlobMatch is one path.
type GlobMatch struct {
	Path  string    `json:"path"`
	Type  string    `json:"type"` // directory, file, link, other
	Size  int64     `json:"size"`
	MTime time.Time `json:"mtime"`
}

// GlobSum is how many paths were written.
type GlobSum struct {
	Written   int  `json:"written"`
	Truncated bool `json:"truncated"`
}

// CreateRequest asks for a new file.
type CreateRequest struct {
	Path                    string `json:"path" jsonschema:"relative to the workspace"`
	Content                 string `json:"content" jsonschema:"all of its text"`
	CreateParentDirectories bool   `json:"createParentDirectories,omitempty" jsonschema:"make missing directories"`
	Executable              bool   `json:"executable,omitempty" jsonschema:"set the executable bits"`
	IdempotencyKey          string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}

// CreateData is what was made.
type CreateData struct {
	Created   bool   `json:"created"`
	Path      string `json:"path"`
	Sha256    string `json:"sha256"`
	SizeBytes int64  `json:"sizeBytes"`
	Diff      string `json:"diff"`
}

// WriteRequest asks to replace the whole text of a file.
type WriteRequest struct {
	Path           string `json:"path" jsonschema:"relative to the workspace"`
	Content        string `json:"content" jsonschema:"all of its new text"`
	ExpectedSha256 string `json:"expectedSha256" jsonschema:"its sha256, from read_file"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}

// WriteData is what was written.
type WriteData struct {
	Path         string `json:"path"`
	BeforeSha256 string `json:"beforeSha256"`
	AfterSha256  string `json:"afterSha256"`
	SizeBytes    int64  `json:"sizeBytes"`
	Diff         string `json:"diff"`
}

// EditRequest asks to replace parts of a file's text.
type EditRequest struct {
	Path           string     `json:"path" jsonschema:"relative to the workspace"`
	ExpectedSha256 string     `json:"expectedSha256" jsonschema:"its sha256, from read_file"`
	Edits          []TextEdit `json:"edits" jsonschema:"all against the text as it was read"`
	Tolerance      string     `json:"tolerance,omitempty" jsonschema:"how loosely lines may match"`
	IdempotencyKey string     `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}

// TextEdit replaces one text by another.
type TextEdit struct {
	OldText             string `json:"oldText" jsonschema:"the exact text to replace"`
	NewText             string `json:"newText" jsonschema:"what takes its place"`
	ExpectedOccurrences int    `json:"expectedOccurrences,omitempty" jsonschema:"how often oldText must occur; default 1"`
}

// EditData is what was edited.
type EditData struct {
	WriteData
	AppliedEdits []AppliedEdit `json:"appliedEdits"`
}

// AppliedEdit is where one edit landed.
type AppliedEdit struct {
	EditIndex   int         `json:"editIndex"`
	Occurrences int         `json:"occurrences"`
	Rung        string      `json:"rung"`
	Lines       []LineRange `json:"lines"`
}

// LineRange is lines of the file as it was, from 1, both ends included.
type LineRange struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// DeleteRequest asks to delete a file, into the trash unless Permanent.
type DeleteRequest struct {
	Path           string `json:"path" jsonschema:"relative to the workspace"`
	ExpectedSha256 string `json:"expectedSha256,omitempty" jsonschema:"refuse unless the file is still this"`
	Permanent      bool   `json:"permanent,omitempty" jsonschema:"keep nothing in the trash"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}

// DeleteData is what was deleted.
type DeleteData struct {
	Deleted      bool   `json:"deleted"`
	Path         string `json:"path"`
	BeforeSha256 string `json:"beforeSha256"`
	SizeBytes    int64  `json:"sizeBytes"`
	Diff         string `json:"diff"`
	TrashedTo    string `json:"trashedTo,omitempty"`
}

// RestoreRequest asks for a file back from the trash.
type RestoreRequest struct {
	TrashedPath    string `json:"trashedPath" jsonschema:"trashedTo of the call that deleted it"`
	TargetPath     string `json:"targetPath,omitempty" jsonschema:"where to; default: where it was"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}

// RestoreData is what came back.
type RestoreData struct {
	Restored  bool   `json:"restored"`
	Path      string `json:"path"`
	From      string `json:"from"`
	SizeBytes int64  `json:"sizeBytes"`
	Sha256    string `json:"sha256"`
}

// MoveRequest asks to move or rename a file.
type MoveRequest struct {
	FromPath                string `json:"fromPath" jsonschema:"relative to the workspace"`
	ToPath                  string `json:"toPath" jsonschema:"its new path"`
	ExpectedSha256          string `json:"expectedSha256" jsonschema:"its sha256, from read_file"`
	Overwrite               bool   `json:"overwrite,omitempty" jsonschema:"replace what is at toPath, which goes to the trash"`
	CreateParentDirectories bool   `json:"createParentDirectories,omitempty" jsonschema:"make missing directories"`
	IdempotencyKey          string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
	// Plain is for callers who know a move that replaces nothing, and may send ExpectedSha256.
	Plain bool `json:"-"`
}

// MoveData is what was moved.
type MoveData struct {
	Moved              bool   `json:"moved"`
	FromPath           string `json:"fromPath"`
	ToPath             string `json:"toPath"`
	Sha256             string `json:"sha256"`
	OverwroteTrashedTo string `json:"overwroteTrashedTo,omitempty"`
}

// HistoryRequest asks for entries of the log, the newest first.
type HistoryRequest struct {
	Path      string `json:"path,omitempty" jsonschema:"only this file or directory"`
	SessionID string `json:"sessionId,omitempty" jsonschema:"only of this session"`
	Since     string `json:"since,omitempty" jsonschema:"a time (RFC 3339) or an age (90m, 2h, 7d)"`
	Limit     int    `json:"limit,omitempty" jsonschema:"at most so many entries"`
	// Tool and Diff are for people and fronts; agents ask with the fields above.
	Tool string `json:"-"`
	Diff bool   `json:"-"`
}

// HistoryData is the entries, the newest first: one for every file that a call changed, or tried to.
type HistoryData struct {
	Entries   []LogEntry `json:"entries"`
	Truncated bool       `json:"truncated"`
}

// LogEntry is what became of one file in one call, in Comma's shape, and below that what emend adds.
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

	Ended     string      `json:"ended,omitempty"`     // abort, recovered: how a change ended that was cut short or met somebody's save
	Hunks     []HunkPlace `json:"hunks,omitempty"`     // with the diff: where the hunks of a patch, or text edits, landed; none in older entries
	HunksMore int         `json:"hunksMore,omitempty"` // how many more there were
}

// HunkPlace is where a hunk landed.
type HunkPlace struct {
	Line int    `json:"line"` // of the file before, from 1
	Rung string `json:"rung"` // how loosely it matched: exact, trailing, whitespace, …
}

// UndoRequest asks to take back an entry of the log, or all that a session did.
type UndoRequest struct {
	Entry          string `json:"entry,omitempty" jsonschema:"the entry, as history lists it"`
	SessionID      string `json:"sessionId,omitempty" jsonschema:"all of this session"`
	DryRun         bool   `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"the same key: done once"`
}
