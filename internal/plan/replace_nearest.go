package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// maxPieces is how many bytes of the file are read, for all edits together, in search of the lines that have most of
// an old text.
const maxPieces = 16 << 20

// explain says of every edit whose old text is nowhere what is there instead. It costs no more than what is said at
// maxExplained and maxPieces, and one walk for each explained edit to see whether it is made already.
func (r *replacer) explain(lost fail.List) {
	var open []*search
	for i, e := range lost {
		s := &r.edits[e.Edit-1]
		r.missing(e)
		if i >= maxExplained || r.file.Len() == 0 || r.otherEnds(e, s) || r.alreadyMade(e, s) {
			continue
		}
		if f := r.searchFor(e, s); f != nil {
			open = append(open, f)
		}
	}
	vote(r.file, open)
	for _, f := range open {
		f.voteEnds()
		s := &r.edits[f.err.Edit-1]
		if !strings.Contains(strings.TrimSuffix(s.Old, text.LF), text.LF) && r.within(f, s) {
			continue
		}
		if f.settle(); len(f.stands) == 0 {
			f.settleBy(r.pieces(f))
		}
		f.describe()
		r.offer(f, s)
	}
}

// missing is the least that can be said.
func (r *replacer) missing(e *fail.Error) {
	e.Msg, e.Hint = "oldText is not in the file", "Read the file again and copy oldText from it exactly."
	if r.file.Len() == 0 {
		e.Msg = "oldText is not in the file, which is empty"
		e.Hint = "Send an empty oldText to fill it, or use write_file."
	}
}

// searchFor prepares the search for a near place; nil where there is nothing to go by.
func (r *replacer) searchFor(e *fail.Error, s *sought) *search {
	old := strings.ReplaceAll(s.Old, text.CRLF, text.LF)
	h := &patch.Hunk{}
	for line := range strings.Lines(old) {
		if len(h.Lines) == maxLines {
			return nil
		}
		h.Lines = append(h.Lines, patch.Line("-"+strings.TrimSuffix(line, text.LF)))
	}
	f := newSearch(r.file, h, e, "oldText")
	f.partial = true
	return f
}

// otherEnds finds an old text that is there but for its line ends.
func (r *replacer) otherEnds(e *fail.Error, s *sought) bool {
	if !strings.Contains(s.Old, text.CR) {
		return false
	}
	old := strings.ReplaceAll(strings.ReplaceAll(s.Old, text.CRLF, text.LF), text.CR, text.LF)
	at := strings.Index(r.view.text, old)
	if at < 0 {
		return false
	}
	r.near(e, at, len(old))
	e.Nearest.Differs = []string{"the line ends"}
	e.Hint = "Write every line end of oldText and newText as a plain newline: the file's own line ends are kept."
	return true
}

// alreadyMade finds a new text that says something and is there once.
func (r *replacer) alreadyMade(e *fail.Error, s *sought) bool {
	if weight(s.New) < 1 {
		return false
	}
	at := strings.Index(r.view.text, s.New)
	if at < 0 || strings.Contains(r.view.text[at+1:], s.New) {
		return false
	}
	r.near(e, at, len(s.New))
	e.Msg += fmt.Sprintf(", but newText is (%s)", lineRange(e.Nearest.Place))
	e.Nearest.Differs = []string{"newText is already there"}
	e.Hint = "The change seems to be made already: leave this edit out."
	return true
}

// near points e at size bytes of the view.
func (r *replacer) near(e *fail.Error, at, size int) {
	p := r.places([]span{{r.view.offset(at), r.view.offset(at + size)}})[0]
	e.Line = p.First
	e.Nearest = &fail.Nearest{Place: p, Lines: shortLines(r.file, p.First-1, p.Last)}
}

func lineRange(p fail.Place) string {
	if p.First == p.Last {
		return fmt.Sprintf("line %d", p.First)
	}
	return fmt.Sprintf("lines %d-%d", p.First, p.Last)
}

// voteEnds lets the first and the last line vote for the lines that they are the end and the beginning of. They
// may be such parts; so that it does not count against a place that it lacks them.
func (s *search) voteEnds() {
	old := s.h.Old()
	if len(old) < 2 {
		return
	}
	first, last := old[0], old[len(old)-1]
	s.voteFor(first, 0, strings.HasSuffix)
	s.voteFor(last, len(old)-1, strings.HasPrefix)
	p := &s.parts[0]
	p.total = max(p.total/2, p.total-weight(first)-weight(last))
}

// voteFor lets line i of the old text vote for the lines that it is a part of, unless they are many.
func (s *search) voteFor(line string, i int, part func(whole, part string) bool) {
	var at []int
	for n := 0; n < s.file.Len() && weight(line) == 1; n++ {
		if whole := s.file.Line(n); len(whole) > len(line) && part(whole, line) {
			if at = append(at, n); len(at) > maxVotes {
				return
			}
		}
	}
	for _, n := range at {
		s.parts[0].votes[n-i] += weight(line)
	}
}

// settleBy looks at the place that starts with the line begin, if rivals says that there is one.
func (s *search) settleBy(begin, rivals int) {
	if rivals < 0 {
		return
	}
	if st, ok := s.lay(&s.parts[0], begin); ok {
		st.tied = rivals > 0
		s.stands = []stand{st}
		s.rank()
	}
}

