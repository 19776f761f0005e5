// Package fail has the one error type of the engine, and the closed lists of its kinds and reasons.
//
// It does not print hints or pick exit codes. The fronts do, each from one table over [Kinds].
package fail

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kind is the class of a refusal. It is an error itself, so that errors.Is(err, fail.Stale) asks for it.
type Kind string

// The closed list of kinds.
const (
	NotFound         Kind = "not_found"          // no such file, directory or entry; or a directory where a file is required
	AlreadyExists    Kind = "already_exists"     // the path exists
	PermissionDenied Kind = "permission_denied"  // a rule, the policy or the system forbids it; a person must allow it
	OutsideWorkspace Kind = "outside_workspace"  // the path leads out of the workspace
	BinaryFile       Kind = "binary_file"        // the file is binary
	FileTooLarge     Kind = "file_too_large"     // the file exceeds the limits of a change
	Stale            Kind = "stale_file"         // the file changed since it was read
	OldTextNotFound  Kind = "old_text_not_found" // the file does not contain the old text of an edit
	MultipleMatches  Kind = "multiple_matches"   // the old text occurs more often than expected
	Overlapping      Kind = "overlapping_edits"  // two edits or hunks change the same bytes
	PatchParse       Kind = "patch_parse_error"  // the text is no patch of the dialect
	PatchApply       Kind = "patch_apply_error"  // a hunk has no place, or a section cannot be applied
	CommandFailed    Kind = "command_failed"     // anything else; the reason says what
	Timeout          Kind = "timeout"            // another process held the lock for too long
	Unknown          Kind = "unknown"            // a defect in the product
)

// Kinds lists every kind, in the order of the contract.
var Kinds = []Kind{
	NotFound, AlreadyExists, PermissionDenied, OutsideWorkspace, BinaryFile, FileTooLarge, Stale, OldTextNotFound,
	MultipleMatches, Overlapping, PatchParse, PatchApply, CommandFailed, Timeout, Unknown,
}

func (k Kind) Error() string { return string(k) }

// Recoverable reports whether the caller can correct its request and try again.
func (k Kind) Recoverable() bool {
	switch k {
	case PermissionDenied, OutsideWorkspace, Unknown:
		return false
	}
	return true
}

// The reasons of [PatchApply].
const (
	ContextNotFound   = "context_not_found"   // a hunk has no place in the file
	DuplicatePath     = "duplicate_path"      // two sections are about the same file
	NoNewlineMismatch = "no_newline_mismatch" // the patch and the file disagree whether the last line ends with a newline
	NothingToChange   = "nothing_to_change"   // the patch would change nothing
)

// The reasons of [CommandFailed].
const (
	Indeterminate   = "indeterminate"    // a commit neither ended nor was taken back; emend recover decides it
	Limit           = "limit"            // it exceeds a limit
	Cancelled       = "cancelled"        // the caller ended the call before anything was changed
	BadArguments    = "bad_arguments"    // the arguments do not fit
	StoreUnwritable = "store_unwritable" // the store cannot be read or written
	SpecialFile     = "special_file"     // it is no regular file: a FIFO, a socket or a device
	MountPoint      = "mount_point"      // something is mounted there
	WeakFilesystem  = "weak_filesystem"  // the file system cannot keep the promise
	AbsolutePath    = "absolute_path"    // the path is absolute where it must not be
	SamePath        = "same_path"        // both paths are the same
	BadPattern      = "bad_pattern"      // the pattern has a mistake
)

