package explain

import (
	"fmt"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// file explains one section.
func file(s *patch.Section, got *plan.SurveyedSection) File {
	f := File{Path: firstNonEmpty(got.Step.Path, s.Path), ToPath: firstNonEmpty(got.Step.To, s.To), Operation: s.Op.String(), PatchLine: s.Line, Verdict: Lands}
	if s.Op == patch.Copy {
		f.Path = s.Path
	}
	for k := range s.Hunks {
		if k < len(got.Hunks) {
			f.Hunks = append(f.Hunks, hunk(k, &got.Hunks[k], got.File))
			continue
		}
		h := Hunk{Number: k + 1, PatchLine: s.Hunks[k].Line, Verdict: NotSought, Says: "was not looked for", Views: []View{hunkAlone(&s.Hunks[k])}}
		if got.Skipped { // a move whose file is at its destination already
			h.Verdict, h.Says = AlreadyApplied, "its outcome is in the file at the destination, and it is skipped"
		}
		f.Hunks = append(f.Hunks, h)
	}
	switch {
	case len(got.Failed) > 0:
		f.refuse(got.Failed)
	case got.Skipped:
		f.Verdict, f.Says = AlreadyApplied, "it is already applied, and skipped"
	default:
		f.Says = effect(s, &got.Step, f.landingWords())
	}
	return f
}

// refuse says why a section is refused: for a reason of its own, or because of its hunks.
func (f *File) refuse(failed fail.List) {
	f.Verdict, f.Kind = Refused, failed[0].Kind
	for _, e := range failed {
		if e.Hunk == 0 {
			f.Kind, f.Says, f.Next = e.Kind, e.Msg, reader.Say(e.Hint)
			return
		}
	}
	f.Says = fmt.Sprintf("%d of %s would apply", f.hunksLanding(), count(len(f.Hunks), "hunk"))
}

// effect says what a section that lands does.
func effect(s *patch.Section, step *plan.Step, hunks string) string {
	switch {
	case s.Op == patch.Copy:
		return "copies the file (" + linesOf(step.After) + ")"
	case s.Op == patch.Update && len(s.Hunks) == 0 && step.Mode == patch.Executable:
		return "makes it executable"
	case s.Op == patch.Update && len(s.Hunks) == 0:
		return "makes it not executable"
	case s.Op == patch.Add && step.Replaces != nil:
		return "replaces the file (" + linesOf(step.After) + ")"
	case s.Op == patch.Add:
		return "adds the file (" + linesOf(step.After) + ")"
	case s.Op == patch.Delete && step.Source.Kind == plan.Link:
		return "deletes the link"
	case s.Op == patch.Delete:
		return "deletes the file (" + linesOf(step.Before) + ")"
	case step.Op == patch.Move && len(s.Hunks) == 0:
		return "moves it"
	case step.Op == patch.Move:
		return "moves the file, and " + hunks
	}
	return hunks
}

// landingWords says how many hunks of a section land that is not refused.
func (f *File) landingWords() string {
	lands := f.hunksLanding()
	switch {
	case lands == 0:
		return "what its hunks do is skipped"
	case lands < len(f.Hunks):
		return fmt.Sprintf("%d of %s apply; the others are skipped", lands, count(len(f.Hunks), "hunk"))
	case lands == 1:
		return "the hunk applies"
	}
	return fmt.Sprintf("%d hunks apply", lands)
}

func (f *File) hunksLanding() (n int) {
	for i := range f.Hunks {
		if f.Hunks[i].Verdict == Lands {
			n++
		}
	}
	return n
}

func linesOf(s string) string { return count(text.Split(s).Len(), "line") }
