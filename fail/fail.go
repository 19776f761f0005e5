// Package fail is every way the engine says no: a closed list of kinds and one error type.
//
// It does not print hints or pick exit codes; the fronts do, each from one table over [Kinds].
package fail

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kind is the class of a refusal. It is itself an error, so errors.Is(err, fail.Stale) asks for it.
type Kind string

// The closed list of kinds.
const (
	NotFound         Kind = "not_found"
	AlreadyExists    Kind = "already_exists"
	PermissionDenied Kind = "permission_denied"
	OutsideWorkspace Kind = "outside_workspace"
	BinaryFile       Kind = "binary_file"
	FileTooLarge     Kind = "file_too_large"
	Stale            Kind = "stale_file"
	OldTextNotFound  Kind = "old_text_not_found"
	MultipleMatches  Kind = "multiple_matches"
	Overlapping      Kind = "overlapping_edits"
	PatchParse       Kind = "patch_parse_error"
	PatchApply       Kind = "patch_apply_error"
	CommandFailed    Kind = "command_failed"
	Timeout          Kind = "timeout"
	Unknown          Kind = "unknown" // a defect in the product
)

// Kinds lists every kind, in the order of the contract.
var Kinds = []Kind{
	NotFound, AlreadyExists, PermissionDenied, OutsideWorkspace, BinaryFile, FileTooLarge, Stale, OldTextNotFound,
	MultipleMatches, Overlapping, PatchParse, PatchApply, CommandFailed, Timeout, Unknown,
}

func (k Kind) Error() string { return string(k) }

// Recoverable reports whether the caller can mend its request and try again.
func (k Kind) Recoverable() bool {
	switch k {
	case PermissionDenied, OutsideWorkspace, Unknown:
		return false
	}
	return true
}

// The reasons of [PatchApply].
const (
	ContextNotFound   = "context_not_found"
	DuplicatePath     = "duplicate_path"
	NoNewlineMismatch = "no_newline_mismatch"
)

// The reasons of [CommandFailed].
const (
	Indeterminate   = "indeterminate"
	Limit           = "limit"
	Cancelled       = "cancelled"
	BadArguments    = "bad_arguments"
	StoreUnwritable = "store_unwritable"
	SpecialFile     = "special_file"
	MountPoint      = "mount_point"
	WeakFilesystem  = "weak_filesystem"
	AbsolutePath    = "absolute_path"
	SamePath        = "same_path"
	BadPattern      = "bad_pattern"
)

// Error is one refusal: what, where, why, and what to do next.
type Error struct {
	Kind   Kind
	Reason string // of PatchApply and CommandFailed: one of the closed lists above

	Section int    // 1-based number of the section; 0 when none is concerned
	Path    string // the path concerned, as the caller wrote it
	Line    int    // 1-based line: of the patch text for PatchParse, else of the file; 0 when there is none
	Hunk    int    // 1-based number of the hunk in its section; 0 when no hunk is concerned
	Edit    int    // 1-based number of the text edit in its request; 0 when none is concerned

	Msg  string // one line, without the place
	Hint string // the next step, a full sentence

	// Anchor is the first anchor of the hunk, if it has one.
	Anchor string
	// Old are the lines that a hunk looks for and that were not found (ContextNotFound).
	Old []string
	// Disk: the disk refused while the patch was being committed, and Undone changes were taken back.
	Disk   bool
	Undone int

	// Already: what was refused is already applied, and proved to be.
	Already bool

	Noted bool // it is in the log already
	// Notes are what else a person should know, one sentence each: what somebody's save met, and where it is kept.
	Notes []string
	// Expected is what would have parsed (PatchParse).
	Expected string
	// Want and Have are the expected and the actual hash (Stale).
	Want, Have string
	// Places are where a hunk could go (MultipleMatches), at most [MaxPlaces]; Total counts them all.
	Places []Place
	Total  int
	// Pairs are the text edits, by their 1-based numbers, that change the same bytes (Overlapping), at most about
	// [MaxPlaces] of them. Places has the two ranges of each pair, one after the other.
	Pairs [][2]int
	// Nearest is where the hunk, or the old text of an edit, nearly fits.
	Nearest *Nearest

	Cause error
}

// MaxPlaces is how many places one refusal lists.
const MaxPlaces = 100

// Place is a range of lines of a file, 1-based and inclusive. A place with Last < First is the gap before First.
type Place struct {
	First int `json:"startLine"`
	Last  int `json:"endLine"`
}

// Nearest is the place that a hunk or a text edit nearly fits: the lines as they really are and what differs.
type Nearest struct {
	Place
	Lines   []string `json:"lines"`
	Differs []string `json:"differs"` // one entry a differing line: "line 12: indentation: ..."
	// Corrected is the hunk rewritten so that it applies, in the dialect of the patch; empty when more than
	// one place is near or none is near enough.
	Corrected string `json:"correctedHunk,omitempty"`
	// OldText is, for a text edit, what it would have to look for: the text that is really there, and only there.
	OldText string `json:"correctedOldText,omitempty"`
}

// Error is the place and the message on one line, without the hint.
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

// onOneLine is a path, quoted where it would break the line.
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

// List is every refusal of one request, in patch order. The first one names the whole.
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

// All returns the refusals inside err; an error that is none of ours comes back as [Unknown].
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

// Quote is %q for what a caller wrote, cut so that a line of a gigabyte stays readable.
func Quote(s string) string {
	const most = 80
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q… (%d bytes)", s[:most], len(s))
}

// Short is s, cut when it is longer than any path or any line that a person reads.
func Short(s string) string {
	const most = 4096
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:80], len(s))
}
