package api

import "github.com/emend-dev/emend/patch"

// PatchOptions say how a patch is read and applied. The zero value recognises the dialect and is strict.
type PatchOptions struct {
	// Dialect names the dialect of the patch; "" or "auto" recognises it.
	Dialect string
	// Lenient accepts what models write by mistake, and merges a patch for an earlier version of a file. The result names everything
	// that it accepted.
	Lenient bool
	// Tolerance is the loosest rung on which lines may match; 0 leaves it to the dialect.
	Tolerance patch.Rung
	// Expect holds the sha256 that files must have now, by their path in the patch; with Lenient a version with that sha256 may be
	// merged from. "" asserts that a file to be added is not there. A path that no section changes is refused.
	Expect map[string]string
	// Base is the directory that the paths of the patch are relative to; "" is that of the workspace.
	Base string
	// Paths says whether the paths of the patch are relative to Base. It decides nothing where Base is the root.
	Paths PathsFrom
	// File says what the text does to which file, for a text without a header: the lines of one section, as OpenAI's apply_patch tool
	// writes them. Without a Dialect it is read as emend's, and lines may match on every rung. Missing directories are made, and an
	// absolute path may lead into the root.
	File *FileDiff
	// Sequential applies the sections one after the other, each by itself, and stops at the first that fails.
	Sequential bool
	// Idempotent skips hunks and sections that are already applied, instead of refusing them. Use it to send a patch again that
	// may have arrived. If all of it is applied, nothing is committed.
	Idempotent bool
	// Progress is called while a large patch is staged, with the number of staged files. It must return at once.
	Progress func(done, total int)
	// IdempotencyKey makes Apply commit once: a later call with the same key returns the answer of the first.
	IdempotencyKey string
}

// PathsFrom says what the paths of a patch are relative to.
type PathsFrom uint8

const (
	// PathsFromBase is the directory of the call: [PatchOptions.Base].
	PathsFromBase PathsFrom = iota
	// PathsFromRoot is the root of the workspace.
	PathsFromRoot
	// PathsFromEither is Base, but for a unified diff whose files are there only from the root, as git writes it in any directory. A diff whose
	// files are there in both ways is refused.
	PathsFromEither
)

// FileDiff says what a diff without a header does. The text of a Delete is empty; that of an Add may be.
type FileDiff struct {
	Op   patch.Op // Add, Update or Delete
	Path string   // byte for byte: it is part of no text
}

// Placed says where a hunk landed.
type Placed struct {
	Line   int        // 1-based, in the file before the patch
	Rung   patch.Rung // how loosely it matched
	Others int        // how many other places would have matched

	Doubles bool // lines that it added stood right beside them already: the patch may have been sent twice
	Skipped bool // the change was already there, and begins at Line

	Corrected string // on the rung patch.Corrected: how the hunk differed from the file
	Merged    string // on the rung patch.Merged: the version that the hunk matched, and what changed since
}

// Change is one file before and after, from which Make writes a patch.
type Change struct {
	Path           string
	Old, New       string
	HasOld, HasNew bool // false: the file does not exist on that side
}

// Limits bound what one patch may do. A patch that exceeds one is refused before anything is changed.
type Limits struct {
	PatchBytes int64 // the text of the patch
	Files      int   // the sections of the patch
	FileBytes  int64 // one file, before and after
	TotalBytes int64 // all files, before and after
	Depth      int   // the names of a path
}

// DefaultLimits are the limits of a workspace that is opened without any.
var DefaultLimits = Limits{PatchBytes: 1 << 30, Files: 200_000, FileBytes: 4 << 30, TotalBytes: 8 << 30, Depth: 128}
