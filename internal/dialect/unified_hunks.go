package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// ranges are the numbers of a hunk's header. Without counts they say nothing about how long the hunk is.
type ranges struct {
	known              bool
	oldStart, oldCount int
	newStart, newCount int
}

// spans returns the lines of each side before the hunk.
func (r ranges) before() (old, new int) {
	old, new = r.oldStart, r.newStart
	if r.oldCount > 0 {
		old--
	}
	if r.newCount > 0 {
		new--
	}
	return old, new
}

// readHeading reads the line of a hunk that begins with @@.
func readHeading(line string) (r ranges, anchor string) {
	text := strings.TrimSpace(strings.TrimPrefix(line, "@@"))
	between, rest, closed := strings.Cut(text, "@@")
	between = strings.TrimSpace(between)
	if closed && (between == "" || isNumbers(between)) || !closed && isNumbers(between) {
		return readRanges(between), strings.TrimSpace(rest)
	}
	if closed && strings.TrimSpace(rest) == "" {
		text = between
	}
	return r, text
}

// isNumbers reports whether what stands between two @@ is meant to be numbers, or their place.
func isNumbers(s string) bool { return s != "" && strings.Trim(s, "-+,. 0123456789") == "" }

func readRanges(s string) (r ranges) {
	old, new, ok := strings.Cut(s, " ")
	if !ok {
		return r
	}
	var first, second bool
	r.oldStart, r.oldCount, first = readRange(old, "-")
	r.newStart, r.newCount, second = readRange(new, "+")
	r.known = first && second
	return r
}

// readRange reads "-3,4" or "-3", which means "-3,1".
func readRange(s, sign string) (start, count int, ok bool) {
	s, ok = strings.CutPrefix(s, sign)
	first, second, counted := strings.Cut(s, ",")
	if !counted {
		second = "1"
	}
	if !ok || !isNumber(first) || !isNumber(second) {
		return 0, 0, false
	}
	start, _ = strconv.Atoi(first)
	count, _ = strconv.Atoi(second)
	return start, count, true
}

func isNumber(s string) bool { return 0 < len(s) && len(s) < 10 && trimDigits(s) == "" }

// atMark reports whether the current line is one that a hunk may begin with.
func (u *unifiedReader) atMark() bool {
	return u.ok && u.line != "" && strings.IndexByte(" -+", u.line[0]) >= 0 && !u.beginsPair()
}

// readHunks reads the hunks of a file. right reports whether every number in their headers is right, as far as the text can tell. Below
// the names of a file, the line @@ of the first hunk may be missing if the reading is lenient.
func (u *unifiedReader) readHunks(named bool) (hunks []patch.Hunk, right bool) {
	right = true
	delta, end := 0, 0
	for u.err == nil {
		l := u.lines
		l.skipBlank()
		if !l.ok || !strings.HasPrefix(l.line, "@@") || strings.HasPrefix(l.line, "@@@") {
			if !(named && len(hunks) == 0 && u.g.reports && u.atMark()) {
				break
			}
			u.report(u.n, "the lines below the file header were read as a hunk, whose line @@ is missing")
			l = u.lines
		}
		u.lines = l
		h, r, counted := u.readHunk()
		old, new := r.before()
		right = right && counted && old >= end && new == old+delta
		delta, end = delta+r.newCount-r.oldCount, old+r.oldCount
		h.At = old + 1
		hunks = append(hunks, h)
	}
	return hunks, right
}

