package api

import (
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// Error is one refusal: its kind, its place, its reason and the next step.
type Error = fail.Error

// Kind is the class of a refusal; errors.Is(err, emend.Stale) asks for it.
type Kind = fail.Kind

// The kinds of refusals, a closed list.
const (
	NotFound         = fail.NotFound
	AlreadyExists    = fail.AlreadyExists
	PermissionDenied = fail.PermissionDenied
	OutsideWorkspace = fail.OutsideWorkspace
	BinaryFile       = fail.BinaryFile
	FileTooLarge     = fail.FileTooLarge
	Stale            = fail.Stale
	OldTextNotFound  = fail.OldTextNotFound
	MultipleMatches  = fail.MultipleMatches
	Overlapping      = fail.Overlapping
	PatchParse       = fail.PatchParse
	PatchApply       = fail.PatchApply
	CommandFailed    = fail.CommandFailed
	Timeout          = fail.Timeout
	Unknown          = fail.Unknown
)

// Result is an outcome in the shape of its dialect, ready to be encoded as JSON.
type Result = report.Result

// Options are what a caller asks of one plan. The zero value recognises the dialect and is strict.
type Options struct {
	// Dialect is the name of one of [Dialects]; "" or "auto" recognises it.
	Dialect string
	// Lenient lets pass what sloppy models write; whatever it let pass is named in the result.
	Lenient bool
	// Tolerance names the last rung on which lines may match; 0 leaves it to the dialect.
	Tolerance patch.Rung
	// Expect holds the sha256 that files must have now, by their path as the patch writes it. "" asserts that a
	// file to be added is not there.
	Expect map[string]string
	// Base is the directory that the paths of the patch are relative to, written as they are; "" is that of the workspace.
	Base string
	// Sequential applies the sections one after the other, each by itself, and stops at the first that fails.
	Sequential bool
	// Idempotent skips what is already applied, hunk by hunk and section by section, instead of refusing it. It is for
	// who sends a patch again without knowing whether it arrived. If all of it is applied nothing is committed.
	Idempotent bool
	// Progress is told, while a large patch is staged, how many of its files are. It must return at once.
	Progress func(done, total int)
	// IdempotencyKey makes Apply do a thing once: a call with a key that was committed before returns the answer of
	// the first.
	IdempotencyKey string
}

// Placed is where a hunk landed and how loosely it matched there.
type Placed = plan.Placed
