// Package replace makes text edits: it replaces an old text by a new one wherever the old one stands in a file, or refuses
// with what is there instead.
//
// It works on one text in memory. It knows nothing of patches, paths and steps.
package replace

import (
	"cmp"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/suggest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Run makes every edit in before, or none, and says of each edit that cannot be made why. All of them are looked for in
// before itself, so their order makes no difference.
//
// They see the text with LF line ends and without its byte order mark. An edit whose line ends are CRLF, all of them in
// both texts, is read as if they were LF; in any other a CR is a byte like others, and an Old with such a CR is looked
// for in the bytes of before as they are. What no edit names stays as it is, byte for byte. The k-th newline of New gets
// the line end of the k-th newline that New replaces; further ones get that of the line before, at the top of the text
// that of the line after.
//
// An Old that is nowhere is looked for as whole lines on the looser rungs that o allows. Its lines that New keeps then
// stay as they are in before, and where indentation was ignored New's own lines are shifted as the others were.
//
// Time is about linear in the text and the edits together: more than maxSingly edits are looked for all at once. If
// their old texts are too long for that, and for what is found, maxRead bounds the work, and edits that would need more
// are refused.
func Run(before string, edits []Edit, o Options) (*Result, error) {
	if text.Binary(before) {
		return nil, &fail.Error{Kind: fail.BinaryFile, Msg: "the file is binary; an edit of its text cannot change it",
			Hint: "Write the whole file with another tool."}
	}
	if len(edits) == 0 {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "there are no edits",
			Hint: "Send at least one edit with ‹oldText› and ‹newText›."}
	}
	r := newReplacer(before, edits)
	r.findAll()
	r.findLoosely(max(o.Tolerance, patch.Exact))
	if r.limit != nil {
		return nil, r.limit
	}
	regions := r.regions()
	if errs := r.errors(regions); len(errs) > 0 {
		return nil, errs
	}
	return r.finish(regions), nil
}

// regions returns every occurrence to be replaced, in file order. Edits that cover more than the file together overlap,
// and those found so far show it; so the rest is left out when there are very many.
func (r *replacer) regions() []region {
	var out []region
	covered := 0
	for k := range r.edits {
		s := &r.edits[k]
		if s.err != nil || s.total == 0 || covered > len(r.before)+1<<20 {
			continue
		}
		for i, g := range s.spans {
			out = append(out, region{g, uint32(k), uint32(i)})
			covered += int(g.to - g.from)
		}
	}
	slices.SortFunc(out, func(a, b region) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.edit, b.edit))
	})
	return out
}

// errors lists the edits that have no place, in their order, and at last those that overlap.
func (r *replacer) errors(regions []region) fail.List {
	var out fail.List
	var lost []suggest.Edit
	var who []int // by index in lost: the edit
	for k := range r.edits {
		s := &r.edits[k]
		if s.err == nil && s.total == 0 {
			s.err = &fail.Error{Kind: fail.OldTextNotFound}
			lost, who = append(lost, suggest.Edit{Err: s.err, Old: s.Old, New: s.New}), append(who, k)
		}
		if s.err != nil {
			s.err.Edit = k + 1
			out = append(out, s.err)
		}
	}
	var open []int
	for _, i := range suggest.OldTexts(r.file, r.view.text, lost) {
		open = append(open, who[i])
	}
	r.correct(open, regions)
	if e := r.overlaps(regions); e != nil {
		out = append(out, e)
	}
	return out
}

// finish writes the text with every region replaced.
func (r *replacer) finish(regions []region) *Result {
	w := &writer{file: r.file}
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
		w.replace(&r.edits[g.edit], g, r.before[at:next])
		changes[i] = change{int(g.from), at, from, w.out.Len()}
	}
	w.out.WriteString(r.before[at:])
	out := &Result{After: w.out.String(), Applied: make([]Applied, len(r.edits))}
	for k := range r.edits {
		s := &r.edits[k]
		out.Applied[k] = Applied{Occurrences: len(s.spans), Rung: s.rung, Lines: r.places(s.spans)}
	}
	out.Edits = lineChanges(r.file, text.Split(out.After), changes)
	return out
}
