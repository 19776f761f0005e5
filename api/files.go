package api

import "time"

// DefaultReadBytes bounds the content that a ReadRequest without MaxBytes returns.
const DefaultReadBytes = 256 << 10

// ReadRequest asks for the text of a file.
type ReadRequest struct {
	Path        string `json:"path" jsonschema:"relative to the workspace"`
	StartLine   int    `json:"startLine,omitempty" jsonschema:"first line, from 1"`
	EndLine     int    `json:"endLine,omitempty" jsonschema:"last line"`
	MaxBytes    int    `json:"maxBytes,omitempty" jsonschema:"cut after so many bytes"`
	AllowBinary bool   `json:"allowBinary,omitempty" jsonschema:"return a binary file as base64"`
	Anchors     bool   `json:"anchors,omitempty" jsonschema:"put N:HASH before each line, to name it in edit_file"`
}

// ReadData is the text of a file, or a part of it. If the request asks for anchors, each line of Content begins with its name, N:HASH,
// and a vertical bar. Sha256 is the hash of all bytes on disk, even if the content is a part.
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
	IncludeIgnored bool   `json:"includeIgnored,omitempty" jsonschema:"also ignored files"`
	// NamesOnly is for callers who do not need sizes and times, which take longer to learn than the names: they are zero.
	NamesOnly bool `json:"namesOnly,omitempty" jsonschema:"no sizes: faster"`
}

// ListData lists a directory: by depth, then directories before files before links, then by name.
type ListData struct {
	Path      string      `json:"path"`
	Entries   []ListEntry `json:"entries"`
	Truncated bool        `json:"truncated"`
}

// ListEntry is one entry of a directory.
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
	IncludeIgnored bool     `json:"includeIgnored,omitempty" jsonschema:"also ignored files"`
}

// SearchData lists the matches of a search, by path and line.
type SearchData struct {
	Matches      []SearchMatch `json:"matches"`
	Truncated    bool          `json:"truncated"`
	FilesScanned int           `json:"filesScanned"`
}

// SearchSum counts the matches that a search has written.
type SearchSum struct {
	Written      int  `json:"written"` // matches
	Truncated    bool `json:"truncated"`
	FilesScanned int  `json:"filesScanned"`
}

// SearchMatch is one matching line. In mode path it is one file, with line 0.
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
	IncludeIgnored bool     `json:"includeIgnored,omitempty" jsonschema:"also ignored files"`
}

// GlobData lists the matching paths, sorted.
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

// GlobSum counts the paths that a glob has written.
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
	IdempotencyKey          string `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
}

// CreateData describes the new file.
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
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
}

// WriteData describes a file before and after it was written.
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
	IdempotencyKey string     `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
	// Plain is for callers who know an edit without a hash. ExpectedSha256 may be empty then.
	Plain bool `json:"-"`
}

// TextEdit replaces one text by another, or lines by a text: Line is the anchor of the first line and EndLine that of the last; or After
// is the anchor of the line below which NewText is inserted.
type TextEdit struct {
	OldText             string `json:"oldText,omitempty" jsonschema:"the exact text to replace"`
	NewText             string `json:"newText" jsonschema:"what takes its place; empty deletes"`
	ExpectedOccurrences int    `json:"expectedOccurrences,omitempty" jsonschema:"how often oldText must occur; default 1"`
	Line                string `json:"line,omitempty" jsonschema:"or the anchor of the line to replace"`
	EndLine             string `json:"endLine,omitempty" jsonschema:"of the last one"`
	After               string `json:"after,omitempty" jsonschema:"or of the line to insert below; 0: the top"`
}

