package explain

import (
	"fmt"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// View is a hunk beside a place in the file.
type View struct {
	Title string `json:"title,omitempty"` // "" where it applies
	First int    `json:"startLine,omitempty"`
	Last  int    `json:"endLine,omitempty"` // before First for a gap
	Rows  []Row  `json:"rows"`
}

// around is how many lines of a file, or of a patch, are shown above and below a place.
const around = 2

// view returns the rows with the lines around first to last.
func (r *rows) view(title string, first, last int) View {
	body := r.out
	r.out = nil
	r.addFile(first-around, first-1)
	r.out = append(r.out, body...)
	r.addFile(last+1, last+around)
	return View{Title: title, First: first, Last: last, Rows: fold(r.out)}
}

// whereItLands shows a hunk at its place.
func whereItLands(s *plan.HunkPlace, file *text.Lines) View {
	r := rows{file: file}
	first, last, old := s.At.Line, s.At.Line-1, 0
	for _, l := range s.Hunk.Lines[:len(s.Hunk.Lines)-s.Cut] {
		if !l.Old() {
			r.addPatch(l, Comes)
			continue
		}
		n := 0
		if old < len(s.Lines) {
			n = s.Lines[old]
		}
		if old++; n == 0 {
			if s.At.Rung == patch.Merged {
				r.addPatch(l, PatchOnly)
			} else {
				r.addPatch(l, Written)
			}
			continue
		}
		if last < first {
			first = n
		}
		last = n
		r.addPair(l, n)
	}
	return r.view("", first, last)
}

// besidePlace shows a hunk next to lines that resemble what it looks for.
func besidePlace(title string, s *plan.HunkPlace, file *text.Lines, at fail.Place) View {
	r := rows{file: file}
	old := s.Hunk.Old()
	if len(old) == 0 {
		r.addFile(at.First, at.Last)
	}
	pairs := align(old, between(file, at.First, at.Last))
	missing := func() {
		for len(pairs) > 0 && pairs[0].hunk < 0 && len(old) > 0 {
			n := at.First + pairs[0].file
			r.out = append(r.out, Row{Pairing: FileOnly, Line: n, File: file.Line(n - 1)})
			pairs = pairs[1:]
		}
	}
	for _, l := range s.Hunk.Lines {
		if !l.Old() {
			r.addPatch(l, Comes)
			continue
		}
		missing()
		if len(pairs) == 0 || pairs[0].file < 0 {
			r.addPatch(l, PatchOnly)
		} else {
			r.addPair(l, at.First+pairs[0].file)
		}
		pairs = pairs[min(1, len(pairs)):]
	}
	missing()
	return r.view(title, at.First, at.Last)
}

// besideOutcome shows a hunk next to the lines that it would have left.
func besideOutcome(s *plan.HunkPlace, file *text.Lines, at fail.Place) View {
	r := rows{file: file}
	n := at.First
	for _, l := range s.Hunk.Lines {
		if l.Mark() == '-' || n > at.Last {
			r.addPatch(l, PatchOnly)
			continue
		}
		r.addPair(l, n)
		n++
	}
	return r.view("its outcome", at.First, at.Last)
}

// hunkAlone shows a hunk for which no place is known.
func hunkAlone(h *patch.Hunk) View {
	var r rows
	for _, l := range h.Lines {
		r.addPatch(l, Alone)
	}
	return View{Title: "the hunk", Rows: fold(r.out)}
}

// placeWords words the title and the lines of a view.
func (v *View) placeWords() string {
	switch {
	case v.Title == "" || v.First == 0:
		return v.Title
	case v.Last < v.First:
		return fmt.Sprintf("%s: before line %d", v.Title, v.First)
	case v.Last == v.First:
		return fmt.Sprintf("%s: line %d", v.Title, v.First)
	}
	return fmt.Sprintf("%s: lines %d-%d", v.Title, v.First, v.Last)
}