// Error is one refusal: what, where, why, and what to do next.
type Error struct {
	Kind   Kind
	Reason string // one of the reasons above, for PatchApply and CommandFailed

	Section int    // 1-based number of the section; 0 for none
	Path    string // path, as the caller wrote it
	Line    int    // 1-based line, of the patch text for PatchParse, otherwise of the file; 0 for none
	Hunk    int    // 1-based number of the hunk in its section; 0 for none
	Edit    int    // 1-based number of the text edit in its request; 0 for none

	Msg  string // one line, without the place
	Hint string // the next step, a full sentence, in words for a terminal; inside of emend with markers (internal/hint)

	// Anchor is the first anchor of the hunk, if it has one.
	Anchor string
	// Old are the lines that a hunk looks for and that were not found (ContextNotFound).
	Old []string
	// Disk is set if the disk refused during a commit. Undone counts the changes that were taken back.
	Disk   bool
	Undone int

	// Already is set if the refused change is provably applied already.
	Already bool

	Noted bool // the log has it already
	// Notes are sentences about what else a person should know: which save a commit met, and where it is kept.
	Notes []string
	// Expected is what the parser expected (PatchParse).
	Expected string
	// Want and Have are the expected and the actual hash (Stale).
	Want, Have string
	// Places are where a hunk could go (MultipleMatches), at most [MaxPlaces]; Total counts all.
	Places []Place
	Total  int
	// Around says, for each of Places, which lines near it tell it from the others; nil if that was not looked for.
	Around []Around
	// Pairs are the 1-based numbers of text edits that change the same bytes (Overlapping), at most about [MaxPlaces].
	// Places has the two ranges of each pair, one after the other.
	Pairs [][2]int
	// Nearest is where the hunk, or the old text of an edit, nearly fits.
	Nearest *Nearest
	// Sides are the lines in which an undo meets a later change (Stale): as they are now, as the undone change left them, and as they
	// were before it.
	Sides []Side

	Cause error
}

// MaxPlaces is how many places one refusal lists.
const MaxPlaces = 100

// Place is a range of lines of a file, 1-based and inclusive. A place with Last < First is the gap before First.
type Place struct {
	First int `json:"startLine"`
	Last  int `json:"endLine"`
}

// Around are the nearest lines above and below one of several places that none of the others has at that distance; nil
// if there is none near.
type Around struct {
	Above *Line `json:"above,omitempty"`
	Below *Line `json:"below,omitempty"`
}

// Line is a line of a file and its number, from 1.
type Line struct {
	Number int    `json:"line"`
	Text   string `json:"text"`
}

// Side is one side of a conflict.
type Side struct {
	Name  string   `json:"name"`
	Line  int      `json:"line,omitempty"` // of the first line in the file as it is now; 0 for another side
	Lines []string `json:"lines"`
}

// Nearest is the place where a hunk or a text edit nearly fits: the lines as they are, and what differs.
type Nearest struct {
	Place
	Lines   []string `json:"lines"`
	Differs []string `json:"differs"` // one entry for each differing line: "line 12: indentation: ..."
	// Corrected is the hunk rewritten so that it applies, in the dialect of the patch. It is empty if more than one
	// place is near, or none is near enough.
	Corrected string `json:"correctedHunk,omitempty"`
	// OldText is, for a text edit, an old text that would match: text that occurs there and only there.
	OldText string `json:"correctedOldText,omitempty"`
	// NewText makes the change that the edit means when it takes the place of OldText; nil if that is not certain.
	NewText *string `json:"correctedNewText,omitempty"`
}

// Error returns the place and the message on one line, without the hint.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(onOneLine(e.Path))
		if e.Line > 0 && e.Kind != PatchParse {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Kind == PatchParse && e.Line > 0 {
		fmt.Fprintf(&b, "patch line %d: ", e.Line)
	}
	if e.Hunk > 0 {
		fmt.Fprintf(&b, "hunk %d: ", e.Hunk)
	}
	if e.Edit > 0 {
		fmt.Fprintf(&b, "edit %d: ", e.Edit)
	}
	b.WriteString(e.Msg)
	return b.String()
}

// onOneLine quotes a path that would break the line.
func onOneLine(p string) string {
	if strings.ContainsAny(p, "\n\r\t") {
		return strconv.Quote(p)
	}
	return p
}

// Is reports whether target is e's kind.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == e.Kind
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// List is every refusal of one request, in patch order. The first one stands for the whole.
type List []*Error

func (l List) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.Is and errors.As look at each refusal, the first one first.
func (l List) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// All returns the refusals in err. Any other error becomes one of kind [Unknown].
func All(err error) List {
	if err == nil {
		return nil
	}
	if l, ok := errors.AsType[List](err); ok {
		return l
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return List{e}
	}
	return List{{Kind: Unknown, Msg: err.Error(), Cause: err,
		Hint: "This is a defect in emend; please report it with the patch that caused it."}}
}

// Quote formats what a caller wrote with %q, cut so that a line of a gigabyte stays readable.
func Quote(s string) string {
	const most = 80
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q… (%d bytes)", s[:most], len(s))
}

// Short cuts s if it is longer than any path or any line that a person reads.
func Short(s string) string {
	const most = 4096
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:80], len(s))
}
