package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/patch"
)

// rewrite makes the hunk that says the same with the file's own lines. It makes none if it is not certain which lines
// are removed or where the added lines belong.
func (s *search) rewrite(st *alignment) {
	shift, ok := s.shift(st)
	if !ok || !s.mostlyThere(st) {
		return
	}
	if line := s.slidesOverGap(st, shift); line != nothing {
		s.err.Hint = fmt.Sprintf("What the hunk adds or removes may stand above or below line %d of the file, because the lines around it are alike: send the lines as they are there.", line+1)
		return
	}
	w := &rewriter{s: s, st: st, at: st.from}
	for i, n := 0, 0; i < len(s.lines); i++ {
		if l := s.lines[i]; l.Old() {
			if s.unmarked && s.replacesAround(st, i, n) {
				s.explainUndecided(st, n)
				return
			}
			if at := s.replacesBesideGap(st, i, n); s.unmarked && at != nothing {
				s.explainUndecided(st, at)
				return
			}
			if !w.writeOld(n, l.Mark()) {
				return
			}
			n++
			continue
		}
		run := s.addedRun(i)
		at, ok := s.insertionPoint(st, n, run)
		if !ok {
			s.explainUndecided(st, n)
			return
		}
		if s.alreadyAdded(st, at, run) || s.unmarked && s.partlyAdded(st, n, at, run) {
			return
		}
		w.copyTo(at)
		for _, l := range run {
			text, ok := shift.Try(l.Text())
			if !ok {
				return
			}
			w.raw = append(w.raw, w.out[len(w.raw):]...)
			w.out, w.raw = append(w.out, patch.Line("+"+text)), append(w.raw, l)
		}
		i += len(run) - 1
	}
	w.copyTo(st.to)
	if why := s.unsafe(st, w.out); why != "" {
		s.err.Hint = why
		return
	}
	w.raw = append(w.raw, w.out[len(w.raw):]...)
	if !shift.Agrees(s.step, w.raw) || !shift.Fits(s.step, w.raw) || s.moved != nil && !s.moved.RunsFit(s.step, w.raw) {
		return
	}
	c := *s.hunk
	c.Lines, c.Blank, c.At = w.out, 0, 0
	s.corrected = &c
}

// replacesAround reports whether the file has lines, which the hunk leaves out, between old line n, line i of the hunk, and the one above,
// and the hunk replaces both by others. Where the author did not mark which line takes whose place, they may belong between any of those.
func (s *search) replacesAround(st *alignment, i, n int) bool {
	if n == 0 || !s.removed[n-1] || !s.removed[n] || st.image[n-1] == nothing || st.image[n] == nothing || st.image[n] == st.image[n-1]+1 {
		return false
	}
	from, to := i, i
	for from > 0 && s.lines[from-1].Mark() != ' ' {
		from--
	}
	for to < len(s.lines) && s.lines[to].Mark() != ' ' {
		to++
	}
	return slices.ContainsFunc(s.lines[from:to], func(l patch.Line) bool { return l.Mark() == '+' })
}

// replacesBesideGap returns the old line above which the file has lines that the hunk leaves out, if old line n, line i of the hunk, is the
// first or the last of a run that others replace, the gap is at that end, and what takes its place there is not like it; nothing
// otherwise. Where the author did not mark which line takes whose place, an added line may belong on the other side of the gap.
func (s *search) replacesBesideGap(st *alignment, i, n int) int {
	if !s.removed[n] {
		return nothing
	}
	from, to := i, i
	for from > 0 && s.lines[from-1].Mark() != ' ' {
		from--
	}
	for to < len(s.lines) && s.lines[to].Mark() != ' ' {
		to++
	}
	var adds []patch.Line
	for _, l := range s.lines[from:to] {
		if l.Mark() == '+' {
			adds = append(adds, l)
		}
	}
	gap := func(below int) bool { // above old line below
		return below > 0 && below < len(s.old) && st.image[below-1] != nothing && st.image[below] != nothing && st.image[below-1]+1 < st.image[below]
	}
	like := func(l patch.Line) bool {
		return match.Similarity(match.Fold(patch.Unicode, l.Text()), s.keys[n]) >= 0.5
	}
	switch {
	case len(adds) == 0:
	case (n == 0 || !s.removed[n-1]) && gap(n) && !like(adds[0]):
		return n
	case (n+1 == len(s.old) || !s.removed[n+1]) && gap(n+1) && !like(adds[len(adds)-1]):
		return n + 1
	}
	return nothing
}

