// Package plan turns a patch and the contents of files into after-images. It refuses what is ambiguous, what
// overlaps and what would change something the patch does not say.
//
// It writes nothing and opens nothing: a [Source] gives it the files. All that can be decided before a disk is touched is
// decided here, and every failing section and hunk of a patch is reported, not only the first.
//
// Its parts are packages that each answer one question about one file: place (where does a hunk go), repeat (is it
// applied already), suggest (what would have worked) and replace (text edits). This package asks them, and plans what a
// section does to its file and paths.
package plan

import (
	"iter"
	"slices"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Options are the settings of one plan.
type Options struct {
	// Expect holds the sha256 that files must have now, by their path as the patch writes it; "" asserts that
	// an added file is not there. Paths that are not in the map are not checked.
	Expect map[string]string
	// Print writes one hunk in the dialect of the patch, for the corrected hunks of a refusal.
	Print func(patch.Hunk) (string, bool)
	// Idempotent skips what is already applied, instead of refusing it.
	Idempotent bool
	// Decodings are other readings of the patch, which count if it is refused; see [Plan.Decoded].
	Decodings iter.Seq[dialect.Decoding]
	// Unread is why the patch could not be read as it is written; nil if it was. Then only a decoding can be planned.
	Unread error
}

// Plan is what a patch would do, with everything decided. Steps are in patch order.
type Plan struct {
	Steps   []Step
	Skipped []Skip // left out, because it is already applied
	// Decoded is the reading that the plan is of; nil if it is of the patch as it is written.
	Decoded *dialect.Decoding
	// Passed has one sentence for each path that was not taken to the letter.
	Passed []string
}

// Step is the effect of one section on one file.
type Step struct {
	Op       patch.Op
	Path, To string // relative to the workspace
	Writes   string // the path as the patch wrote it: the destination, for a Move
	Section  int    // its number in the patch, from 0

	Before, After       string     // contents; Before of an Add is what it replaces
	BeforeSum, AfterSum string     // their sha256; "" where there is no file
	Replaces            *File      // the file that an Add or a Move replaces, if any
	Exec                bool       // an Add makes an executable file
	Mode                patch.Mode // an Update or a Move changes the executable bit
	FromHistory         string     // put here the very file that the history keeps under this name, not After
	ModeOfKept          string     // an Add takes mode and owner from the file that the history keeps under this name
	ModeFrom            *File      // an Update takes mode and owner from this file, which goes elsewhere in the same plan
	SetTime             bool       // with Back: its time is that of the commit, as if it had just been written
	Size                int64      // of what is put here, if After does not have it

	Source File // as it was planned with, for the commit to verify
	Dest   File // Move: what is at the destination

	seen  *Version // that the caller expects, if it is not the file as it is now
	Hunks []Placed
	Edits []text.Change // Update and Move: how After came from Before
	Bytes []text.Change // the same edits, in bytes; nil where only the lines are known
}

// Applied reports whether there is nothing to do, because all of the patch is already applied.
func (p *Plan) Applied() bool { return len(p.Steps) == 0 && len(p.Skipped) > 0 }

// HunkCount counts the hunks that the plan applies.
func (p *Plan) HunkCount() int {
	n := 0
	for _, s := range p.Steps {
		for _, h := range s.Hunks {
			if !h.Skipped {
				n++
			}
		}
	}
	return n
}

// Shown returns a copy of the plan that names files as show does. It is for words about the plan, and cannot be committed.
func (p *Plan) Shown(show func(path string) string) *Plan {
	out := *p
	out.Steps, out.Skipped = slices.Clone(p.Steps), slices.Clone(p.Skipped)
	rename := func(path *string) {
		if *path != "" {
			*path = show(*path)
		}
	}
	for i := range out.Steps {
		rename(&out.Steps[i].Path)
		rename(&out.Steps[i].To)
	}
	for i := range out.Skipped {
		rename(&out.Skipped[i].Path)
		rename(&out.Skipped[i].To)
	}
	return &out
}

// Skip is a section, or some hunks of one, that a plan leaves out because it is already applied.
type Skip struct {
	Op       patch.Op
	Path, To string // relative to the workspace
	Section  int    // its number in the patch, from 0
	Hunks    []int  // from 0; nil for a section without any
}

// writes returns the path at which the step leaves a file, or "".
func (s *Step) writes() string {
	switch s.Op {
	case patch.Delete:
		return ""
	case patch.Move:
		return s.To
	}
	return s.Path
}

// changesNothing reports whether all hunks of the step are skipped, so that nothing is left to do.
func (s *Step) changesNothing() bool {
	return s.Op == patch.Update && len(s.Hunks) > 0 && !slices.ContainsFunc(s.Hunks, func(h Placed) bool { return !h.Skipped })
}
