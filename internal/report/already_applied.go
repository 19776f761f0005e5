package report

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
)

// Skipped is a section, or some hunks of one, that was already applied.
type Skipped struct {
	Path      string `json:"path"`
	Operation string `json:"operation"`
	ToPath    string `json:"toPath,omitempty"`
	Hunks     []int  `json:"hunks,omitempty"` // indexes from 0; nil for a section without hunks
}

func skipped(p *plan.Plan) []Skipped {
	var out []Skipped
	for _, s := range p.Skipped {
		out = append(out, Skipped{Path: s.Path, Operation: s.Op.String(), ToPath: s.To, Hunks: s.Hunks})
	}
	return out
}

// nothingToDo is the summary if all of a patch is already applied.
const nothingToDo = "Already applied: nothing to do."

// skippedNotes returns the notes about what a plan skips, for dialects with a summary of their own.
func skippedNotes(p *plan.Plan) []string {
	if p.Applied() {
		return []string{nothingToDo}
	}
	return AlreadyApplied(p)
}

// AlreadyApplied returns one sentence for each file of which a plan skips something.
func AlreadyApplied(p *plan.Plan) []string {
	var out []string
	for _, s := range p.Skipped {
		what := s.Op.String() + " was already applied, and is skipped."
		if len(s.Hunks) > 0 {
			what = hunkNumbers(s.Hunks) + " already applied, and skipped."
		}
		path := OneLine(s.Path)
		if s.To != "" {
			path += " -> " + OneLine(s.To)
		}
		out = append(out, path+": "+what)
	}
	return out
}

// alreadyAppliedNote names the refused hunks that are already applied, for dialects that cannot say so.
func alreadyAppliedNote(all fail.List) string {
	const most = 10
	var out []string
	for _, e := range all {
		name := OneLine(fail.Short(e.Path))
		if e.Hunk > 0 {
			name += fmt.Sprintf(" (hunk %d)", e.Hunk)
		}
		if e.Already {
			out = append(out, name)
		}
	}
	switch n := len(out); {
	case n == 0:
		return ""
	case n > most:
		out = append(out[:most], fmt.Sprintf("%d more", n-most))
	}
	return "\nNote: already applied: " + strings.Join(out, ", ") + "."
}

// hunkNumbers names hunks by their numbers from 1.
func hunkNumbers(indexes []int) string {
	if len(indexes) == 1 {
		return fmt.Sprintf("hunk %d was", indexes[0]+1)
	}
	var b strings.Builder
	for i, k := range indexes {
		switch {
		case i == 0:
			b.WriteString("hunks ")
		case i == len(indexes)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, k+1)
	}
	return b.String() + " were"
}