// slidesOverGap returns the line of the file at which it matters which of several lines, alike, are the ones that a hunk without marks adds
// or removes; nothing if it matters nowhere. A run that is changed may as well stand one line further up if the line above it is its
// last one, and further down likewise. Of all lines that it may pass, and those at the ends, the file must have one below the other, as
// the hunk writes them: a line in between would come to stand on one side of the run or the other.
func (s *search) slidesOverGap(st *alignment, shift indent.Shift) int {
	if !s.unmarked {
		return nothing
	}
	for from, old := 0, 0; from < len(s.lines); { // old: the old lines above line from
		if s.lines[from].Mark() == ' ' {
			from, old = from+1, old+1
			continue
		}
		to, next := from, old
		for ; to < len(s.lines) && s.lines[to].Mark() != ' '; to++ {
			if s.lines[to].Old() {
				next++
			}
		}
		for _, mark := range []byte{'-', '+'} {
			var run []string
			for _, l := range s.lines[from:to] {
				if l.Mark() == mark {
					run = append(run, l.Text())
				}
			}
			up, down := slides(run, s.lines[:from], s.lines[to:])
			if up+down == 0 {
				continue
			}
			if line := s.firstGap(st, max(0, old-up-1), min(len(s.old), next+down+1), shift); line != nothing {
				return line
			}
		}
		from, old = to, next
	}
	return nothing
}

// slides returns how many lines of context above and below a run it can be moved over, so that the lines stay the same.
func slides(run []string, above, below []patch.Line) (up, down int) {
	if len(run) == 0 {
		return 0, 0
	}
	for n := len(run); up < len(above); up++ {
		l := above[len(above)-1-up]
		last := n - 1 - up%n
		if l.Mark() != ' ' || l.Text() != run[last] {
			break
		}
	}
	for ; down < len(below); down++ {
		if l := below[down]; l.Mark() != ' ' || l.Text() != run[down%len(run)] {
			break
		}
	}
	return up, down
}

// firstGap returns the first line of the file that is not as the old lines from up to to say: one that they leave out, or write otherwise.
func (s *search) firstGap(st *alignment, from, to int, shift indent.Shift) int {
	last := nothing
	for i := from; i < to; i++ {
		n := st.image[i]
		switch {
		case n == nothing && last == nothing:
			return st.from
		case n == nothing, last != nothing && n != last+1:
			return last + 1
		}
		if text, ok := shift.Try(s.old[i]); !ok || text != s.file.Line(n) {
			return n
		}
		last = n
	}
	return nothing
}

// mostlyThere reports whether at most one line of the hunk, or one in four, is missing from the file or another one
// there. Where the lines that it removes are here and nowhere else, context that is nowhere does not count: it says nothing
// about the place.
func (s *search) mostlyThere(st *alignment) bool {
	filled, other, removed, sure := 0, 0, true, false
	for i, key := range s.keys {
		if key == "" || s.omitted(i) {
			continue
		}
		if filled++; s.isThere(st, i) {
			sure = sure || s.removed[i] && s.unique[st.image[i]] && weight(key) == 1
			continue
		}
		if removed = removed && !s.removed[i]; s.similarity(st, i) < alike && len(s.stands[key]) > 0 {
			sure, removed = false, false // it is somewhere else
		}
		if s.similarity(st, i) < alike {
			other++
		}
	}
	return removed && sure || other <= max(1, filled/4)
}

