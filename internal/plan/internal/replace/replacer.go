package replace

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// maxRead bounds the bytes that the searches of one Run read. An occurrence counts as perHit bytes, so that two
// million of them are too many.
const (
	maxRead = 1 << 33
	perHit  = 1 << 12
	// perAnchor is what the computation of an anchor counts as.
	perAnchor = 1 << 9
)

// replacer is the work of one call of Run.
type replacer struct {
	before string
	sum    string // sha256 of before, if an edit has anchors
	file   *text.Lines
	view   *view
	edits  []foundEdit
	read   int64 // bytes that the searches read, see maxRead
	limit  error
}

// foundEdit is one edit and where it is made.
type foundEdit struct {
	Edit
	raw          bool // looked for in the bytes of the file, not in the view
	rung         patch.Rung
	spans        []span   // its occurrences, in file order; all of them if their number is as expected
	replacements []string // what replaces each occurrence, if it matched on a looser rung
	total        int      // number of occurrences; 0 while none is found
	err          *fail.Error
}

// span is bytes from up to to of the file.
type span struct{ from, to uint32 }

func newReplacer(before string, edits []Edit) *replacer {
	file := text.Split(before)
	r := &replacer{before: before, file: file, view: newView(file), edits: make([]foundEdit, len(edits))}
	for k, e := range edits {
		s := &r.edits[k]
		s.Edit = e
		if allCRLF(e.Old + e.New) {
			s.Old, s.New = strings.ReplaceAll(e.Old, text.CRLF, text.LF), strings.ReplaceAll(e.New, text.CRLF, text.LF)
		}
		s.Count = max(s.Count, 1)
		s.raw = strings.Contains(s.Old, text.CR)
		switch {
		case r.copiesAnchor(e.Old) || r.copiesAnchor(e.New):
			s.err = &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "a line of the edit begins with its anchor, which is none of the file's",
				Hint: "Send the lines of ‹oldText› and ‹newText› without what ‹read_file› with ‹anchors› prints before them."}
		case e.anchored():
			s.err = r.place(s)
		default:
			s.err = r.invalid(e)
		}
	}
	return r
}

// version returns the hash of the file.
func (r *replacer) version() string {
	if r.sum == "" {
		r.sum = text.Sum(r.before)
	}
	return r.sum
}

// copiesAnchor reports whether a line begins with the anchor of a line of this version and the bar that stands behind it where a file is
// read. No file has that by chance.
func (r *replacer) copiesAnchor(s string) bool {
	if !strings.Contains(s, "|") {
		return false
	}
	for line := range strings.Lines(s) {
		anchor, _, ok := strings.Cut(line, "|")
		if n, known := text.AnchoredLine(anchor); ok && known && anchor == text.Anchor(r.version(), n) {
			return true
		}
	}
	return false
}

// allCRLF reports whether s has line ends and all of them are CRLF.
func allCRLF(s string) bool {
	n := strings.Count(s, text.CRLF)
	return n > 0 && n == strings.Count(s, text.LF) && n == strings.Count(s, text.CR)
}

// spend counts n times so many bytes as read, and sets limit if they are too many.
func (r *replacer) spend(n int, each int64) {
	if r.read += int64(n) * each; r.read > maxRead && r.limit == nil {
		r.limit = &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit,
			Msg:  fmt.Sprintf("%s in a file of %d bytes, and what they look for in it, are too many", refusal.Count(len(r.edits), "edit"), len(r.before)),
			Hint: "Send fewer edits at once, or write the whole file with ‹write_file›."}
	}
}

// multiple refuses an edit that does not have the expected number of occurrences, or whose occurrences overlap.
func (r *replacer) multiple(s *foundEdit, apart bool) *fail.Error {
	e := &fail.Error{Kind: fail.MultipleMatches, Total: s.total, Places: r.places(s.spans[:min(len(s.spans), fail.MaxPlaces)]),
		Msg: fmt.Sprintf("oldText occurs %s, expected %d", refusal.Count(s.total, "time"), s.Count)}
	switch {
	case !apart:
		e.Msg = fmt.Sprintf("the occurrences of oldText overlap one another: %d of them, expected %d", s.total, s.Count)
		e.Hint = "Add surrounding text that only one place has."
	case s.total < s.Count:
		e.Hint = fmt.Sprintf("Set ‹expectedOccurrences› to %d, or read the file again and see what has changed.", s.total)
	default:
		e.Hint = fmt.Sprintf("Add surrounding text that only one place has, or set ‹expectedOccurrences› to %d to change them all.", s.total)
	}
	refusal.AddLines(e)
	refusal.TellApart(e, r.file, 0)
	return e
}

// places returns the lines that the spans cover.
func (r *replacer) places(at []span) []fail.Place {
	out := make([]fail.Place, len(at))
	for i, g := range at {
		out[i].First = lineAt(r.file, int(g.from)) + 1
		if g.to > g.from { // else the file is empty
			out[i].Last = lineAt(r.file, int(g.to)-1) + 1
		}
	}
	return out
}

// region is a span, and which occurrence of which edit it is.
type region struct {
	span
	edit, nth uint32
}

// invalid returns what is wrong with e whatever the file holds, or nil.
func (r *replacer) invalid(e Edit) *fail.Error {
	bad := &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments}
	switch {
	case e.Count < 0:
		bad.Msg = fmt.Sprintf("expectedOccurrences is %d", e.Count)
		bad.Hint = "Say how often ‹oldText› occurs, or leave it out for once."
	case e.Old == e.New:
		bad.Msg = "oldText and newText are the same"
		bad.Hint = "Leave this edit out, or send the text that is to be there as ‹newText›."
	case e.Old == "" && r.file.Len() > 0:
		bad.Msg = "oldText is empty, and the file is not"
		bad.Hint = "Put the text next to the place into ‹oldText› and, with what is new, into ‹newText›; ‹write_file› replaces the whole file."
	case e.Old == "" && e.Count > 1:
		bad.Msg = "oldText is empty: it occurs once in an empty file"
		bad.Hint = "Leave ‹expectedOccurrences› out."
	default:
		return nil
	}
	return bad
}