// readHunk reads one hunk. Its lines are as many as there are, whatever the header says: numbers only decide what the lines leave
// open. counted reports whether they agree with the header.
func (u *unifiedReader) readHunk() (h patch.Hunk, r ranges, counted bool) {
	h.Line = u.n
	if strings.HasPrefix(u.line, "@@") {
		var anchor string
		if r, anchor = readHeading(u.line); anchor != "" {
			h.Anchors = []string{anchor}
		}
		u.advance()
	}
	old, new := 0, 0
	var blanks []patch.Line // empty lines that are not yet context
	last := ""              // the line above, if it is one with a mark
	whole := -1             // the lines that the header asks for, if an empty line and more follow
	take := func(l patch.Line) {
		h.Lines = append(h.Lines, l)
		if l.Mark() != '+' {
			old++
		}
		if l.Mark() != '-' {
			new++
		}
	}
	for ; u.ok && u.err == nil; u.advance() {
		complete := r.known && old == r.oldCount && new == r.newCount
		switch line := u.line; {
		case line == "" || line == "\r":
			if complete && !u.goesOn() {
				u.below = false
				return h, r, true
			}
			if complete {
				whole = len(h.Lines)
			}
			blanks, last = append(blanks, patch.Line(" "+line)), ""
			continue
		case u.endsHunk(complete, r, old, new):
		case strings.IndexByte(" -+", line[0]) >= 0:
			if h.OldOpen && line[0] != '+' || h.NewOpen && line[0] != '-' {
				u.refuse(u.n, "", fmt.Sprintf("a line after %q", noNewline), "Put that line below the last line of the file only.")
			}
			for _, b := range blanks {
				take(b)
			}
			blanks = blanks[:0]
			take(patch.Line(line))
			last = line
			continue
		case strings.HasPrefix(line, `\ `), strings.HasPrefix(line, `\No newline`), u.g.reports && line == noNewline[2:]:
			u.readOpen(&h, len(blanks) > 0)
			last = ""
			continue
		}
		break
	}
	// A line that nothing asks for is none of the hunk, if the hunk is as long as its header says.
	complete := r.known && old == r.oldCount && new == r.newCount
	u.below = len(blanks) == 0 && !(complete && u.g.reports)
	if r.known && !hasOld(h.Lines) {
		h.Anchors = nil // the function that the lines are in, and not the line above them
	}
	// Of the empty lines at its end the hunk has as many as its numbers ask for. Without numbers it may have all or none.
	missing := r.oldCount - old
	switch n := len(blanks); {
	case r.known && missing >= 0 && missing == r.newCount-new && missing <= n:
		h.Lines, counted = append(h.Lines, blanks[:missing]...), true
	case hasOld(h.Lines) && !h.OldOpen && !h.NewOpen && !slices.Contains(blanks, " \r"):
		h.Lines, h.Blank = append(h.Lines, blanks...), n
	}
	switch {
	case u.err != nil:
	case whole >= 0 && !slices.ContainsFunc(h.Lines[whole:], func(l patch.Line) bool { return l.Old() && strings.TrimSpace(l.Text()) != "" }):
		u.refuse(u.n-1, "", "the hunk is as long as its header says, and below an empty line is more, which may be text: "+fail.Quote(string(h.Lines[len(h.Lines)-1])),
			"If it is text, leave it out. If it is of the hunk, write its header as @@ without numbers.")
	case !u.ok && !u.ended && (strings.HasPrefix(last, "+") || last == "-"):
		u.refuse(u.n-1, "a newline", "the text ends within this line, which no newline ends: "+fail.Quote(last),
			"The text may have been cut off: send it again, whole. If it is whole, end it with a newline.")
	case len(h.Lines) == 0 && u.refuseForeign(), len(h.Lines) == 0 && u.err != nil:
	case len(h.Lines) == 0:
		u.refuse(h.Line, `" ", "-" or "+"`, "a hunk without lines", `Write the lines of the hunk below "@@".`)
	case !u.ok && r.known && !counted && old <= r.oldCount && new <= r.newCount:
		u.cutOff(&h, r, old, new)
	}
	return h, r, counted
}

// goesOn reports whether the hunk goes on below empty lines, although it has as many lines as its header says.
func (u *unifiedReader) goesOn() bool {
	if u.n < u.goesOnAt {
		return true // the lines up to there are empty
	}
	l := u.lines
	l.skipBlank()
	u.goesOnAt = l.n
	return l.ok && strings.IndexByte(" -+\\", l.line[0]) >= 0 && !l.beginsPair() && !l.isSignature() && !l.isRule()
}

