package replace

import (
	"slices"
	"strings"

	"znkr.io/diff"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// looseLadder lists the rungs on which an edit that is nowhere as written is looked for as whole lines. The line end of
// the last line counts as trailing white space.
var looseLadder = []patch.Rung{patch.Trailing, patch.Whitespace, patch.Unicode}

// findLoosely looks for the edits that were not found as lines, on each rung up to last.
func (r *replacer) findLoosely(last patch.Rung) {
	hunks := map[int]patch.Hunk{}
	for k := range r.edits {
		if s := &r.edits[k]; last > patch.Exact && s.err == nil && s.total == 0 && s.Old != "" && r.limit == nil {
			if h, ok := asHunk(s.Old, s.New); ok {
				hunks[k] = h
			}
		}
	}
	for _, rung := range looseLadder {
		if (rung <= last || last == patch.Composed) && len(hunks) > 0 && r.limit == nil {
			r.findOnRung(rung, hunks)
		}
	}
}

// findOnRung looks for the hunks, which stand for edits, and takes those that have a place out of the map.
func (r *replacer) findOnRung(rung patch.Rung, hunks map[int]patch.Hunk) {
	doc := match.NewDoc(r.file)
	x := match.NewIndex(doc, rung, len(hunks))
	pats := map[int]int{}
	for k, h := range hunks {
		pats[k] = x.Add(slices.Values(h.Old()))
	}
	x.Build()
	r.spend(len(r.before), 8)
	for k := range r.edits {
		h, ok := hunks[k]
		if n := x.Count(pats[k]); ok && n > 0 && r.limit == nil {
			delete(hunks, k)
			s := &r.edits[k]
			s.rung, s.total = rung, n
			r.setLines(s, h, doc)
		}
	}
}

// setLines notes where an edit stands that was found as lines, and what replaces it there.
func (r *replacer) setLines(s *foundEdit, h patch.Hunk, doc *match.Doc) {
	old := h.Old()
	r.spend(len(r.before), 8)
	apart, next := true, 0
	var first []int
	for at := range match.NewScanner(doc, s.rung, old, false).Places(0, doc.End()) {
		apart = apart && at >= next
		next = at + len(old)
		if first = append(first, at); len(first) >= max(s.Count, fail.MaxPlaces) {
			break
		}
	}
	r.spend(len(first), perHit)
	for _, n := range first {
		s.spans = append(s.spans, span{uint32(r.file.Offset(n)), uint32(r.file.Offset(n + len(old)))})
	}
	if s.total != s.Count || !apart {
		s.err = r.multiple(s, apart)
		s.err.Msg += ", matched on the rung " + s.rung.String()
		return
	}
	for _, n := range first {
		out, err := r.placeLines(n, len(old), h, s.rung)
		if err != nil {
			s.err = r.unshifted(err, n, len(old))
			return
		}
		s.replacements = append(s.replacements, out)
	}
}

// placeLines returns what h makes of size lines of the file from line n on.
func (r *replacer) placeLines(n, size int, h patch.Hunk, rung patch.Rung) (string, *fail.Error) {
	p := place.Find(text.Split(r.file.Raw(n, n+size)), []patch.Hunk{h}, dialect.Rules{Place: dialect.Unique, Ladder: []patch.Rung{rung}}, false)
	if err := p.Limit(); err != nil {
		return "", fail.All(err)[0]
	}
	if errs := p.Errors(); len(errs) > 0 {
		return "", errs[0]
	}
	return p.Result().After, nil
}

// unshifted refuses an edit whose lines are in the file from line n on but cannot be replaced there.
func (r *replacer) unshifted(e *fail.Error, n, size int) *fail.Error {
	if e.Reason != fail.ContextNotFound {
		return e
	}
	return &fail.Error{Kind: fail.OldTextNotFound, Line: n + 1, Msg: "the " + strings.TrimPrefix(e.Msg, "its "),
		Hint:    "Copy the indentation of ‹oldText› and ‹newText› from the file exactly, tabs as tabs.",
		Nearest: refusal.Nearest(r.file, n, n+size, "the indentation")}
}

// minimalLines bounds the lines that an old and a new text may have together for the shortest diff between them.
const minimalLines = 2000

// asHunk returns a text edit as a hunk of whole lines. Lines that both texts have become context. It fails if Old ends a
// line and New does not, or if Old is blank, which says nothing about where it is.
func asHunk(old, now string) (patch.Hunk, bool) {
	a, closed := strings.CutSuffix(strings.ReplaceAll(old, text.CRLF, text.LF), text.LF)
	b := strings.ReplaceAll(now, text.CRLF, text.LF)
	var h patch.Hunk
	var news []string
	if closed && b != "" {
		var ok bool
		if b, ok = strings.CutSuffix(b, text.LF); !ok {
			return h, false
		}
	}
	if !closed || b != "" || now != "" {
		news = strings.Split(b, text.LF)
	}
	olds := strings.Split(a, text.LF)
	if !slices.ContainsFunc(olds, func(l string) bool { return strings.TrimSpace(l) != "" }) {
		return h, false // blank lines say nothing of where they are
	}
	var opts []diff.Option
	if len(olds)+len(news) <= minimalLines {
		opts = append(opts, diff.Minimal())
	}
	mark := map[diff.Op]string{diff.Match: " ", diff.Delete: "-", diff.Insert: "+"}
	for _, e := range diff.Edits(olds, news, opts...) {
		line := e.X
		if e.Op == diff.Insert {
			line = e.Y
		}
		h.Lines = append(h.Lines, patch.Line(mark[e.Op]+line))
	}
	return h, true
}
