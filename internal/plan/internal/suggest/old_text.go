package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// maxPieces bounds the bytes of the file that are read, for all edits together, to find the lines that have most of an
// old text.
const maxPieces = 16 << 20

// Edit is a text edit whose old text is nowhere in the file, and its refusal.
type Edit struct {
	Err      *fail.Error
	Old, New string
}

// textEdits is the work of one call of OldTexts.
type textEdits struct {
	file *text.Lines
	view string // the file as edits see it
	read int    // bytes, see maxPieces
}

// OldTexts adds to the refusals of the edits what is really there, and an old text that would be found. view is the file as
// edits see it: with LF line ends and without its byte order mark. It returns the edits, by index, whose old text is not there in any
// spelling of line ends and whose new text is not there either.
//
// It costs no more than what is said at [refusal.MaxExplained] and maxPieces, and one walk for each explained edit to see
// whether it is made already.
func OldTexts(file *text.Lines, view string, edits []Edit) (lost []int) {
	t := &textEdits{file: file, view: view}
	var open []*search
	for i, e := range edits {
		t.notFound(e.Err)
		if i >= refusal.MaxExplained || file.Len() == 0 || t.otherEnds(e) || t.alreadyMade(e) {
			continue
		}
		if s := t.search(e); s != nil {
			open, lost = append(open, s), append(lost, i)
		}
	}
	vote(file, open)
	for i, s := range open {
		s.voteForEnds()
		old := edits[lost[i]].Old
		if !strings.Contains(strings.TrimSuffix(old, text.LF), text.LF) && t.withinLine(s, old) {
			continue
		}
		if s.findAlignments(); len(s.alignments) == 0 {
			s.alignAt(t.startByGrams(s))
		}
		s.describe()
		t.suggestOldText(s, old)
	}
	return lost
}

// notFound words the refusal of an edit about which nothing more is known.
func (t *textEdits) notFound(e *fail.Error) {
	e.Msg, e.Hint = "oldText is not in the file", "Read the file again and copy ‹oldText› from it exactly."
	if t.file.Len() == 0 {
		e.Msg = "oldText is not in the file, which is empty"
		e.Hint = "Send an empty ‹oldText› to fill it, or use ‹write_file›."
	}
}

// search prepares the search for a near place; nil if the old text is too long for it.
func (t *textEdits) search(e Edit) *search {
	old := strings.ReplaceAll(e.Old, text.CRLF, text.LF)
	h := &patch.Hunk{}
	for line := range strings.Lines(old) {
		if len(h.Lines) == maxLines {
			return nil
		}
		h.Lines = append(h.Lines, patch.Line("-"+strings.TrimSuffix(line, text.LF)))
	}
	s := newSearch(t.file, h, e.Err, "oldText")
	s.partial = true
	return s
}

// otherEnds finds an old text that is there with other line ends.
func (t *textEdits) otherEnds(e Edit) bool {
	if !strings.Contains(e.Old, text.CR) {
		return false
	}
	old := strings.ReplaceAll(strings.ReplaceAll(e.Old, text.CRLF, text.LF), text.CR, text.LF)
	at := strings.Index(t.view, old)
	if at < 0 {
		return false
	}
	t.pointAt(e.Err, at, len(old), "the line ends")
	e.Err.Hint = "Write every line end of ‹oldText› and ‹newText› as a plain newline: the file's own line ends are kept."
	return true
}

// alreadyMade finds a new text that has words and stands in the file once.
func (t *textEdits) alreadyMade(e Edit) bool {
	if weight(e.New) < 1 {
		return false
	}
	at := strings.Index(t.view, e.New)
	if at < 0 || strings.Contains(t.view[at+1:], e.New) {
		return false
	}
	t.pointAt(e.Err, at, len(e.New), "newText is already there")
	e.Err.Msg += fmt.Sprintf(", but newText is (%s)", lineRange(e.Err.Nearest.Place))
	e.Err.Hint = "The change seems to be made already: leave this edit out."
	return true
}

// pointAt points e at size bytes of the view, from byte at on.
func (t *textEdits) pointAt(e *fail.Error, at, size int, differs string) {
	first := strings.Count(t.view[:at], text.LF)
	last := first + strings.Count(t.view[at:at+size-1], text.LF)
	e.Line = first + 1
	e.Nearest = refusal.Nearest(t.file, first, last+1, differs)
}

// alignAt looks at the place that begins with line begin. If rivals is negative there is none.
func (s *search) alignAt(begin, rivals int) {
	if rivals < 0 {
		return
	}
	if st, ok := s.align(&s.parts[0], begin); ok {
		st.tied = rivals > 0
		s.alignments = []alignment{st}
		s.rank()
	}
}

