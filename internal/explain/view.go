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
	Title string `json:"title,omitempty"` // "" where it lands
	First int    `json:"startLine,omitempty"`
	Last  int    `json:"endLine,omitempty"` // before First for a gap
	Rows  []Row  `json:"rows"`
}

// around is how many lines of a file, or of a patch, are shown above and below a place.
const around = 2

// view is the rows with what stands around first to last.
func (r *rows) view(title string, first, last int) View {
	body := r.out
	r.out = nil
	r.near(first-around, first-1)
	r.out = append(r.out, body...)
	r.near(last+1, last+around)
	return View{Title: title, First: first, Last: last, Rows: fold(r.out)}
}

// landed is a hunk where it stands.
func landed(s *plan.HunkPlace, file *text.Lines) View {
	r := rows{file: file}
	first, last, old := s.At.Line, s.At.Line-1, 0
	for _, l := range s.Hunk.Lines[:len(s.Hunk.Lines)-s.Cut] {
		if !l.Old() {
			r.only(l, Comes)
			continue
		}
		n := 0
		if old < len(s.Lines) {
			n = s.Lines[old]
		}
		if old++; n == 0 {
			r.only(l, Written)
			continue
		}
		if last < first {
			first = n
		}
		last = n
		r.pair(l, n)
	}
	return r.view("", first, last)
}

// beside is a hunk next to lines that resemble what it looks for.
func beside(title string, s *plan.HunkPlace, file *text.Lines, at fail.Place) View {
	r := rows{file: file}
	old := s.Hunk.Old()
	if len(old) == 0 {
		r.near(at.First, at.Last)
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
			r.only(l, Comes)
			continue
		}
		missing()
		if len(pairs) == 0 || pairs[0].file < 0 {
			r.only(l, PatchOnly)
		} else {
			r.pair(l, at.First+pairs[0].file)
		}
		pairs = pairs[min(1, len(pairs)):]
	}
	missing()
	return r.view(title, at.First, at.Last)
}

// outcome is a hunk next to the lines that it would have left behind.
func outcome(s *plan.HunkPlace, file *text.Lines, at fail.Place) View {
	r := rows{file: file}
	n := at.First
	for _, l := range s.Hunk.Lines {
		if l.Mark() == '-' || n > at.Last {
			r.only(l, PatchOnly)
			continue
		}
		r.pair(l, n)
		n++
	}
	return r.view("its outcome", at.First, at.Last)
}

// alone is a hunk that no place is known for.
func alone(h *patch.Hunk) View {
	var r rows
	for _, l := range h.Lines {
		r.only(l, Alone)
	}
	return View{Title: "the hunk", Rows: fold(r.out)}
}

// place words the lines of a view.
func (v *View) place() string {
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
