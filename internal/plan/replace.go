package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// TextEdit replaces a text by another wherever it occurs. Count is how often it must occur; 0 stands for once.
type TextEdit struct {
	Old, New string
	Count    int
}

// ReplaceOptions are what a caller asks of one Replace.
type ReplaceOptions struct {
	// Tolerance is the last rung on which lines may match; 0 stands for [patch.Exact].
	Tolerance patch.Rung
}

// Replaced is a text with its edits made.
type Replaced struct {
	After   string
	Edits   []Edit    // how its lines came from those before
	Applied []Applied // one for each edit that was asked for
}

// Applied is where one edit was made.
type Applied struct {
	Occurrences int
	Rung        patch.Rung
	Lines       []fail.Place // of the text before, one for each occurrence, in its order
}

// Replace makes every edit in before, or none and says of each one that cannot be made why. All of them are sought in
// before itself, so that their order says nothing.
//
// They see the text with LF line ends and without its byte order mark. An edit whose line ends are CRLF, all of them
// in both texts, is read as if they were LF; in any other a CR is a byte like others, and an Old with such a CR is
// sought in the bytes of before as they are. What no edit names stays as it is, byte for byte. The k-th newline of New
// gets the line end of the k-th newline that New replaces; further ones get that of the line before, at the top of the
// text that of the line after.
//
// An Old that is nowhere is sought as whole lines on the looser rungs that o allows. Its lines that New keeps then stay
// as they are in before, and where indentation was ignored New's own lines are shifted as the others were.
//
// Time is about linear in the text and the edits together: more than maxSingly edits are sought all at once. Where that
// cannot be, because their old texts are too long for it, and for what is found, maxRead bounds the work, and edits
// that would need more are refused.
func Replace(before string, edits []TextEdit, o ReplaceOptions) (*Replaced, error) {
	if text.Binary(before) {
		return nil, &fail.Error{Kind: fail.BinaryFile, Msg: "the file is binary; an edit of its text cannot change it",
			Hint: "Write the whole file with another tool."}
	}
	if len(edits) == 0 {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "there are no edits",
			Hint: "Send at least one edit with oldText and newText."}
	}
	r := newReplacer(before, edits)
	r.seekAll()
	r.loosen(max(o.Tolerance, patch.Exact))
	if r.limit != nil {
		return nil, r.limit
	}
	regions := r.regions()
	if errs := r.errors(regions); len(errs) > 0 {
		return nil, errs
	}
	return r.finish(regions), nil
}

// maxRead bounds the bytes that the searches of one Replace read. An occurrence counts as perHit bytes, so that two
// million of them are too many.
const (
	maxRead = 1 << 33
	perHit  = 1 << 12
)

// replacer is the work of one Replace.
type replacer struct {
	before string
	file   *text.Lines
	view   *view
	edits  []sought
	read   int // bytes, see maxRead
	pieced int // bytes, see maxPieces
	limit  error
}

// sought is one edit and where it is to be made.
type sought struct {
	TextEdit
	raw   bool // sought in the bytes of the file, not in the view
	rung  patch.Rung
	at    []span   // its occurrences, in file order: all of them if they are as many as they must be
	with  []string // on a looser rung: what takes the place of each one
	total int      // how many there are; 0 while none was found
	err   *fail.Error
}

// span is bytes from up to to of the file.
type span struct{ from, to uint32 }

func newReplacer(before string, edits []TextEdit) *replacer {
	file := text.Split(before)
	r := &replacer{before: before, file: file, view: newView(file), edits: make([]sought, len(edits))}
	for k, e := range edits {
		s := &r.edits[k]
		s.TextEdit = e
		if allCRLF(e.Old + e.New) {
			s.Old, s.New = strings.ReplaceAll(e.Old, text.CRLF, text.LF), strings.ReplaceAll(e.New, text.CRLF, text.LF)
		}
		s.Count = max(s.Count, 1)
		s.raw = strings.Contains(s.Old, text.CR)
		s.err = r.unfit(e)
	}
	return r
}

// allCRLF reports whether s has line ends and all of them are CRLF.
func allCRLF(s string) bool {
	n := strings.Count(s, text.CRLF)
	return n > 0 && n == strings.Count(s, text.LF) && n == strings.Count(s, text.CR)
}