// alike is how similar two lines are of which one is the other with a mistake in it.
const alike = 0.75

// similarity returns how similar old line i is to the line of the file for which it stands.
func (s *search) similarity(st *alignment, i int) float64 {
	if n := st.image[i]; n != nothing {
		return match.Similarity(match.Fold(patch.Unicode, s.file.Line(n)), s.keys[i])
	}
	return 0
}

// rewriter writes a hunk anew. It has written the hunk up to line at of the file.
type rewriter struct {
	s   *search
	st  *alignment
	at  int
	out []patch.Line
	raw []patch.Line // out, with the added lines as the hunk has them
}

// copyTo writes the lines of the file up to line to as context.
func (w *rewriter) copyTo(to int) {
	for ; w.at < to; w.at++ {
		w.out = append(w.out, patch.Line(" "+w.s.file.Line(w.at)))
	}
}

// writeOld writes old line i as it is in the file. It fails if that would remove another line than the one meant, or
// none.
func (w *rewriter) writeOld(i int, mark byte) bool {
	n := w.st.image[i]
	if mark == '-' && !w.s.certainlyRemoves(w.st, i) {
		return false
	}
	if n != nothing {
		w.copyTo(n)
		w.out = append(w.out, patch.Line(string(mark)+w.s.file.Line(n)))
		w.at = n + 1
	}
	return true
}

// besideLike reports whether the line that equals removed line i is away from one that the hunk has beside it, and a line like it is there
// instead: the hunk may have a mistake in line i.
func (s *search) besideLike(st *alignment, i int) bool {
	for _, next := range []int{i - 1, i + 1} {
		if next < 0 || next >= len(s.old) || !s.isThere(st, next) {
			continue
		}
		at := st.image[next] + i - next
		if at >= 0 && at < s.file.Len() && at != st.image[i] && match.Similarity(match.Fold(patch.Unicode, s.file.Line(at)), s.keys[i]) >= alike {
			return true
		}
	}
	return false
}

// besideMissing reports whether removed line i is one of several equal lines, and one of them that is to stay is not there. Then the removed
// one may be gone, and the line that is there the one to stay.
func (s *search) besideMissing(st *alignment, i int) bool {
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(s.old) && s.keys[j] == s.keys[i]; j += step {
			if !s.removed[j] && st.image[j] == nothing {
				return true
			}
		}
	}
	return false
}

// certainlyRemoves reports whether the line that stands for removed line i is surely the one meant: it is equal, and no line like it stands
// where the hunk has it; or it is similar, stands directly between the lines that the hunk has around it, nothing else differs by more than a mistake, and the hunk does
// not add it.
func (s *search) certainlyRemoves(st *alignment, i int) bool {
	n := st.image[i]
	if n == nothing || !st.certain[i] || s.besideMissing(st, i) {
		return false
	}
	if s.isThere(st, i) {
		return !s.besideLike(st, i)
	}
	for _, next := range []int{i - 1, i + 1} {
		if next >= 0 && next < len(s.old) && !s.omitted(next) && st.image[next] != n+next-i {
			return false
		}
	}
	least := 0.6
	for j := range s.old {
		if j != i && !s.isThere(st, j) {
			if least = alike; s.similarity(st, j) < alike {
				return false
			}
		}
	}
	have := match.Fold(patch.Unicode, s.file.Line(n))
	return s.similarity(st, i) >= least && !slices.ContainsFunc(s.lines, func(l patch.Line) bool {
		return l.Mark() == '+' && match.Fold(patch.Unicode, l.Text()) == have
	})
}

// isThere reports whether old line i is in the file, apart from white space and typography.
func (s *search) isThere(st *alignment, i int) bool {
	n := st.image[i]
	return n != nothing && match.Fold(patch.Unicode, s.file.Line(n)) == s.keys[i]
}

