package replace

import (
	"slices"
	"sort"
	"strings"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/internal/plan/internal/suggest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// blockRules are the rules for hunks that were made of an old and a new text, as those of a SEARCH/REPLACE block are.
var blockRules = dialect.Rules{Place: dialect.Unique, Ladder: []patch.Rung{patch.Exact}, Unmarked: true, AnyOrder: true}

// correct offers for the edits who, whose old texts are nowhere, the pair of texts that makes the same change with the file's own lines.
// It reads an edit as a hunk of whole lines, so that an offer is as safe as a corrected hunk; an edit that may begin or end within a line
// that it changes gets none, and neither does one that meets another edit. Nothing is offered beside an edit that adds indented lines and
// does not show which indentation the file has there. regions are what the other edits replace, in file order.
func (r *replacer) correct(who []int, regions []region) {
	if len(who) == 0 || len(r.edits) > maxCorrected {
		return
	}
	var hunks []patch.Hunk
	var of []int
	for k := range r.edits { // those that are found show, too, how the edits are indented
		s := &r.edits[k]
		if h, ok := asHunk(s.Old, s.New); ok && s.Count == 1 && !s.raw && !s.anchored() && (s.total == 1 || slices.Contains(who, k)) {
			hunks, of = append(hunks, h), append(of, k)
		} else if indented(s.New) {
			return
		}
	}
	if len(hunks) == 0 {
		return
	}
	p := place.Find(r.file, hunks, blockRules, false)
	if p.Limit() != nil {
		return
	}
	for i, k := range of {
		if !slices.Contains(who, k) && !p.Spots[i].Applied && indented(r.edits[k].New) {
			return // it is found within lines
		}
	}
	errs := p.Errors()
	offers := suggest.Hunks(p, []patch.Section{{Op: patch.Update, Hunks: hunks}, r.written()}, errs, func(h patch.Hunk) (string, bool) {
		return joined(h.Old()) + joined(h.New()), true
	})
	for _, e := range errs {
		if h, ok := offers[e]; ok && e.Nearest.Corrected != "" {
			if k := of[e.Hunk-1]; slices.Contains(who, k) {
				r.offer(&r.edits[k], &hunks[e.Hunk-1], &h, regions)
			}
		}
	}
}

// maxCorrected bounds the edits of a call of which some are corrected.
const maxCorrected = 200

// indented reports whether a line of a text begins with white space.
func indented(s string) bool {
	return strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\t") || strings.Contains(s, "\n ") || strings.Contains(s, "\n\t")
}

// written returns the new texts of all edits, as a section that adds them: if old texts turn out to be encoded, these may be as well.
func (r *replacer) written() patch.Section {
	var b strings.Builder
	for k := range r.edits {
		b.WriteString(r.edits[k].New + text.LF)
	}
	return patch.Section{Op: patch.Add, Content: b.String()}
}

// offer puts the texts of hunk h, which corrects the hunk said of edit s, into the edit's refusal.
func (r *replacer) offer(s *foundEdit, said, h *patch.Hunk, regions []region) {
	if !wholeLines(s.Old, said, h) {
		return
	}
	old, now := joined(h.Old()), joined(h.New())
	switch closed := strings.HasSuffix(s.Old, text.LF); {
	case !closed:
		old, now = strings.TrimSuffix(old, text.LF), strings.TrimSuffix(now, text.LF)
	case !strings.Contains(r.view.text, old): // the last line of the file has no end
		old, now = strings.TrimSuffix(old, text.LF), strings.TrimSuffix(now, text.LF)
	}
	at := strings.Index(r.view.text, old)
	if old == "" || old == now || at < 0 || strings.Contains(r.view.text[at+1:], old) {
		return
	}
	from, to := r.view.offset(at), r.view.offset(at+len(old))
	i := sort.Search(len(regions), func(i int) bool { return regions[i].to > from })
	if i < len(regions) && regions[i].from < to {
		return
	}
	if s.err.Nearest == nil {
		lines := r.places([]span{{from, to}})[0]
		s.err.Line, s.err.Nearest = lines.First, refusal.Nearest(r.file, lines.First-1, lines.Last)
	}
	s.err.Nearest.OldText, s.err.Nearest.NewText = old, &now
	s.err.Hint = "Send the ‹oldText› and the ‹newText› that are shown instead, if those lines are the ones you mean."
}

// wholeLines reports whether an old text, of which the hunk said was made, begins and ends where lines of the file do, as far as the
// change reaches there. h has the lines of the file.
func wholeLines(old string, said, h *patch.Hunk) bool {
	lines, there := said.Old(), h.Old()
	is := func(want string, part func(line, want string) bool) bool {
		return slices.ContainsFunc(there, func(l string) bool {
			return match.Same(patch.Unicode, l, want) || match.Similarity(l, want) >= 0.6 && part(l, want)
		})
	}
	if said.Lines[0].Mark() != ' ' && !is(lines[0], func(l, want string) bool { return l[:min(len(l), sure)] == want[:min(len(want), sure)] }) {
		return false
	}
	return strings.HasSuffix(old, text.LF) || said.Lines[len(said.Lines)-1].Mark() == ' ' ||
		is(lines[len(lines)-1], func(l, want string) bool { return l[max(0, len(l)-sure):] == want[max(0, len(want)-sure):] })
}

// sure is how many bytes at the beginning or the end of a line are no chance.
const sure = 4

// joined returns lines with their ends.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, text.LF) + text.LF
}
