// Package dialect turns patch text into patch values and back.
//
// One file is one dialect, and a dialect is a value: a grammar, a printer, the rules a plan follows and the words
// a result is told in. Nothing outside this package asks which dialect it has; it asks the value. No I/O.
package dialect

import (
	"iter"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// Dialect is one way to write a patch.
type Dialect struct {
	Name string
	Doc  string // one line for help texts

	// Parse reads a text. Every error is a *fail.Error of kind PatchParse that names the line, or a fail.List. With an error the
	// result has nothing but Decodings.
	Parse func(text string, o Options) (Parsed, error)
	// Print writes p so that Parse reads the same values back (patch line numbers apart). What the dialect
	// cannot say is refused, naming the section, or the hunk, and what it is.
	Print func(p patch.Patch) (string, error)
	// PrintHunk writes one hunk alone, and reports whether the dialect can say it.
	PrintHunk func(h patch.Hunk) (string, bool)
	// Claims reports whether a text that names no dialect is this one. A dialect that must be named has none.
	Claims func(text string) bool

	// Rules are the policies a plan follows for a patch read with o.
	Rules func(o Options) Rules
	Words Words
}

// Options are the caller's switches. With the zero value every dialect is at its strictest.
type Options struct {
	Lenient   bool
	Tolerance patch.Rung // the last rung allowed; 0 leaves it to the dialect
	// Header is the section whose lines the text is, if it has no header of its own.
	Header *patch.Section
}

// Parsed is a patch, and one sentence for each thing that lenient reading accepted.
type Parsed struct {
	Patch  patch.Patch
	Passed []string
	// Decodings are other readings, for when the patch as it is written is refused; nil if the dialect has none. Each takes time
	// linear in the text.
	Decodings iter.Seq[Decoding]
}

// Decoding is a patch whose text was decoded before it was read. It counts only if the files prove it.
type Decoding struct {
	Parsed
	Name   string   // what was decoded
	Absent []string // texts that must not be in a file that changes
}

// Rules are the policies that a plan follows for a dialect.
type Rules struct {
	Place  Placement
	Ladder []patch.Rung // rungs tried, strictest first

	RepeatPaths   bool // several sections of one path apply in order, instead of being refused
	AddReplaces   bool // Add over an existing path replaces it
	MoveReplaces  bool // Move over an existing path replaces it
	MoveInPlace   bool // a Move onto itself is an update in place, instead of being refused
	MakeParents   bool // missing parents are created
	Absolute      bool // an absolute path inside the root is made relative, instead of being refused
	FinalNewline  bool // an updated file always ends in a newline
	DeletesFiles  bool // a link that leads to no regular file cannot be deleted
	Corrects      bool // a hunk that has no place is applied as its refusal would correct it
	BlankFallback bool // a hunk that ends in blank context is tried again without the last such line
	Bytes         bool // line ends and a byte order mark in the patch are bytes of the file, where the file has them so
	MustChange    bool // an update that leaves its file as it is is refused
	RootPaths     bool // paths may be relative to the root of the tree, as git writes them in every directory
	Unmarked      bool // lines have no marks: none can have lost one, and which lines of a hunk stay was worked out from both sides
	AnyOrder      bool // the order of the hunks in the patch says nothing about that in the file
	AddFills      bool // a new file may be there, if it is empty
	NamesBefore   bool // paths are those of the tree before the patch: what one section takes away makes room for another, in any order
	FromNothing   bool // an update of lines -0,0 makes its file, if there is none

	// How the dialect adds a file, and how it changes one that is there, if it does neither with sections that say so.
	ToAdd, ToUpdate string
}

// Placement selects what decides the place of a hunk.
type Placement uint8

const (
	// Unique: exactly one place in the text that the earlier hunks leave.
	Unique Placement = iota
	// Ordered: as Unique, and what that leaves undecided is decided by anchors and by the order of the hunks.
	Ordered
	// Cursor: the first place at or after the end of the previous hunk's.
	Cursor
)

// Words hold the words in which a dialect gives its results.
type Words struct {
	Shape   Shape
	Hunks   bool // Object shapes: changed files list where their hunks landed, and data names the dialect
	Success func(changes []patch.Change) string
	// Refusal is the whole text of a refusal, for Text shapes; Supy shapes use it for the "error" field.
	Refusal func(e *fail.Error, op patch.Op) string
	// Each is the text of one entry of "results" (Supy shapes).
	Each func(e *fail.Error, op patch.Op) string
}

// Shape is the form of the machine-readable result.
type Shape uint8

const (
	// Object is {ok, output, data, error}.
	Object Shape = iota
	// Text is {ok, output, error} around the dialect's own text.
	Text
	// Results is {ok, results[], files_modified, files_added, files_deleted, error}.
	Results
)