// addedRun returns the run of added lines that begins with line i of the hunk.
func (s *search) addedRun(i int) []patch.Line {
	n := i
	for n < len(s.lines) && !s.lines[n].Old() {
		n++
	}
	return s.lines[i:n]
}

// alreadyAdded reports whether the lines of run stand above or below line n of the file already and the hunk does not
// show them. Then the hunk may be applied.
func (s *search) alreadyAdded(st *alignment, n int, run []patch.Line) bool {
	return s.standsUnshown(st, n, run) || s.standsUnshown(st, n-len(run), run)
}

// partlyAdded reports whether the first lines of run, which goes before line at of the file and takes the place of the old lines above old
// line n, stand above these already, or its last ones below, and the hunk does not show them. Without marks a run is whatever the two
// sides do not have in common, and a part of it may be applied.
func (s *search) partlyAdded(st *alignment, n, at int, run []patch.Line) bool {
	top := at
	for n > 0 && s.removed[n-1] && st.image[n-1] != nothing {
		n--
		top = st.image[n]
	}
	for k := 1; k < len(run); k++ {
		if s.standsUnshown(st, top-k, run[:k]) || s.standsUnshown(st, at, run[len(run)-k:]) {
			return true
		}
	}
	return false
}

// standsUnshown reports whether the lines of run stand in the file from line n on and the hunk does not show all of
// them.
func (s *search) standsUnshown(st *alignment, n int, run []patch.Line) bool {
	if n < 0 || n+len(run) > s.file.Len() {
		return false
	}
	said, shown := false, true
	for i, l := range run {
		key := match.Fold(patch.Unicode, l.Text())
		if match.Fold(patch.Unicode, s.file.Line(n+i)) != key {
			return false
		}
		said, shown = said || weight(key) == 1, shown && slices.Contains(st.image, n+i)
	}
	return said && !shown
}

// insertionPoint returns the line of the file before which run goes, which the hunk has before old line i. It fails if
// the file has lines there that the hunk leaves out and nothing says on which side of them run belongs.
func (s *search) insertionPoint(st *alignment, i int, run []patch.Line) (int, bool) {
	up, direct := s.neighbour(st, i-1, -1)
	down, below := s.neighbour(st, i, 1)
	switch {
	case up == nothing && down == nothing, !s.standsBeside(st, i-1, -1) && !s.standsBeside(st, i, 1):
		return 0, false
	case down == nothing && s.holdsNext(st, up, 1), up == nothing && s.holdsNext(st, down, -1):
		return 0, false
	case up == nothing:
		return st.image[down], below && st.certain[down] && (s.removed[down] || !s.says(0, i))
	case down == nothing:
		return st.image[up] + 1, direct && st.certain[up] && (s.removed[up] || !s.says(i, len(s.old)))
	case st.image[up]+1 == st.image[down]:
		return st.image[down], st.certain[up] && st.certain[down]
	case direct && st.certain[up] && s.replaces(up, run):
		return st.image[up] + 1, true
	}
	return s.besideBlank(st.image[up]+1, st.image[down], run,
		direct && below && st.certain[up] && st.certain[down] && !s.removed[up] && !s.removed[down])
}

// holdsNext reports whether old line i holds the line of the file for which it stands and the next one in direction step, too: two lines
// were joined, and what is added beside them goes beside the other one.
func (s *search) holdsNext(st *alignment, i, step int) bool {
	bare := func(line string) string { return strings.Join(strings.Fields(match.Fold(patch.Unicode, line)), "") }
	next := st.image[i] + step
	if next < 0 || next >= s.file.Len() || s.blank(next) {
		return false
	}
	have, more := bare(s.file.Line(st.image[i])), bare(s.file.Line(next))
	if step > 0 {
		return strings.HasPrefix(bare(s.old[i]), have+more)
	}
	return strings.HasSuffix(bare(s.old[i]), more+have)
}