// EditCellRequest asks to change one cell of a Jupyter notebook. A cell is inserted below the one that is named, or at the top if none
// is.
type EditCellRequest struct {
	Path           string  `json:"path" jsonschema:"the notebook"`
	ExpectedSha256 string  `json:"expectedSha256" jsonschema:"its sha256, from read_file"`
	Action         string  `json:"action,omitempty" jsonschema:"insert: below cell"`
	Cell           string  `json:"cell,omitempty" jsonschema:"its id, or number from 0"`
	Source         *string `json:"source,omitempty" jsonschema:"the new source"`
	CellType       string  `json:"cellType,omitempty" jsonschema:"of a new cell"`
	IdempotencyKey string  `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
}

// EditCellData describes a notebook before and after an edit, and the cell. Index is -1 if it is not known any more.
type EditCellData struct {
	WriteData
	Index    int    `json:"index"`
	CellID   string `json:"cellId,omitempty"`
	CellType string `json:"cellType,omitempty"`
}

// EditData describes a file before and after it was edited, and where each edit landed.
type EditData struct {
	WriteData
	AppliedEdits []AppliedEdit `json:"appliedEdits"`
}

// AppliedEdit says where one edit landed.
type AppliedEdit struct {
	EditIndex   int         `json:"editIndex"`
	Occurrences int         `json:"occurrences"`
	Rung        string      `json:"rung"`
	Lines       []LineRange `json:"lines"`
}

// LineRange is a range of lines of the file before the change, counted from 1, both ends included.
type LineRange struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// InsertRequest asks to put lines into a file.
type InsertRequest struct {
	Path           string
	After          int    // the line after which the text goes; 0 is the beginning of the file
	Text           string // whole lines; the newline after the last may be left out
	ExpectedSha256 string // refuse unless the file is still this; "" for whatever it is
}

// InsertData describes a file before and after lines were put into it.
type InsertData struct {
	WriteData
	Lines LineRange `json:"lines"` // of the inserted text, in the file after the change
}

// DeleteRequest asks to delete a file. It goes to the trash unless Permanent is set.
type DeleteRequest struct {
	Path           string `json:"path" jsonschema:"relative to the workspace"`
	ExpectedSha256 string `json:"expectedSha256,omitempty" jsonschema:"refuse unless the file is still this"`
	Permanent      bool   `json:"permanent,omitempty" jsonschema:"keep nothing in the trash"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
	// Recursive takes a directory at Path too, with everything in it, as one change. ExpectedSha256 must be empty then.
	Recursive bool `json:"-"`
}

// TreeData counts what was in a directory that one call deleted or moved. The directory itself counts.
type TreeData struct {
	Files       int   `json:"files"` // and links
	Directories int   `json:"directories"`
	SizeBytes   int64 `json:"sizeBytes"`
}

// DeleteData describes the deleted file.
type DeleteData struct {
	Deleted      bool   `json:"deleted"`
	Path         string `json:"path"`
	BeforeSha256 string `json:"beforeSha256"`
	SizeBytes    int64  `json:"sizeBytes"`
	Diff         string `json:"diff"`
	TrashedTo    string `json:"trashedTo,omitempty"`
	// Tree is set if a directory was deleted. Then BeforeSha256, Diff and TrashedTo are empty.
	Tree *TreeData `json:"tree,omitempty"`
}

// RestoreRequest asks for a file back from the trash.
type RestoreRequest struct {
	TrashedPath    string `json:"trashedPath" jsonschema:"trashedTo of the call that deleted it"`
	TargetPath     string `json:"targetPath,omitempty" jsonschema:"where to; default: where it was"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
	// Archives takes a TrashedPath that ends in .tar.gz or .tgz for an archive in the workspace, which [Host.TrashExport] wrote.
	Archives bool `json:"-"`
}

// RestoreData describes the restored file.
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
	IdempotencyKey          string `json:"idempotencyKey,omitempty" jsonschema:"done once per key"`
	// Plain is for callers who know a move that replaces nothing. ExpectedSha256 may be empty then.
	Plain bool `json:"-"`
	// Recursive takes a directory at FromPath too, with everything in it, as one change. ExpectedSha256 must be empty then, and nothing
	// may be at ToPath.
	Recursive bool `json:"-"`
}

// MoveData describes the moved file.
type MoveData struct {
	Moved              bool   `json:"moved"`
	FromPath           string `json:"fromPath"`
	ToPath             string `json:"toPath"`
	Sha256             string `json:"sha256"`
	OverwroteTrashedTo string `json:"overwroteTrashedTo,omitempty"`
	// Tree is set if a directory was moved. Then Sha256 is empty.
	Tree *TreeData `json:"tree,omitempty"`
}