// suggestOldText words the nearest place and offers the old text that would be found there. For that the place must have
// a line for every line of the old text, and the text must be nowhere else.
func (t *textEdits) suggestOldText(s *search, old string) {
	n := s.err.Nearest
	if n == nil {
		return
	}
	s.err.Hint = fmt.Sprintf("Read %s again and copy the text exactly.", lineRange(n.Place))
	if !s.alone || slices.Contains(s.alignments[0].image, nothing) {
		return
	}
	first, last := t.file.Line(s.from), t.file.Line(s.to-1)
	skip, ok := cutBefore(first, s.old[0])
	drop, ok2 := cutAfter(last, s.old[len(s.old)-1])
	if !ok || !ok2 {
		return
	}
	out := strings.Join(t.file.Strings(s.from, s.to), text.LF)
	out = out[skip : len(out)-drop]
	if drop == 0 && strings.HasSuffix(old, text.LF) && t.file.End(s.to-1) != text.None {
		out += text.LF
	}
	t.offerOldText(s.err, out, old)
}

// offerOldText offers out as the old text to look for, if it is in the file once.
func (t *textEdits) offerOldText(e *fail.Error, out, old string) {
	at := strings.Index(t.view, out)
	if out == "" || out == old || at < 0 || len(out) > maxCorrected || strings.Contains(t.view[at+1:], out) {
		return
	}
	e.Nearest.OldText = out
	e.Hint = "Send the ‹oldText› that is there instead, if that is the text you mean, and bring ‹newText› into line with it."
}

// cutBefore returns how much of the file's line precedes the text with which an old text begins. It fails unless the two
// are the same line, similar, or the latter is the end of the former.
func cutBefore(line, want string) (int, bool) {
	if rest, ok := strings.CutSuffix(line, want); ok && want != "" {
		return len(rest), true
	}
	return 0, match.Similarity(line, want) >= 0.6 || match.Same(patch.Unicode, line, want)
}

// cutAfter returns how much of the file's line follows the text with which an old text ends. It fails unless the two are
// the same line, similar, or the latter is the beginning of the former.
func cutAfter(line, want string) (int, bool) {
	if rest, ok := strings.CutPrefix(line, want); ok && want != "" {
		return len(rest), true
	}
	return 0, match.Similarity(line, want) >= 0.6 || match.Same(patch.Unicode, line, want)
}

// startByGrams looks for the line that has most of the longest line of the old text. It returns where the old text would
// begin and how many other lines have as much; rivals is -1 if there is none.
func (t *textEdits) startByGrams(s *search) (begin, rivals int) {
	long, at := "", 0
	for i, l := range s.hunk.Old() {
		if len(l) > len(long) {
			long, at = l, i
		}
	}
	line, rivals := t.lineWithMost(long)
	return line - at, rivals
}

// lineWithMost returns the line that has most of want's grams, if it has half of them, and how many other lines have as
// many.
func (t *textEdits) lineWithMost(want string) (line, rivals int) {
	bit := map[string]int{}
	want = lower(want)
	for i := 0; i+gram <= len(want); i++ {
		bit[want[i:i+gram]] = -1
	}
	best := 0
	rivals = -1
	for n := 0; n < t.file.Len() && t.read < maxPieces; n++ {
		l := t.file.Line(n)
		l = lower(l[:min(len(l), maxPieces-t.read)])
		t.read += len(l) + 1
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

// withinLine finds a single line that is, with changes, a line or a part of one.
func (t *textEdits) withinLine(s *search, old string) bool {
	want := strings.TrimSuffix(s.hunk.Old()[0], text.CR)
	n, rivals := t.lineWithMost(want)
	if rivals < 0 {
		return false
	}
	have := t.file.Line(n)
	s.err.Line = n + 1
	s.err.Nearest = refusal.Nearest(t.file, n, n+1, fmt.Sprintf("line %d: %s", n+1, difference(have, want, "oldText")))
	s.err.Hint = fmt.Sprintf("Read line %d again and copy the text exactly.", n+1)
	if rivals > 0 {
		s.err.Hint = fmt.Sprintf("Line %d and %s are much like ‹oldText›: read the file again and copy the text exactly.", n+1, refusal.Count(rivals, "other line"))
		return true
	}
	if part, ok := window(have, want); ok {
		if part != have {
			s.err.Nearest.Differs[0] = fmt.Sprintf("line %d: the file has %s, oldText %s", n+1, fail.Quote(part), fail.Quote(want))
		}
		if strings.HasSuffix(old, text.LF) && strings.HasSuffix(have, part) && t.file.End(n) != text.None {
			part += text.LF
		}
		t.offerOldText(s.err, part, old)
	}
	return true
}
