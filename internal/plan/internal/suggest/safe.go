package suggest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/patch"
)

// encoding is a way to write characters for some other place than a file, which models leave in what they write.
type encoding struct {
	name string
	in   func() *regexp.Regexp
}

func written(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

var encodings = []encoding{
	{"HTML entities", written(`&(?:amp;)*(?:lt|gt|amp|quot|apos|nbsp|#[0-9]+|#x[0-9a-fA-F]+);`)},
	{"escaped characters", written(`\\+["'nt]|\\\\+`)},
	{"typography", written("[\u00a0\u2000-\u200a\u2010-\u2015\u2018-\u201f\u202f\u205f\u2212\u3000]")},
	{"ends of lines as \\n", written(`\\n[-+ @]`)},
}

// withoutEncoded drops the corrections of all hunks if one of them shows that the patch is encoded, and some section adds what may be; or
// if a section adds a line that seems to hold two, and the file has none.
func withoutEncoded(sections []patch.Section, open []*search) []*search {
	if joined := firstJoined(sections); joined != "" && !open[0].fileHas("joined lines", decode.RunTogether) {
		for _, s := range open {
			s.err.Hint = fmt.Sprintf("The added line %s seems to hold two, with the letters \\n between them: send each line as a line of its own.", fail.Quote(joined))
		}
		return nil
	}
	for _, e := range encodings {
		if !slices.ContainsFunc(open, func(s *search) bool { return s.encoded(e) }) {
			continue
		}
		added := firstAdded(sections, e)
		if added == "" {
			continue
		}
		for _, s := range open {
			s.err.Hint = fmt.Sprintf("The patch has %s where the file has none, and so have lines that it adds (%s): send every line as it is to stand in the file.", e.name, fail.Quote(added))
		}
		return nil
	}
	return open
}

// firstJoined returns the first line that hunks add and that seems to hold two; "" if there is none.
func firstJoined(sections []patch.Section) string {
	for i := range sections {
		for k := range sections[i].Hunks {
			for _, l := range sections[i].Hunks[k].Lines {
				if !l.Old() && decode.RunTogether(l.Text()) {
					return l.Text()
				}
			}
		}
	}
	return ""
}

// firstAdded returns what is encoded first in what the patch adds; "" if nothing is.
func firstAdded(sections []patch.Section, e encoding) string {
	for i := range sections {
		if found := e.in().FindString(sections[i].Content); found != "" {
			return found
		}
		for k := range sections[i].Hunks {
			for _, l := range sections[i].Hunks[k].Lines {
				if found := e.in().FindString(l.Text()); found != "" && !l.Old() {
					return found
				}
			}
		}
	}
	return ""
}

// encoded reports whether an old line has more of an encoding than the line of the file for which it stands.
func (s *search) encoded(e encoding) bool {
	for i, n := range s.alignments[0].image {
		has := e.amount(s.old[i])
		if has > 0 && (n == nothing || e.amount(s.file.Line(n)) < has) {
			return true
		}
	}
	return false
}

// amount returns how many bytes of a line are encoded: what is encoded twice is longer.
func (e encoding) amount(line string) (n int) {
	for _, at := range e.in().FindAllStringIndex(line, -1) {
		n += at[1] - at[0]
	}
	return n
}

// unsafe says why the corrected lines must not be sent as they are; "" if nothing speaks against it. They are a guess about what a
// damaged hunk means, so any sign of damage to the lines that they add, or to what they remove, is enough.
func (s *search) unsafe(st *alignment, lines []patch.Line) string {
	if !s.partial && !slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Mark() != ' ' }) {
		return "The hunk changes nothing: begin each line that it removes with -, and each that it adds with +."
	}
	if line, ok := s.cutOff(st); ok {
		return fmt.Sprintf("The patch seems to be cut off: its last line is the beginning of line %d of the file. Send it whole.", line+1)
	}
	if s.encoded(encodings[len(encodings)-1]) {
		return "The hunk has lines that hold several, with \\n between: end each line with a newline."
	}
	for i, n := range st.image {
		if n != nothing && s.lacksMark(i, n) {
			return fmt.Sprintf("The hunk's line %s seems to have lost the space that marks it as context: write one more in front of each such line.", fail.Quote(s.old[i]))
		}
		if s.removed[i] && n != nothing && s.lostMark(i, n) {
			return fmt.Sprintf("Line %d of the file begins with -: write a space before it if it is context, or a second - if it is to be removed.", n+1)
		}
		if !s.removed[i] || n == nothing || s.partial {
			continue
		}
		if s.marksTwice(i, n) {
			return fmt.Sprintf("The line %s, to be removed, is line %d of the file but for the - at its beginning: send the lines without the marks of a diff in them.", fail.Quote(s.old[i]), n+1)
		}
		if rest := s.leftOver(i, n); rest != "" {
			return fmt.Sprintf("The line %s, to be removed, is a part of line %d of the file, and %s would be lost with it: send the whole line.", fail.Quote(s.old[i]), n+1, fail.Quote(rest))
		}
	}
	if s.stray != "" {
		return fmt.Sprintf("The file has a line %s: if the hunk's line is context, it lost the space that marks it as context: write one in front of each such line.", fail.Quote(string(s.stray)))
	}
	if why := s.elsewhere(st); why != "" {
		return why
	}
	for _, l := range lines {
		if l.Old() {
			continue
		}
		if decode.RunTogether(l.Text()) && !s.fileHas("joined lines", decode.RunTogether) {
			return refusal.Joined
		}
		for _, e := range encodings {
			if what := e.in().FindString(l.Text()); what != "" && !s.fileHas(e.name, e.in().MatchString) {
				return fmt.Sprintf("An added line has %s, and the file has no %s: write the line as it is to stand in the file.", fail.Quote(what), e.name)
			}
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

// elsewhere says why another place may be meant, where some lines of the hunk are not at this one; "" if nothing tells.
func (s *search) elsewhere(st *alignment) string {
	removes, differs, sure := false, false, false // sure: a line that it removes is here and nowhere else
	anchored := false                             // a line with words is here as it is in the hunk
	for i, key := range s.keys {
		anchored = anchored || weight(key) == 1 && s.isThere(st, i)
		removes = removes || s.removed[i] && weight(key) == 1
		sure = sure || s.removed[i] && s.isThere(st, i) && s.unique[st.image[i]]
		differs = differs || !s.omitted(i) && !s.isThere(st, i)
	}
	if differs && !removes && slices.Contains(s.removed, true) {
		return "The lines to be removed have no words, and others of the hunk are not there: send them as they are in the file."
	}
	if differs && !removes && !anchored {
		return "No line with words that the hunk shows is there as it is: send the lines around what is added as they are in the file."
	}
	for i, key := range s.keys {
		if s.omitted(i) || s.isThere(st, i) || key == "" && removes || s.writtenTwice(st, i) {
			continue
		}
		if n, ok := s.besideCopy(st, i); ok {
			return fmt.Sprintf("The hunk's line %s is line %d of the file, beside another line like the one to be removed: send all lines as they stand at the place that is meant.", fail.Quote(s.old[i]), n+1)
		}
		if at := s.stands[key]; len(at) == 1 { // among the lines of the place it is in another order
			if n := at[0]; s.beside(st, n) || !sure {
				return fmt.Sprintf("The hunk's line %s is line %d of the file, away from its other lines: send all of them as they stand at the place that is meant.", fail.Quote(s.old[i]), n+1)
			}
		} else if len(at) > 0 && (removes && !sure || !removes && s.similarity(st, i) < alike) {
			return fmt.Sprintf("The hunk's line %s stands in the file, and not here: send all lines as they stand at the place that is meant.", fail.Quote(s.old[i]))
		}
		if weight(key) < 1 && (!removes || s.justOutside(st, key)) {
			return fmt.Sprintf("The hunk's line %s is not there: send the lines around what is added as they are in the file.", fail.Quote(s.old[i]))
		}
		if s.removed[i] && !s.addsNew && slices.ContainsFunc(s.lines, func(l patch.Line) bool { return l.Mark() == '+' }) {
			return fmt.Sprintf("The line %s, to be removed, is not there, and what the hunk adds is in the file already: the change may be made.", fail.Quote(s.old[i]))
		}
	}
	return ""
}

// beside reports whether line n of the file is at the place, or so near to it that the hunk, with its lines in another order, may show it.
func (s *search) beside(st *alignment, n int) bool {
	return st.from-len(s.old) <= n && n < st.to+len(s.old)
}

// justOutside reports whether the hunk begins or ends with an added line, and the line of the file beyond has a key: it may belong to the
// place, in another order, and what is added on its other side.
func (s *search) justOutside(st *alignment, key string) bool {
	is := func(l patch.Line, n int) bool {
		return !l.Old() && n >= 0 && n < s.file.Len() && match.Fold(patch.Unicode, s.file.Line(n)) == key
	}
	return key != "" && (is(s.lines[0], st.from-1) || is(s.lines[len(s.lines)-1], st.to))
}

// writtenTwice reports whether old line i is context, and the hunk has it once more right above or below, where it is there.
func (s *search) writtenTwice(st *alignment, i int) bool {
	at := -1 // the line of the hunk
	for n := i; n >= 0; n-- {
		for at++; !s.lines[at].Old(); at++ {
		}
	}
	beside := func(next, line int) bool {
		return line >= 0 && line < len(s.lines) && s.lines[line] == s.lines[at] && s.isThere(st, next)
	}
	return !s.removed[i] && (beside(i-1, at-1) || beside(i+1, at+1))
}

// besideCopy returns the line of the file that is old line i and stands where the hunk has it from a line to be removed, but from
// another line that is like that one: the hunk may have a mistake in the one or in the other.
func (s *search) besideCopy(st *alignment, i int) (int, bool) {
	for j, n := range st.image {
		if !s.removed[j] || !s.isThere(st, j) {
			continue
		}
		for _, at := range s.stands[s.keys[i]] {
			copied := at + j - i
			if copied != n && copied >= 0 && copied < s.file.Len() && match.Similarity(match.Fold(patch.Unicode, s.file.Line(copied)), s.keys[j]) >= alike {
				return at, true
			}
		}
	}
	return 0, false
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

// marksTwice reports whether old line i, which is removed, is line n of the file with the - of a diff before it. Its added lines may have a
// + before them, which is none of the file's.
func (s *search) marksTwice(i, n int) bool {
	rest, ok := strings.CutPrefix(s.old[i], "-")
	return ok && match.Same(patch.Unicode, rest, s.file.Line(n))
}

// leftOver returns what line n of the file has before or behind old line i, which is a part of it, if no added line begins or ends so; ""
// if there is nothing. A part ends where a word does: within a word it is a mistake in the line.
func (s *search) leftOver(i, n int) string {
	part := s.keys[i]
	before, after, ok := strings.Cut(match.Fold(patch.Unicode, s.file.Line(n)), part)
	if !ok || part == "" {
		return ""
	}
	lost := func(rest string, has func(line, rest string) bool) bool {
		return rest != "" && !slices.ContainsFunc(s.lines, func(l patch.Line) bool {
			return l.Mark() == '+' && has(match.Fold(patch.Unicode, l.Text()), rest)
		})
	}
	if rest := strings.TrimSpace(before); !inWord(before, part) && lost(rest, strings.HasPrefix) {
		return rest
	}
	if rest := strings.TrimSpace(after); !inWord(part, after) && lost(rest, strings.HasSuffix) {
		return rest
	}
	return ""
}

// inWord reports whether a word goes on from the end of one text to the beginning of the next.
func inWord(text, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(next)
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	return isWord(last) && isWord(first)
}

// lacksMark reports whether old line i is line n of the file if its mark, a space, is taken for a part of it.
func (s *search) lacksMark(i, n int) bool {
	have := s.file.Line(n)
	return !s.removed[i] && have != s.old[i] && strings.TrimRight(have, " \t") == strings.TrimRight(" "+s.old[i], " \t") && strings.TrimSpace(have) != ""
}

// fileHas reports whether a line of the file has something, which is called what.
func (s *search) fileHas(what string, has func(line string) bool) bool {
	if is, known := s.texts[what]; known {
		return is
	}
	s.texts[what] = false
	for n := range s.file.Len() {
		if has(s.file.Line(n)) {
			s.texts[what] = true
			break
		}
	}
	return s.texts[what]
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
