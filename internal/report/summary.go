package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// objectText returns the text of an Object without an error. That of a dry run has at most room bytes of diffs.
func objectText(v View, p *plan.Plan, room int) string {
	var out strings.Builder
	out.WriteString(headline(v, p))
	for i := range p.Steps {
		s := &p.Steps[i]
		out.WriteString("\n  " + stepLine(s))
		if v.Dialect != nil && v.Dialect.Words.Hunks { // else it is no patch, or the hash is only in the data
			out.WriteString(stepFacts(v, s))
		}
		if v.Dialect != nil && v.DryRun && room > 0 {
			diff := Escape(cutDiff(v.Diffs.Step(p, i), room))
			room = max(0, room-len(diff))
			out.WriteString(diff)
		}
	}
	for _, part := range v.UndoneParts {
		out.WriteString("\n  only " + Escape(part))
	}
	x := excerpts{v.Reader, maxExcerpts}
	for _, e := range v.Stays {
		out.WriteString("\nStays: " + x.failure(e))
	}
	for _, note := range slices.Concat(placementNotes(p), AlreadyApplied(p), v.Passed, p.Passed, v.notes()) {
		out.WriteString("\nNote: " + note)
	}
	return out.String()
}

// maxDiffs is how many bytes of diffs the text of a dry run shows. The object has more.
const maxDiffs = 4 << 10

// stepFacts says what a model needs for its next call: where the hunks are, and the new hash.
func stepFacts(v View, s *plan.Step) string {
	out := ""
	if n := len(s.Hunks); v.DryRun && n > 0 {
		const most = 10
		lines := make([]string, min(n, most))
		for i := range lines {
			lines[i] = strconv.Itoa(s.Hunks[i].Line)
		}
		out = " at line " + strings.Join(lines, ", ")
		if n > most {
			out += fmt.Sprintf(" and %d more", n-most)
		}
	}
	if s.AfterSum != "" && s.Op != patch.Delete {
		out += " (sha256 " + s.AfterSum + ")"
	}
	return out
}

// cutDiff returns a diff on lines of its own, or as many of its lines as room allows.
func cutDiff(diff string, room int) string {
	if len(diff) <= room {
		return "\n" + strings.TrimSuffix(diff, "\n")
	}
	head := diff[:strings.LastIndexByte(diff[:room], '\n')+1]
	return fmt.Sprintf("\n%s… %d more bytes of its diff", head, len(diff)-len(head))
}

// Summary returns the number of files and hunks, and the files.
func Summary(v View, p *plan.Plan) string {
	var out strings.Builder
	out.WriteString(headline(v, p))
	for i := range p.Steps {
		out.WriteString("\n  " + stepLine(&p.Steps[i]))
	}
	return out.String()
}

// headline says on one line what was done, or would be.
func headline(v View, p *plan.Plan) string {
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
		b.WriteString(doneOrPlanned(v, "Restored", "Would restore") + fmt.Sprintf(" the version %s: %s.", Escape(v.PutsBack), plural(len(p.Steps), "file")))
	case p.Applied():
		b.WriteString(nothingToDo)
	default:
		fmt.Fprintf(&b, "%s patch (%s): %d file(s), %d hunk(s).", did, how, len(p.Steps), p.HunkCount())
	}
	return b.String()
}

// HunkWords says which hunks of a diff are meant, after the name of its file; "" for all that was done to the file.
func HunkWords(hunks []int, of int) string {
	if len(hunks) == 0 {
		return ""
	}
	words := make([]string, len(hunks))
	for i, n := range hunks {
		words[i] = strconv.Itoa(n)
	}
	what := ", hunk "
	if len(hunks) > 1 {
		what = ", hunks "
	}
	return what + strings.Join(words, ", ") + " of " + strconv.Itoa(of)
}

// undoSummary returns the first line about an undo.
func undoSummary(v View, p *plan.Plan) string {
	did := doneOrPlanned(v, "Reverted", "Would revert")
	what := fmt.Sprintf("%d changes", len(v.Undoes))
	if len(v.Undoes) == 1 {
		what = v.Undoes[0]
	}
	if len(v.UndoneParts) > 0 {
		what = "a part of " + what
	}
	return fmt.Sprintf("%s %s: %s.", did, what, plural(len(p.Steps), "file"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
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
		return "A " + OneLine(s.Path)
	case patch.Delete:
		return "D " + OneLine(s.Path)
	case patch.Move:
		return "R " + OneLine(s.Path) + " -> " + OneLine(s.To)
	}
	return "M " + OneLine(s.Path)
}

// placementNotes returns a note for every hunk that matched on a tolerant rung or at several places, or added what stood there.
func placementNotes(p *plan.Plan) []string {
	var out []string
	for i := range p.Steps {
		s := &p.Steps[i]
		for k, h := range s.Hunks {
			if h.Rung != patch.Exact || h.Others > 0 || h.Doubles {
				out = append(out, fmt.Sprintf("%s: hunk %d is at line %d, %s.", OneLine(s.Path), k+1, h.Line, MatchText(h)))
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
		patch.Corrected: "corrected: " + h.Corrected, patch.Merged: "merged: " + h.Merged,
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
