package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// encodings are texts that stand for a character in some other place than a file, and that models leave in what they write.
var encodings = []string{"&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#39;", "&#x27;", "&nbsp;", `\"`, `\n`, `\t`}

// unsafe says why the corrected lines must not be sent as they are; "" if nothing speaks against it. They are a guess about what a
// damaged hunk means, so any sign of damage to the lines that they add, or to what they remove, is enough.
func (s *search) unsafe(st *alignment, lines []patch.Line) string {
	if line, ok := s.cutOff(st); ok {
		return fmt.Sprintf("The patch seems to be cut off: its last line is the beginning of line %d of the file. Send it whole.", line+1)
	}
	for i, n := range st.image {
		if s.removed[i] && n != nothing && s.lostMark(i, n) {
			return fmt.Sprintf("Line %d of the file begins with -: write a space before it if it is context, or a second - if it is to be removed.", n+1)
		}
	}
	for _, l := range lines {
		if l.Old() {
			continue
		}
		if what := s.encoded(l.Text()); what != "" {
			return fmt.Sprintf("An added line has %s, and the file has none: write it as it is to stand in the file.", fail.Quote(what))
		}
	}
	for run := range runsOf(lines) {
		for _, l := range run {
			if l.Mark() == '-' && slices.Contains(run, "+"+l[1:]) {
				return "It would remove a line and add the same one: the change seems to be made already, in part at least."
			}
		}
	}
	return ""
}

// cutOff reports whether the patch ends in the middle of the hunk's last line, and which line of the file that is the beginning
// of.
func (s *search) cutOff(st *alignment) (line int, ok bool) {
	last := len(s.old) - 1
	if !s.last || last < 0 || !s.lines[len(s.lines)-1].Old() {
		return 0, false
	}
	if line = st.image[last]; line == nothing {
		line = st.to
	}
	if line == s.file.Len() || s.keys[last] == "" {
		return 0, false
	}
	have := match.Fold(patch.Unicode, s.file.Line(line))
	return line, len(s.keys[last]) < len(have) && strings.HasPrefix(have, s.keys[last])
}

// lostMark reports whether old line i, with the - that makes it a removed line, is line n of the file.
func (s *search) lostMark(i, n int) bool {
	return match.Same(patch.Unicode, "-"+s.old[i], s.file.Line(n))
}

// encoded returns what an added line has of encodings, or typography, that the file has nowhere; "" if there is nothing.
func (s *search) encoded(line string) string {
	for _, e := range encodings {
		if strings.Contains(line, e) && !s.fileHas(e) {
			return e
		}
	}
	for r := range match.Typography(line) {
		if !s.fileHas(string(r)) {
			return string(r)
		}
	}
	return ""
}

// fileHas reports whether a line of the file contains what.
func (s *search) fileHas(what string) bool {
	if has, known := s.texts[what]; known {
		return has
	}
	for n := range s.file.Len() {
		if strings.Contains(s.file.Line(n), what) {
			s.texts[what] = true
			return true
		}
	}
	s.texts[what] = false
	return false
}

// runsOf yields the runs of changed lines.
func runsOf(lines []patch.Line) func(func([]patch.Line) bool) {
	return func(yield func([]patch.Line) bool) {
		for from := 0; from < len(lines); {
			to := from
			for to < len(lines) && lines[to].Mark() != ' ' {
				to++
			}
			if to > from && !yield(lines[from:to]) {
				return
			}
			from = to + 1
		}
	}
}
