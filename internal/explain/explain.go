// Package explain shows a patch to a person: each hunk beside the place where it would apply, or the nearest one, with
// the characters marked that differ.
//
// It words what a survey of the plan found out, as a value, as text for a terminal or a pipe and as one page of HTML. It
// decides nothing and does no I/O. Nothing of a file or a patch that it shows can control a terminal or become markup.
package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/hint"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
)

// Explanation is a patch beside the files that it changes. Its texts are as files and patches have them: whoever shows
// one to a person escapes it, as WriteText and WriteHTML do.
type Explanation struct {
	Lands   bool      `json:"lands"` // all of it would be applied
	Says    string    `json:"says"`
	Dialect string    `json:"dialect,omitempty"`
	Passed  []string  `json:"passed,omitempty"` // what lenient reading accepted
	Notes   []string  `json:"notes,omitempty"`
	Unread  []Excerpt `json:"unread,omitempty"` // where the text could not be read
	Files   []File    `json:"files"`

	refused fail.List
}

// Verdict is what happens to a section or a hunk.
type Verdict string

// The verdicts. A section lands, is refused, or is already applied.
const (
	Lands          Verdict = "lands"
	Refused        Verdict = "refused"         // for a reason that is none of the others
	Ambiguous      Verdict = "ambiguous"       // several places match
	NotFound       Verdict = "not_found"       // no place matches
	AlreadyApplied Verdict = "already_applied" // its outcome is in the file; skipped where that is asked for
	Overlaps       Verdict = "overlaps"        // another hunk changes the same lines
	NotSought      Verdict = "not_looked_for"  // its section was refused before
)

// Words returns the verdict for people.
func (v Verdict) Words() string {
	if v == Lands {
		return "applies"
	}
	return strings.ReplaceAll(string(v), "_", " ")
}

// File is one section of the patch.
type File struct {
	Path      string    `json:"path"`
	ToPath    string    `json:"toPath,omitempty"`
	Operation string    `json:"operation"`
	PatchLine int       `json:"patchLine"`
	Verdict   Verdict   `json:"verdict"`
	Kind      fail.Kind `json:"kind,omitempty"` // of what is refused
	Says      string    `json:"says"`
	Next      string    `json:"next,omitempty"`
	Hunks     []Hunk    `json:"hunks,omitempty"`
}

// Hunk is one hunk and where it goes.
type Hunk struct {
	Number    int          `json:"number"` // in its section, from 1
	PatchLine int          `json:"patchLine"`
	Verdict   Verdict      `json:"verdict"`
	Kind      fail.Kind    `json:"kind,omitempty"`
	Says      string       `json:"says"`
	Line      int          `json:"line,omitempty"` // where it applies
	Rung      string       `json:"rung,omitempty"`
	Others    int          `json:"others,omitempty"` // how many other places would have matched
	Places    []fail.Place `json:"places,omitempty"` // of one that is ambiguous, the first hundred
	Total     int          `json:"total,omitempty"`
	Overlaps  int          `json:"overlapsHunk,omitempty"`
	Views     []View       `json:"views,omitempty"`
	Next      string       `json:"next,omitempty"`
	Corrected string       `json:"correctedHunk,omitempty"`
}

// Excerpt is the patch text around a line that could not be read.
type Excerpt struct {
	Line  int      `json:"line"` // 0 when no line is to blame
	Says  string   `json:"says"`
	Next  string   `json:"next,omitempty"`
	First int      `json:"firstLine,omitempty"`
	Lines []string `json:"lines,omitempty"`
}

// reader is who reads an explanation: a person at a terminal, whom no tool answers.
var reader hint.Reader

func said(notes []string) []string {
	out := make([]string, len(notes))
	for i, n := range notes {
		out[i] = reader.Say(n)
	}
	return out
}

// Of explains a patch that was read. Notes are what else a person should know, one sentence each.
func Of(v report.View, s *plan.Survey, notes ...string) *Explanation {
	e := &Explanation{Lands: len(s.Refused) == 0, Passed: v.Passed, Notes: said(notes), Files: make([]File, len(s.Sections)), refused: s.Refused}
	if s.Plan != nil {
		e.Passed = slices.Concat(e.Passed, s.Plan.Passed)
	}
	if v.Dialect != nil {
		e.Dialect = v.Dialect.Name
	}
	for _, f := range s.Refused {
		if f.Section == 0 {
			e.Notes = append(e.Notes, sentence(f.Error()), reader.Say(f.Hint))
		}
	}
	for i := range s.Sections {
		e.Files[i] = file(&v.Patch.Sections[i], &s.Sections[i])
	}
	e.Says = e.summary()
	return e
}

// Unreadable explains why text could not be read as a patch.
func Unreadable(v report.View, text string, err error, notes ...string) *Explanation {
	e := &Explanation{Notes: said(notes), Files: []File{}, refused: fail.All(err), Says: "Would not apply: the patch cannot be read."}
	if v.Dialect != nil {
		e.Dialect = v.Dialect.Name
	}
	for _, f := range e.refused {
		x := Excerpt{Says: f.Msg, Next: reader.Say(f.Hint)}
		if f.Kind == fail.PatchParse {
			x.Line = f.Line
			x.First, x.Lines = excerpt(text, f.Line)
		}
		e.Unread = append(e.Unread, x)
	}
	return e
}

// excerpt returns the lines of text around line n.
func excerpt(text string, n int) (first int, out []string) {
	if n == 0 {
		return 0, nil
	}
	first, at := max(1, n-around), 0
	for line := range strings.Lines(text) {
		if at++; at > n+around {
			break
		}
		if at >= first {
			out = append(out, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		}
	}
	return first, out
}

// summary says how much lands.
func (e *Explanation) summary() string {
	files, hunks, all, skipped := 0, 0, 0, ""
	for i := range e.Files {
		switch e.Files[i].Verdict {
		case Lands:
			files++
		case AlreadyApplied:
			skipped = " The rest is already applied, and skipped."
		}
		for k := range e.Files[i].Hunks {
			if all++; e.Files[i].Hunks[k].Verdict == Lands {
				hunks++
			}
		}
	}
	if e.Lands {
		if hunks < all {
			skipped = " The rest is already applied, and skipped."
		}
		return fmt.Sprintf("Would apply: %s, %s.", count(files, "section"), count(hunks, "hunk")) + skipped
	}
	return fmt.Sprintf("Would not apply: %d of %s and %d of %s apply.", files, count(len(e.Files), "section"), hunks, count(all, "hunk"))
}