// offer words the near place, and gives the old text that would be found there, where that is certain: the place has
// a line for every line of the old text, and what it says is nowhere else.
func (r *replacer) offer(f *search, s *sought) {
	n := f.err.Nearest
	if n == nil {
		return
	}
	f.err.Hint = fmt.Sprintf("Read %s again and copy the text exactly.", lineRange(n.Place))
	if !f.alone || slices.Contains(f.stands[0].image, nothing) {
		return
	}
	first, last := r.file.Line(f.from), r.file.Line(f.to-1)
	olds := f.old
	skip, ok := before(first, olds[0])
	drop, ok2 := behind(last, olds[len(olds)-1])
	if !ok || !ok2 {
		return
	}
	out := r.lines(f.from, f.to)
	out = out[skip : len(out)-drop]
	if drop == 0 && strings.HasSuffix(s.Old, text.LF) && r.file.End(f.to-1) != text.None {
		out += text.LF
	}
	r.correct(f.err, out, s.Old)
}

// lines is lines i up to j as edits see them, without the last line end.
func (r *replacer) lines(i, j int) string { return strings.Join(fileLines(r.file, i, j), text.LF) }

// correct offers out as the old text to look for.
func (r *replacer) correct(e *fail.Error, out, old string) {
	at := strings.Index(r.view.text, out)
	if out == "" || out == old || at < 0 || len(out) > maxCorrected || strings.Contains(r.view.text[at+1:], out) {
		return
	}
	e.Nearest.OldText = out
	e.Hint = "Send the oldText that is there instead, if that is the text you mean, and bring newText into line with it."
}

// before is how much of the file's line comes before the text with which an old text begins. It fails where the two
// are neither the same line nor the end of one.
func before(line, want string) (int, bool) {
	if rest, ok := strings.CutSuffix(line, want); ok && want != "" {
		return len(rest), true
	}
	return 0, alike(line, want) >= 0.6 || match.Same(patch.Unicode, line, want)
}

// behind is how much of the file's line comes after the text with which an old text ends.
func behind(line, want string) (int, bool) {
	if rest, ok := strings.CutPrefix(line, want); ok && want != "" {
		return len(rest), true
	}
	return 0, alike(line, want) >= 0.6 || match.Same(patch.Unicode, line, want)
}

// gram is how many bytes of a text are compared at once, to find the line that has most of it.
const gram = 4

// pieces looks for the line that has most of the old text's longest one in it. It returns where the old text would
// begin, and how many other lines are as good; -1 when there is none.
func (r *replacer) pieces(f *search) (begin, rivals int) {
	long, at := "", 0
	for i, l := range f.h.Old() {
		if len(l) > len(long) {
			long, at = l, i
		}
	}
	line, rivals := r.most(long)
	return line - at, rivals
}

// most is the line that has most of want's grams in it.
func (r *replacer) most(want string) (line, rivals int) {
	bit := map[string]int{}
	want = lower(want)
	for i := 0; i+gram <= len(want); i++ {
		bit[want[i:i+gram]] = -1
	}
	best := 0
	rivals = -1
	for n := 0; n < r.file.Len() && r.pieced < maxPieces; n++ {
		l := r.file.Line(n)
		l = lower(l[:min(len(l), maxPieces-r.pieced)])
		r.pieced += len(l) + 1
		has := 0
		for i := 0; i+gram <= len(l); i++ {
			if seen, ok := bit[l[i:i+gram]]; ok && seen < n {
				bit[l[i:i+gram]] = n
				has++
			}
		}
		switch {
		case 2*has < len(bit) || has == 0:
		case has > best:
			best, line, rivals = has, n, 0
		case has == best:
			rivals++
		}
	}
	return line, rivals
}

// within finds a single line that is a part of a line, or the whole of it, changed.
func (r *replacer) within(f *search, s *sought) bool {
	want := strings.TrimSuffix(f.h.Old()[0], text.CR)
	n, rivals := r.most(want)
	if rivals < 0 {
		return false
	}
	have := r.file.Line(n)
	f.err.Line = n + 1
	f.err.Nearest = &fail.Nearest{Place: fail.Place{First: n + 1, Last: n + 1}, Lines: shortLines(r.file, n, n+1),
		Differs: []string{fmt.Sprintf("line %d: %s", n+1, difference(have, want, "oldText"))}}
	f.err.Hint = fmt.Sprintf("Read line %d again and copy the text exactly.", n+1)
	if rivals > 0 {
		f.err.Hint = fmt.Sprintf("Line %d and %s are much like oldText: read the file again and copy the text exactly.", n+1, many(rivals, "other line"))
		return true
	}
	if part, ok := window(have, want); ok {
		if part != have {
			f.err.Nearest.Differs[0] = fmt.Sprintf("line %d: the file has %s, oldText %s", n+1, fail.Quote(part), fail.Quote(want))
		}
		if strings.HasSuffix(s.Old, text.LF) && strings.HasSuffix(have, part) && r.file.End(n) != text.None {
			part += text.LF
		}
		r.correct(f.err, part, s.Old)
	}
	return true
}

// window is the part of line that want seems to mean: from where it begins to where it ends, if both ends of want are
// there, once each and not too far apart. White space around want means that around the window.
func window(line, want string) (string, bool) {
	if strings.TrimSpace(line) == strings.TrimSpace(want) {
		return line, true
	}
	l, w := lower(line), lower(strings.TrimSpace(want))
	if len(w) < 2*gram {
		return "", false
	}
	head, tail := w[:gram], w[len(w)-gram:]
	from, to := strings.Index(l, head), strings.LastIndex(l, tail)+gram
	if from < 0 || to < from+2*gram || from != strings.LastIndex(l, head) || to-gram != strings.Index(l, tail) || to-from > 2*len(w) {
		return "", false
	}
	if strings.TrimLeft(want, " \t") != want { // with its indent
		in, _ := dent(line[:from])
		if in != line[:from] {
			return "", false
		}
		from = 0
	}
	return line[from:to], true
}

// lower is s with ASCII letters in lower case: of the same length, unlike what strings.ToLower makes of others.
func lower(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return c >= 'A' && c <= 'Z' }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