// unfit is what is wrong with e itself, whatever the file holds.
func (r *replacer) unfit(e TextEdit) *fail.Error {
	bad := &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments}
	switch {
	case e.Count < 0:
		bad.Msg = fmt.Sprintf("expectedOccurrences is %d", e.Count)
		bad.Hint = "Say how often oldText occurs, or leave it out for once."
	case e.Old == e.New:
		bad.Msg = "oldText and newText are the same"
		bad.Hint = "Leave this edit out, or send the text that is to be there as newText."
	case e.Old == "" && r.file.Len() > 0:
		bad.Msg = "oldText is empty, and the file is not"
		bad.Hint = "Put the text next to the place into oldText and, with what is new, into newText; write_file replaces the whole file."
	case e.Old == "" && e.Count > 1:
		bad.Msg = "oldText is empty: it occurs once in an empty file"
		bad.Hint = "Leave expectedOccurrences out."
	default:
		return nil
	}
	return bad
}

// seek finds edit k's occurrences as it is written.
func (r *replacer) seek(k int) {
	s := &r.edits[k]
	if s.err != nil || r.limit != nil {
		return
	}
	hay, place := r.view.text, r.view.offset
	if s.raw {
		hay, place = r.view.body, r.view.after
	}
	s.rung = patch.Exact
	if s.Old == "" {
		s.total, s.at = 1, []span{{place(0), place(0)}}
		return
	}
	hits, total, apart := occurrences(hay, s.Old, max(s.Count, fail.MaxPlaces))
	cost := len(hay)
	if !apart {
		cost *= 8
	}
	if r.spend(cost + perHit*len(hits)); r.limit != nil {
		return
	}
	for _, at := range hits {
		if g := (span{place(at), place(at + len(s.Old))}); s.raw && (r.cutsCRLF(g.from) || r.cutsCRLF(g.to)) {
			total--
		} else {
			s.at = append(s.at, g)
		}
	}
	if s.total = total; total > 0 && (total != s.Count || !apart) {
		s.err = r.multiple(s, apart)
	}
}

// cutsCRLF reports whether offset at stands between the two bytes of a line end.
func (r *replacer) cutsCRLF(at uint32) bool {
	return at > 0 && int(at) < len(r.before) && r.before[at-1] == '\r' && r.before[at] == '\n'
}

// spend counts bytes that were read.
func (r *replacer) spend(n int) {
	if r.read += n; r.read > maxRead && r.limit == nil {
		r.limit = &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit,
			Msg:  fmt.Sprintf("%s in a file of %d bytes, and what they look for in it, are too many", many(len(r.edits), "edit"), len(r.before)),
			Hint: "Send fewer edits at once, or write the whole file with write_file."}
	}
}

// multiple refuses an edit whose occurrences are not as many as it expects, or run into one another.
func (r *replacer) multiple(s *sought, apart bool) *fail.Error {
	e := &fail.Error{Kind: fail.MultipleMatches, Total: s.total, Places: r.places(s.at[:min(len(s.at), fail.MaxPlaces)]),
		Msg: fmt.Sprintf("oldText occurs %s, expected %d", many(s.total, "time"), s.Count)}
	switch {
	case !apart:
		e.Msg = fmt.Sprintf("the occurrences of oldText overlap one another: %d of them, expected %d", s.total, s.Count)
		e.Hint = "Add surrounding text that only one place has."
	case s.total < s.Count:
		e.Hint = fmt.Sprintf("Set expectedOccurrences to %d, or read the file again and see what has changed.", s.total)
	default:
		e.Hint = fmt.Sprintf("Add surrounding text that only one place has, or set expectedOccurrences to %d to change them all.", s.total)
	}
	if len(e.Places) > 0 {
		e.Msg += " (" + lineList(e.Places, s.total) + ")"
	}
	return e
}

// places are the lines that the spans cover.
func (r *replacer) places(at []span) []fail.Place {
	out := make([]fail.Place, len(at))
	for i, g := range at {
		out[i].First = lineAt(r.file, int(g.from)) + 1
		if g.to > g.from { // else it is the gap of an empty file
			out[i].Last = lineAt(r.file, int(g.to)-1) + 1
		}
	}
	return out
}

// region is a span, and which edit's which occurrence it is.
type region struct {
	span
	edit, nth uint32
}

