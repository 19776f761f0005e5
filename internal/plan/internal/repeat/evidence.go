package repeat

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// proves reports whether the new lines of hunk k, which stand at line at and nowhere else, are its outcome. What it adds
// must be there to the byte, with context or an end of the file on either side of its changes, and the lines must not
// have been there before.
func (f *finder) proves(k int, lines []patch.Line, at int) bool {
	above, below := place.Context(lines)
	end := at + newSize(lines)
	if above == len(lines) || !slices.ContainsFunc(lines, patch.Line.Old) || !f.standsAt(lines, at) || f.removedIsThere(lines, at) || !f.fitsEnd(k, end) || !f.anchorsAgree(k, lines, at) {
		return false
	}
	if f.Spots[k].OffAnchor {
		return slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Mark() == '+' && place.HasWords(l) }) && slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Mark() == ' ' && place.HasWords(l) })
	}
	return f.hasFrame(lines[:above], lines[len(lines)-below:], slices.ContainsFunc(lines, added), at == 0, end == f.File.Len()) &&
		!f.stoodBefore(lines, at == 0, end == f.File.Len())
}

// provesBeside reports whether the new lines of hunk k, which stand at line at and nowhere else, are its outcome although it has context on
// one side only: each of its changes adds words beside a line of context that the file has once, and what it removes is nowhere.
func (f *finder) provesBeside(k int, lines []patch.Line, at int) bool {
	if f.Spots[k].OffAnchor || !f.standsAt(lines, at) || f.removedIsThere(lines, at) || !f.fitsEnd(k, at+newSize(lines)) || !f.anchorsAgree(k, lines, at) ||
		f.stoodBefore(lines, at == 0, at+newSize(lines) == f.File.Len()) {
		return false
	}
	once := func(i int) bool {
		return i >= 0 && i < len(lines) && place.HasWords(lines[i]) && f.count(lines[i]) == 1
	}
	for from := 0; from < len(lines); from++ {
		if lines[from].Mark() == ' ' {
			continue
		}
		to := from
		for ; to < len(lines) && lines[to].Mark() != ' '; to++ {
			if removed(lines[to]) && place.HasWords(lines[to]) && f.count(lines[to]) > 0 {
				return false
			}
		}
		if !once(from-1) && !once(to) || !slices.ContainsFunc(lines[from:to], func(l patch.Line) bool { return added(l) && place.HasWords(l) }) {
			return false
		}
		from = to
	}
	return true
}

// count counts how often l, an old line of a hunk without a place, stands in the file, apart from white space and typography. Of several
// times it says two.
func (f *finder) count(l patch.Line) int {
	if f.times == nil {
		f.times = map[string]int{}
		for k := range f.Hunks {
			for _, l := range f.Hunks[k].Lines {
				if f.Spots[k].Err != nil && l.Old() {
					f.times[match.Fold(patch.Unicode, l.Text())] = 0
				}
			}
		}
		keys := slices.Sorted(maps.Keys(f.times))
		for i, at := range match.Lines(f.File, patch.Unicode, keys, 1) {
			f.times[keys[i]] = len(at)
		}
	}
	return f.times[match.Fold(patch.Unicode, l.Text())]
}

// Removable reports of some hunks of p whether they remove lines, one below the other and one of them with words, that stand in the file
// somewhere. If such a hunk counts as applied, these lines may be what it means, and what it adds may stand at a place like theirs. What
// stands at the place of an earlier hunk that says the same does not count: that hunk removes it.
func Removable(p *place.Placement, hunks []int) []bool {
	if len(hunks) == 0 {
		return nil
	}
	f := finder{Placement: p}
	x := match.NewIndex(match.NewDoc(p.File), patch.Whitespace, len(hunks))
	ids, own := make([][]int, len(hunks)), make([][]int, len(hunks))
	for i, k := range hunks {
		runs := removedRuns(p.Hunks[k].Lines)
		for _, run := range runs {
			ids[i] = append(ids[i], x.Add(slices.Values(run)))
		}
		if f.twin(k) >= 0 {
			own[i] = occurrences(patch.Whitespace, p.Hunks[k].Old(), runs)
		}
	}
	x.Build()
	out := make([]bool, len(hunks))
	for i := range hunks {
		for j, id := range ids[i] {
			n := 0
			if own[i] != nil {
				n = own[i][j]
			}
			out[i] = out[i] || id > 0 && x.Count(id) > n
		}
	}
	return out
}

// removedRuns lists the runs of lines, one of them with words, that are removed one below the other.
func removedRuns(lines []patch.Line) (out [][]string) {
	for from := 0; from < len(lines); from++ {
		to := from
		var run []string
		for ; to < len(lines) && removed(lines[to]); to++ {
			run = append(run, lines[to].Text())
		}
		if slices.ContainsFunc(lines[from:to], place.HasWords) {
			out = append(out, run)
		}
		from = to
	}
	return out
}

// hasFrame reports whether the context before and after the changes of a hunk says where they are. Blank lines say
// nothing, and brackets alone do not say enough. An end of the file counts as context. If the hunk only removes lines,
// both sides need context, and a single line within the file must have words.
func (f *finder) hasFrame(before, after []patch.Line, adds, top, bottom bool) bool {
	above, below := slices.ContainsFunc(before, place.HasWords), slices.ContainsFunc(after, place.HasWords)
	if !adds {
		return (above || below) && (above || top || len(before) > 1) && (below || bottom || len(after) > 1) &&
			slices.ContainsFunc(before, notBlank) && slices.ContainsFunc(after, notBlank)
	}
	if !top && !slices.ContainsFunc(before, notBlank) || !bottom && !slices.ContainsFunc(after, notBlank) {
		return false
	}
	return top && bottom || above || below
}