// standsBeside reports whether the file has a line with words, as the hunk has it but for a mistake, on one side of the place between two
// old lines: i is the old line next to that place, and step leads away from it. Lines without words in between have to be there too,
// one directly after the other. A line that stands for one that the file does not have proves nothing about what is beside it.
func (s *search) standsBeside(st *alignment, i, step int) bool {
	for last := nothing; i >= 0 && i < len(s.old) && !s.omitted(i); i += step {
		n := st.image[i]
		if n == nothing || last != nothing && n != last+step {
			return false
		}
		if weight(s.keys[i]) == 1 {
			return s.similarity(st, i) >= alike
		}
		if !s.isThere(st, i) {
			return false
		}
		last = n
	}
	return false
}

// says reports whether one of the old lines from up to to is not blank. If none of them is in the file, a side of what they surround
// is missing.
func (s *search) says(from, to int) bool {
	return slices.ContainsFunc(s.keys[from:to], func(key string) bool { return key != "" })
}

// explainUndecided says which lines of the file, left out by the hunk, leave it open where the lines go that it adds
// before old line i.
func (s *search) explainUndecided(st *alignment, i int) {
	up, _ := s.neighbour(st, i-1, -1)
	down, _ := s.neighbour(st, i, 1)
	if up == nothing || down == nothing || st.image[up]+1 >= st.image[down] {
		return
	}
	left := fail.Place{First: st.image[up] + 2, Last: st.image[down]}
	what := "which the hunk leaves out"
	if left.First == left.Last && s.blank(left.First-1) {
		what = "which is blank and which the hunk leaves out"
	}
	s.err.Hint = fmt.Sprintf("The hunk adds lines above or below %s of the file, %s: write that as context, on the side where it is to be.", lineRange(left), what)
}

// neighbour returns the next old line from i on, in the given direction, that is in the file, and whether it is line i
// itself. There is none if an ellipsis comes first.
func (s *search) neighbour(st *alignment, i, step int) (at int, direct bool) {
	for n := i; n >= 0 && n < len(s.old) && !s.omitted(n); n += step {
		if st.image[n] != nothing {
			return n, n == i
		}
	}
	return nothing, false
}

// replaces reports whether run surely replaces the removed lines that end with old line i: both begin and end alike, and
// not with blank lines.
func (s *search) replaces(i int, run []patch.Line) bool {
	if !s.removed[i] || s.removed[i+1] {
		return false
	}
	first := i
	for first > 0 && s.removed[first-1] {
		first--
	}
	head, tail := match.Fold(patch.Unicode, run[0].Text()), match.Fold(patch.Unicode, run[len(run)-1].Text())
	if head == "" || tail == "" || s.keys[first] == "" || s.keys[i] == "" {
		return false
	}
	return match.Similarity(head, s.keys[first]) >= 0.5 && match.Similarity(tail, s.keys[i]) >= 0.5
}

// besideBlank returns on which side of lines from up to to run goes, which are lines that the hunk leaves out. They must
// be blank, and run one line with as many blank lines above or below it: the blank lines then match those on that side.
// With several added lines the blank ones may have been between them, so it fails.
func (s *search) besideBlank(from, to int, run []patch.Line, sure bool) (int, bool) {
	for n := from; n < to; n++ {
		sure = sure && s.blank(n)
	}
	empty := func(l patch.Line) bool { return strings.TrimSpace(l.Text()) == "" }
	heads, tails := 0, 0
	for heads < len(run) && empty(run[heads]) {
		heads++
	}
	for tails < len(run) && empty(run[len(run)-1-tails]) {
		tails++
	}
	switch {
	case !sure, len(run) != to-from+1:
	case heads == to-from && tails == 0:
		return from, true
	case tails == to-from && heads == 0:
		return to, true
	}
	return 0, false
}
