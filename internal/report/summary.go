package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// objectText returns the text of an Object without an error.
func objectText(v View, p *plan.Plan) string {
	var out strings.Builder
	out.WriteString(Summary(v, p))
	for _, note := range slices.Concat(placementNotes(p), AlreadyApplied(p), v.Passed, v.notes()) {
		out.WriteString("\nNote: " + note)
	}
	return out.String()
}

// Summary returns the number of files and hunks, and the files.
func Summary(v View, p *plan.Plan) string {
	var b strings.Builder
	did, how := "Applied", "atomic"
	if v.DryRun {
		did = "Would apply"
	}
	if !v.Atomic {
		how = "sequential"
	}
	switch {
	case v.Undoes != nil:
		b.WriteString(undoSummary(v, p))
	case v.PutsBack != "":
		b.WriteString(doneOrPlanned(v, "Put back", "Would put back") + fmt.Sprintf(" the version %s (atomic): %d file(s).", Escape(v.PutsBack), len(p.Steps)))
	case p.Applied():
		b.WriteString(nothingToDo)
	default:
		fmt.Fprintf(&b, "%s patch (%s): %d file(s), %d hunk(s).", did, how, len(p.Steps), p.HunkCount())
	}
	for i := range p.Steps {
		b.WriteString("\n  " + stepLine(&p.Steps[i]))
	}
	return b.String()
}

// undoSummary returns the first line about an undo.
func undoSummary(v View, p *plan.Plan) string {
	did := doneOrPlanned(v, "Took back", "Would take back")
	what := fmt.Sprintf("%d changes", len(v.Undoes))
	if len(v.Undoes) == 1 {
		what = v.Undoes[0]
	}
	return fmt.Sprintf("%s %s (atomic): %d file(s).", did, what, len(p.Steps))
}

func doneOrPlanned(v View, did, would string) string {
	if v.DryRun {
		return would
	}
	return did
}

// stepLine describes a step on one line.
func stepLine(s *plan.Step) string {
	switch s.Op {
	case patch.Add:
		return "A " + Escape(s.Path)
	case patch.Delete:
		return "D " + Escape(s.Path)
	case patch.Move:
		return "R " + Escape(s.Path) + " -> " + Escape(s.To)
	}
	return "M " + Escape(s.Path)
}

// placementNotes returns a note for every hunk that matched on a tolerant rung or at several places, or added what stood there.
func placementNotes(p *plan.Plan) []string {
	var out []string
	for i := range p.Steps {
		s := &p.Steps[i]
		for k, h := range s.Hunks {
			if h.Rung != patch.Exact || h.Others > 0 || h.Doubles {
				out = append(out, fmt.Sprintf("%s: hunk %d is at line %d, %s.", Escape(s.Path), k+1, h.Line, MatchText(h)))
			}
		}
	}
	return out
}

// MatchText describes how a hunk matched.
func MatchText(h plan.Placed) string {
	out := map[patch.Rung]string{
		patch.Exact: "exact", patch.Trailing: "white space at line ends ignored", patch.Whitespace: "indentation ignored",
		patch.Composed: "indentation and Unicode normal form ignored", patch.Unicode: "indentation and typography ignored",
	}[h.Rung]
	switch h.Others {
	case 0:
	case 1:
		out += "; 1 other place would have matched"
	default:
		out += fmt.Sprintf("; %d other places would have matched", h.Others)
	}
	if h.Doubles {
		out += "; lines that it added stood right beside them already"
	}
	return out
}

func patchChanges(p *plan.Plan) []patch.Change {
	var out []patch.Change
	for _, s := range p.Steps {
		out = append(out, patch.Change{Op: s.Op, Writes: s.Writes})
	}
	return out
}