// stoodBefore reports whether the new lines of a hunk are among its old ones, so that they were there before it was
// applied. Example: removing a function up to its last bracket leaves the bracket before it. New lines at an end of the
// file must have been at that end of the old ones.
func (f *finder) stoodBefore(lines []patch.Line, top, bottom bool) bool {
	var was, is strings.Builder
	was.WriteString(text.LF)
	is.WriteString(text.LF)
	for _, l := range lines {
		line := match.Fold(f.Loosest(), l.Text()) + text.LF
		if l.Old() {
			was.WriteString(line)
		}
		if l.Mark() != '-' {
			is.WriteString(line)
		}
	}
	old, now := was.String(), is.String()
	if slices.ContainsFunc(lines, added) {
		return strings.Contains(old, now) && !(top && !strings.HasPrefix(old, now)) && !(bottom && !strings.HasSuffix(old, now))
	}
	split := func(s string) []string { all := strings.Split(s, text.LF); return all[1 : len(all)-1] }
	return stoodNearly(split(old), split(now), top, bottom)
}

// stoodNearly reports whether now, the lines that a hunk leaves which only removes some, are among its old ones, but for mistakes that
// the hunk may have in those that it removes: in one line, or one of four. A line at the end of now has to be like the old one; else
// every hunk would do that shows one line there.
func stoodNearly(old, now []string, top, bottom bool) bool {
	from, to := 0, len(old)-len(now)
	if bottom {
		from = to
	}
	if top {
		to = 0
	}
	for ; from <= to; from++ {
		wrong := 0
		for i, l := range now {
			if was := old[from+i]; was != l {
				if wrong++; (i == 0 || i == len(now)-1) && match.Similarity(was, l) < 0.6 {
					wrong = len(now)
				}
			}
			if wrong > max(1, len(now)/4) {
				break
			}
		}
		if wrong <= max(1, len(now)/4) {
			return true
		}
	}
	return false
}

// anchorsAgree reports whether the anchors of hunk k allow its outcome at line at. An anchor that only decides between
// places may be missing, since nothing had to be decided.
func (f *finder) anchorsAgree(k int, lines []patch.Line, at int) bool {
	h := &f.Hunks[k]
	if len(h.Anchors) == 0 {
		return true
	}
	if h.How == patch.Adjoin {
		return at > 0 && f.sameLine(at-1, h.Anchors[0]) || f.sameLine(at, h.Anchors[0])
	}
	if a, _ := f.Anchor(k); a.Line < 0 {
		return h.How == patch.Narrow
	}
	return f.InScope(k, at, at+newSize(lines))
}

// extends reports whether the new lines, from line at on, include the old ones, from line old on.
func (f *finder) extends(lines []patch.Line, at, old int) bool {
	olds := 0
	for _, l := range lines {
		if !l.Old() {
			continue
		}
		if old+olds >= f.File.Len() || !f.sameLine(old+olds, l.Text()) {
			return false
		}
		olds++
	}
	return olds <= newSize(lines) && f.standsAt(lines, at)
}

// standsAt reports whether the new lines of a hunk stand from line at on: context on the loosest rung, added lines to
// the byte.
func (f *finder) standsAt(lines []patch.Line, at int) bool {
	for _, l := range lines {
		if l.Mark() == '-' {
			continue
		}
		if at < 0 || at == f.File.Len() || l.Mark() == ' ' && !f.sameLine(at, l.Text()) {
			return false
		}
		have, want := f.File.Line(at), l.Text()
		if f.File.End(at) == text.CRLF {
			want = strings.TrimSuffix(want, text.CR) // the CR belongs to the line end
		}
		if l.Mark() == '+' && have != want {
			return false
		}
		at++
	}
	return true
}

// removedIsThere reports whether a line that the hunk removes stands, byte for byte, where a line of its context only nearly does.
func (f *finder) removedIsThere(lines []patch.Line, at int) bool {
	gone := map[string]bool{}
	for _, l := range lines {
		if l.Mark() == '-' {
			gone[l.Text()] = true
		}
	}
	for _, l := range lines {
		if l.Mark() == '-' {
			continue
		}
		if have := f.File.Line(at); have != l.Text() && gone[have] {
			return true
		}
		at++
	}
	return false
}

func (f *finder) sameLine(n int, line string) bool {
	return match.Same(f.Loosest(), f.File.Line(n), line)
}

// fitsEnd reports whether the outcome of hunk k may end before line n, by what the hunk says about the end of the file.
func (f *finder) fitsEnd(k, n int) bool {
	h := &f.Hunks[k]
	switch {
	case n < f.File.Len():
		return !h.AtEnd && !h.OldOpen && !h.NewOpen
	case h.OldOpen || h.NewOpen:
		return f.Rules.FinalNewline || f.File.Open() == h.NewOpen
	}
	return true
}

// newSize counts the lines that a hunk leaves.
func newSize(lines []patch.Line) int {
	n := 0
	for _, l := range lines {
		if l.Mark() != '-' {
			n++
		}
	}
	return n
}

func added(l patch.Line) bool { return l.Mark() == '+' }

func removed(l patch.Line) bool { return l.Mark() == '-' }

func notBlank(l patch.Line) bool { return strings.TrimSpace(l.Text()) != "" }

// newLines lists the lines that a hunk leaves.
func newLines(lines []patch.Line) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range lines {
			if l.Mark() != '-' && !yield(l.Text()) {
				return
			}
		}
	}
}