// regions is every occurrence that is to be replaced, in file order. Edits that together cover more than the file
// overlap: that those so far do is then enough to know, and the others are left out once they are very many.
func (r *replacer) regions() []region {
	var out []region
	covered := 0
	for k := range r.edits {
		s := &r.edits[k]
		if s.err != nil || s.total == 0 || covered > len(r.before)+1<<20 {
			continue
		}
		for i, g := range s.at {
			out = append(out, region{g, uint32(k), uint32(i)})
			covered += int(g.to - g.from)
		}
	}
	slices.SortFunc(out, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.edit, b.edit))
	})
	return out
}

// errors is what there is to complain of: each edit that has no place, in their order, and at last which overlap.
func (r *replacer) errors(regions []region) fail.List {
	var out, lost fail.List
	for k := range r.edits {
		s := &r.edits[k]
		if s.err == nil && s.total == 0 {
			s.err = &fail.Error{Kind: fail.OldTextNotFound}
			lost = append(lost, s.err)
		}
		if s.err != nil {
			s.err.Edit = k + 1
			out = append(out, s.err)
		}
	}
	r.explain(lost)
	if e := r.overlaps(regions); e != nil {
		out = append(out, e)
	}
	return out
}

// overlaps says which edits would change the same bytes.
func (r *replacer) overlaps(regions []region) *fail.Error {
	e := &fail.Error{Kind: fail.Overlapping,
		Hint: "Join the edits that change the same text into one; each is made in the file as it was read, not in what another leaves."}
	seen := map[[2]int]bool{}
	var open []region // those that reach the current one: any two of them are a pair, so they are few
	for _, g := range regions {
		open = slices.DeleteFunc(open, func(h region) bool { return !h.meets(g) })
		for _, h := range open {
			r.pair(e, seen, h, g)
		}
		if open = append(open, g); len(seen) >= fail.MaxPlaces {
			break
		}
	}
	if len(e.Pairs) == 0 {
		return nil
	}
	e.Msg = pairList(e.Pairs, e.Places)
	return e
}

// pair notes in e that two edits overlap, unless their pair was seen before.
func (r *replacer) pair(e *fail.Error, seen map[[2]int]bool, a, b region) {
	if a.edit > b.edit {
		a, b = b, a
	}
	pair := [2]int{int(a.edit) + 1, int(b.edit) + 1}
	if seen[pair] {
		return
	}
	seen[pair] = true
	e.Pairs, e.Places = append(e.Pairs, pair), append(e.Places, r.places([]span{a.span, b.span})...)
}

// meets reports whether g and the later h have bytes in common, or stand in the same empty place.
func (h region) meets(g region) bool { return h.to > g.from || h.from == g.from && h.to == g.to }

func pairList(pairs [][2]int, places []fail.Place) string {
	const most = 10
	var b strings.Builder
	for i, p := range pairs[:min(len(pairs), most)] {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "edits %d and %d change the same text (lines %d-%d and %d-%d)", p[0], p[1],
			places[2*i].First, places[2*i].Last, places[2*i+1].First, places[2*i+1].Last)
	}
	if more := len(pairs) - most; more > 0 {
		fmt.Fprintf(&b, "; and %d more pairs", more)
	}
	return b.String()
}

// finish writes the text with every region replaced.
func (r *replacer) finish(regions []region) *Replaced {
	w := &styler{file: r.file}
	w.out.Grow(len(r.before))
	changes := make([]change, len(regions))
	at := 0
	for i, g := range regions {
		next := len(r.before)
		if i+1 < len(regions) {
			next = int(regions[i+1].from)
		}
		w.out.WriteString(r.before[at:g.from])
		at = int(g.to)
		from := w.out.Len()
		w.put(&r.edits[g.edit], g, r.before[at:next])
		changes[i] = change{int(g.from), at, from, w.out.Len()}
	}
	w.out.WriteString(r.before[at:])
	out := &Replaced{After: w.out.String(), Applied: make([]Applied, len(r.edits))}
	for k := range r.edits {
		s := &r.edits[k]
		out.Applied[k] = Applied{Occurrences: len(s.at), Rung: s.rung, Lines: r.places(s.at)}
	}
	out.Edits = lineEdits(r.file, text.Split(out.After), changes)
	return out
}
