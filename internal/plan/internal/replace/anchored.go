package replace

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// anchored reports whether the place of an edit is named by anchors.
func (e *Edit) anchored() bool { return e.Line != "" || e.EndLine != "" || e.After != "" }

// place finds the lines that the anchors of an edit name, and completes its new text to whole lines.
func (r *replacer) place(s *foundEdit) *fail.Error {
	bad := &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments}
	switch {
	case s.Edit.Count > 1:
		bad.Msg, bad.Hint = "an edit names lines and has expectedOccurrences", "Leave ‹expectedOccurrences› out: an anchor names one place."
		return bad
	case s.Old != "":
		bad.Msg, bad.Hint = "an edit names lines and has an oldText", "Send ‹line›, or ‹after›, or ‹oldText›: one says where."
		return bad
	case s.After != "" && s.Line == "" && s.EndLine != "":
		bad.Msg, bad.Hint = "an edit has endLine and after", "Leave ‹endLine› out, or send ‹line› in place of ‹after› to replace lines."
		return bad
	case s.After != "" && s.Line != "":
		bad.Msg, bad.Hint = "an edit has line and after", "Send ‹line› to replace lines, or ‹after› to insert below one."
		return bad
	case s.After == "" && s.Line == "":
		bad.Msg, bad.Hint = "an edit has endLine and no line", "Send the anchor of the first line as ‹line›."
		return bad
	case s.After != "" && s.New == "":
		bad.Msg, bad.Hint = "there is nothing to insert", "Send the lines as ‹newText›."
		return bad
	}
	first, err := r.anchoredLine("line", s.Line)
	last := first
	if err == nil && s.After != "" {
		last, err = r.anchoredLine("after", s.After)
		first = last + 1
	} else if err == nil && s.EndLine != "" {
		last, err = r.anchoredLine("endLine", s.EndLine)
	}
	if err != nil {
		return err
	}
	if s.After == "" && (first < 1 || last < first) {
		bad.Msg, bad.Hint = fmt.Sprintf("lines %d to %d are no lines", first, last), "Lines count from 1, and the last of them is not above the first."
		return bad
	}
	s.rung, s.total = patch.Exact, 1
	s.spans = []span{r.linesSpan(s, first, last)}
	if g := s.spans[0]; s.New == strings.ReplaceAll(r.before[g.from:g.to], text.CRLF, text.LF) {
		bad.Msg, bad.Hint = fmt.Sprintf("lines %d to %d are newText already", first, last), "Leave this edit out, or send the text that is to be there."
		return bad
	}
	// 0 is the top of every version of the file: it shows nothing of the one that the author read.
	if s.After == topAnchor && strings.ContainsFunc(s.New, isWord) && strings.HasPrefix(r.view.text, s.New) {
		bad.Msg, bad.Hint = "the file begins with newText already", "Leave this edit out, or send the anchor of the line below which the text is to be once more as ‹after›."
		return bad
	}
	return nil
}

// topAnchor stands for the line above the first.
const topAnchor = "0"

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// anchoredLine returns the line that an anchor names, 0 for none.
func (r *replacer) anchoredLine(field, anchor string) (int, *fail.Error) {
	if anchor == "" || field == "after" && anchor == topAnchor {
		return 0, nil
	}
	// What read_file shows of a line may come along, as long as it is the line.
	anchor, shown, _ := strings.Cut(anchor, "|")
	n, ok := text.AnchoredLine(anchor)
	switch {
	case ok && shown != "" && 0 < n && n <= r.file.Len() && shown != r.file.Line(n-1):
		return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s is the anchor of a line other than %s", field, fail.Quote(shown)),
			Hint: "Send what stands before the | alone: a number, a colon and four characters."}
	case !ok:
		return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s is %s, which is no anchor", field, fail.Quote(anchor)),
			Hint: "An anchor is what ‹read_file› with ‹anchors› prints before a line: a number, a colon and four characters."}
	case anchor == text.Anchor(r.version(), n) && n <= r.file.Len():
		return n, nil
	}
	e := &fail.Error{Kind: fail.Stale, Msg: fmt.Sprintf("%s is %s, which is no line of this version of the file", field, fail.Quote(anchor)),
		Hint: "Read the file again with ‹anchors›: each version has its own."}
	_, hash, _ := strings.Cut(anchor, ":")
	for m := range r.file.Len() + 1 {
		if r.spend(1, perAnchor); r.limit != nil {
			break
		}
		if is := text.Anchor(r.sum, m); strings.HasSuffix(is, ":"+hash) {
			e.Hint = fmt.Sprintf("%s is another line of it. If you meant that, send %s; else read the file again with ‹anchors›.", is, is)
			break
		}
	}
	return 0, e
}

// linesSpan returns the bytes that an edit of lines first to last replaces, and gives its new text the line ends that it needs. The
// end of the last line stays, unless the lines are deleted. What is inserted at the end of a text without a last newline has one if it
// was sent with one.
func (r *replacer) linesSpan(s *foundEdit, first, last int) span {
	begin := func(line int) uint32 { return uint32(r.file.Offset(line - 1)) } // also of the line after the last
	unended := last > 0 && r.file.End(last-1) == text.None
	if s.After != "" {
		switch {
		case unended:
			s.New = text.LF + s.New
		case r.file.Len() > 0:
			s.New = strings.TrimSuffix(s.New, text.LF) + text.LF
		}
		return span{begin(first), begin(first)}
	}
	if s.New == "" {
		return span{begin(first), begin(last + 1)}
	}
	s.New = strings.TrimSuffix(s.New, text.LF)
	return span{begin(first), begin(last+1) - uint32(len(r.file.End(last-1)))}
}