// isRule reports whether l is the line that Markdown draws between paragraphs.
func (l lines) isRule() bool {
	return trimEnd(l.line) == "---" && strings.TrimSpace(l.next()) == ""
}

// maxVersion bounds what follows the line "-- " at the end of a mail: the version of git, and empty lines.
const maxVersion = 100

// version is the version of git below the line "-- ", with nothing but empty lines below.
var version = pattern(`^\d+\.\d+[^\n]*\s*$`)

// isSignature reports whether l is the line that ends the text of a mail, which has lost its space if the version of git still follows.
func (l lines) isSignature() bool {
	return l.line == "-- " || l.line == "--" && len(l.rest) < maxVersion && version().MatchString(l.rest)
}

// endsHunk reports whether a line that could be one of the hunk ends it.
func (u *unifiedReader) endsHunk(complete bool, r ranges, old, new int) bool {
	switch {
	case u.isSignature():
		return complete || u.mail && len(u.rest) < maxVersion
	case !u.beginsPair():
		return false
	case complete || !r.known:
		return true
	}
	// The two lines are some of the hunk, if its numbers ask for them, they name no file, and no hunk begins below unless it is complete.
	below := u.lines
	below.advance()
	from, to := strings.TrimPrefix(u.line, "--- "), strings.TrimPrefix(below.line, "+++ ")
	path, err := commonPath(from, to, "")
	asked := old < r.oldCount && new < r.newCount
	last := old+1 == r.oldCount && new+1 == r.newCount
	return !asked || !last && strings.HasPrefix(below.next(), "@@") || err == "" && path != ""
}

// readOpen reads the marker of a missing newline.
func (u *unifiedReader) readOpen(h *patch.Hunk, below bool) {
	if len(h.Lines) == 0 || below {
		u.misplaced()
		return
	}
	mark := h.Lines[len(h.Lines)-1].Mark()
	if mark != '+' && h.OldOpen || mark != '-' && h.NewOpen {
		u.misplaced()
	}
	h.OldOpen, h.NewOpen = h.OldOpen || mark != '+', h.NewOpen || mark != '-'
}

// usualContext is the usual number of context lines on each side of a change.
const usualContext = 3

// cutOff refuses a text that ends in a hunk with fewer lines than the header says, unless that is a wrong count for sure.
func (u *unifiedReader) cutOff(h *patch.Hunk, r ranges, old, new int) {
	msg := fmt.Sprintf("the last hunk has %d old and %d new lines, and its header says %d and %d", old, new, r.oldCount, r.newCount)
	if endsWhole(h, r, old, new) {
		u.report(h.Line, "%s: what is there was taken", msg)
		return
	}
	u.refuse(max(1, u.n-1), "the rest of the hunk", msg,
		"The text may have been cut off: send it again, whole. If it is whole, write the header as @@ without numbers.")
}

// endsWhole reports whether a hunk with fewer lines than its header says is whole all the same: it ends in as much context as it begins
// with, and no more lines than that are missing on either side. What is cut off of a hunk that goes on below so much context is a change
// and as much context again.
func endsWhole(h *patch.Hunk, r ranges, old, new int) bool {
	lines := h.Lines[:len(h.Lines)-h.Blank]
	isChange := func(l patch.Line) bool { return l.Mark() != ' ' }
	above := slices.IndexFunc(lines, isChange)
	if above < 0 {
		return false
	}
	if r.oldStart <= 1 {
		above = max(above, usualContext) // at the top of the file there is no more
	}
	below := 0
	for below < len(lines) && !isChange(lines[len(lines)-1-below]) {
		below++
	}
	return above > 0 && below >= above && max(r.oldCount-old, r.newCount-new) <= above
}
