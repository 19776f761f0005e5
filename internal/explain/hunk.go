package explain

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// maxViews bounds the places of an ambiguous hunk that are shown.
const maxViews = 3

// hunk explains hunk k, which goes where s says in file.
func hunk(k int, s *plan.HunkPlace, file *text.Lines) Hunk {
	h := Hunk{Number: k + 1, PatchLine: s.Hunk.Line, Verdict: verdict(s)}
	if s.At.Skipped {
		at := fail.Place{First: s.At.Line, Last: s.Last}
		h.Says, h.Views = whereOutcomeIs(at)+", and it is skipped", []View{besideOutcome(s, file, at)}
		return h
	}
	if s.Err == nil {
		h.Line, h.Rung, h.Others = s.At.Line, s.At.Rung.String(), s.At.Others
		h.Says = fmt.Sprintf("applies at line %d, %s", s.At.Line, report.MatchText(s.At))
		if s.At.Rung >= patch.Whitespace && s.At.Rung != patch.Merged && slices.ContainsFunc(s.Hunk.Lines, adds) {
			h.Says += "; what it adds is indented as the file is"
		}
		h.Views = []View{whereItLands(s, file)}
		return h
	}
	h.Kind, h.Says, h.Next = s.Err.Kind, s.Err.Msg, reader.Say(s.Err.Hint)
	if h.Verdict == Overlaps {
		h.Overlaps = s.Rival
	}
	if s.Err.Nearest != nil {
		h.Corrected = s.Err.Nearest.Corrected
	}
	if h.Verdict == AlreadyApplied && s.Err.Nearest != nil {
		h.Says = whereOutcomeIs(s.Err.Nearest.Place)
	}
	h.Places, h.Total = s.Err.Places, s.Err.Total
	h.Views = refusedViews(h.Verdict, s, file)
	return h
}

func adds(l patch.Line) bool { return l.Mark() == '+' }

func verdict(s *plan.HunkPlace) Verdict {
	switch e := s.Err; {
	case s.At.Skipped, e != nil && e.Already:
		return AlreadyApplied
	case e == nil:
		return Lands
	case e.Kind == fail.MultipleMatches:
		return Ambiguous
	case e.Kind == fail.Overlapping:
		return Overlaps
	case e.Reason == fail.ContextNotFound:
		return NotFound
	}
	return Refused
}

// whereOutcomeIs says where the outcome of a hunk is.
func whereOutcomeIs(at fail.Place) string {
	switch {
	case at.Last < at.First:
		return fmt.Sprintf("its outcome is in the file, before line %d", at.First)
	case at.Last == at.First:
		return fmt.Sprintf("its outcome is in the file, at line %d", at.First)
	}
	return fmt.Sprintf("its outcome is in the file, at lines %d-%d", at.First, at.Last)
}

// refusedViews shows a hunk that has no place beside the places that it might have.
func refusedViews(v Verdict, s *plan.HunkPlace, file *text.Lines) []View {
	switch near := s.Err.Nearest; {
	case v == AlreadyApplied && near != nil:
		return []View{besideOutcome(s, file, near.Place)}
	case near != nil:
		return []View{besidePlace("the nearest place", s, file, near.Place)}
	case len(s.Err.Places) > 0:
		var out []View
		for i, at := range s.Err.Places[:min(len(s.Err.Places), maxViews)] {
			out = append(out, besidePlace(fmt.Sprintf("place %d of %d", i+1, s.Err.Total), s, file, at))
		}
		return out
	case s.At.Line > 0:
		out := whereItLands(s, file)
		out.Title = "where it would be"
		return []View{out}
	case s.Err.Line > 0 && s.Err.Line <= file.Len():
		return []View{besidePlace("where it was", s, file, block(s.Hunk.Old(), file, s.Err.Line))}
	}
	return []View{hunkAlone(&s.Hunk)}
}

// block returns where the lines old stand, one of which is line n of the file; or that line alone.
func block(old []string, file *text.Lines, n int) fail.Place {
	const most = 200
	for i := range min(len(old), most) {
		if at := (fail.Place{First: n - i, Last: n - i + len(old) - 1}); old[i] == file.Line(n-1) && slices.Equal(old, between(file, at.First, at.Last)) {
			return at
		}
	}
	return fail.Place{First: n, Last: n}
}

// between returns lines first up to and including last of the file, from 1.
func between(file *text.Lines, first, last int) []string {
	return file.Strings(max(first, 1)-1, min(last, file.Len()))
}
