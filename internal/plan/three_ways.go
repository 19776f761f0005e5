package plan

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

const (
	maxMerged  = 4 << 20 // bytes of a file that is merged, and of a version that it is merged from
	maxLookups = 50      // sections of a patch for which versions are looked for
)

// threeWays is a version of a file in which every hunk of a section has its place, and what became of it on both sides.
type threeWays struct {
	seen      Version
	base, now *text.Lines
	patched   *text.Lines // the version with the hunks applied
	toNow     []text.Change
	toPatched []text.Change
	placed    []HunkPlace // the hunks in the version
	made      string      // the version with the hunks applied, as it is written
	after     string      // the file as it is now with the hunks merged into it
	final     bool        // the hunks remove lines that changed since, or are applied already: nothing else can help
}

// versions yields the versions of f on record, or those with a hash. It yields none if section s must not be merged.
func (b *builder) versions(s *patch.Section, f File, sum string) iter.Seq[Version] {
	if !b.rules.Corrects || b.attempt || len(s.Hunks) == 0 || f.Size > maxMerged || b.lookups == maxLookups {
		return func(func(Version) bool) {}
	}
	b.lookups++
	return b.src.Versions(b.ctx, f, sum)
}

// versionSeen returns the version of f with the hash that the caller expects of section s, nil if it is not on record.
func (b *builder) versionSeen(s *patch.Section, f File, want string) *Version {
	if want == "" {
		return nil
	}
	for v := range b.versions(s, f, want) {
		return &v
	}
	return nil
}

// mergeSeen places the hunks of section s in the version that the caller expects, and merges their changes into the file.
func (b *builder) mergeSeen(s *patch.Section, step *Step) error {
	refused := changedSince(s.Path, step.seen.Sha256, step.BeforeSum)
	if b.hunksApplied(s, step.Before) {
		return refused
	}
	w := b.placeIn(*step.seen, s, step)
	if w == nil {
		refused.Hint = "The hunks have no place in the version with that hash either. " + refused.Hint
		return refused
	}
	if err := b.merge(w, s, step); err != nil {
		return err
	}
	b.takeMerged(w, step)
	return nil
}

// mergeEarlier merges section s, whose hunks have no place in their file for the reasons refused, from the versions on record in
// which they have. It reports false if there is none, or if they do not all merge to one text; then the refusal stands. The error
// is for hunks that remove lines which changed since, or that are applied already. Whatever the reasons are, the hunks are applied if
// the file is, byte for byte, what they make of a version; and if it is what a part of their changes makes of it, and no hunk has
// several places, the others are made.
func (b *builder) mergeEarlier(s *patch.Section, step *Step, refused error) (ok bool, err error) {
	_, written := b.state[step.Source.Place]
	_, hashed := b.opts.Expect[s.Path]
	if written || hashed {
		return false, nil
	}
	nowhere := allNowhere(refused)
	ambiguous := slices.ContainsFunc(fail.All(refused), func(e *fail.Error) bool { return e.Kind == fail.MultipleMatches })
	var first *threeWays
	for v := range b.versions(s, step.Source, "") {
		w := b.placeIn(v, s, step)
		switch {
		case w == nil:
			continue
		case w.made == step.Before:
			if err := b.madeAlready(w, step); err != nil {
				return false, err
			}
			b.takeMerged(w, step)
			return true, nil
		case !ambiguous && w.partlyMade():
			w.after = w.made
			b.takeMerged(w, step)
			return true, nil
		case !nowhere:
			continue
		}
		switch err := b.merge(w, s, step); {
		case w.final:
			return false, err
		case err != nil:
			return false, nil
		case first == nil:
			first = w
		case w.after != first.after:
			return false, nil
		}
	}
	if first == nil {
		return false, nil
	}
	b.takeMerged(first, step)
	return true, nil
}

// placeIn places the hunks of s in a version, byte for byte. It returns nil if one of them has no place there, or several.
func (b *builder) placeIn(v Version, s *patch.Section, step *Step) *threeWays {
	if len(v.Data) > maxMerged || text.Binary(v.Data) {
		return nil
	}
	rules := b.rules
	rules.Ladder = []patch.Rung{patch.Exact}
	w := &threeWays{seen: v, base: text.Split(v.Data), now: text.Split(step.Before)}
	p := place.Find(w.base, s.Hunks, rules, true)
	out, err := settle(p, repeat.Ignore, nil)
	if err != nil || out.After == v.Data {
		return nil
	}
	w.made, w.patched, w.placed = out.After, text.Split(out.After), p.HunkPlaces()
	w.toNow, w.toPatched = text.Between(v.Data, step.Before), text.Between(v.Data, out.After)
	return w
}

// merge merges the changes of the hunks into the file as it is now. It refuses a change that meets one of the file, one whose place
// is not certain, and what may be there already.
func (b *builder) merge(w *threeWays, s *patch.Section, step *Step) error {
	if err := b.rival(w, s, step); err != nil {
		return err
	}
	after, conflict := text.Merge(w.base, w.now, w.patched, w.toNow, w.toPatched)
	if conflict != nil {
		w.final = max(conflict.Ours.A0, conflict.Theirs.A0) < min(conflict.Ours.A1, conflict.Theirs.A1)
		return w.conflict(step, conflict)
	}
	if c, why := w.doubt(); why != "" {
		return w.refuse(step, w.hunkAt(c), "the file changed since the version that this hunk fits, and "+why)
	}
	if w.after = after; after == step.Before {
		return b.madeAlready(w, step)
	}
	return nil
}

// partlyMade reports whether the file is, byte for byte, the version with some of the changes of the hunks, and no others.
func (w *threeWays) partlyMade() bool {
	const most = 16 // ways to read the lines so far
	now := w.now.Raw(0, w.now.Len())
	at, line := []int{0}, 0
	for _, c := range w.toPatched {
		gap := w.base.Raw(line, c.A0)
		line = c.A1
		var next []int
		for _, n := range at {
			if !strings.HasPrefix(now[n:], gap) {
				continue
			}
			n += len(gap)
			for _, lines := range []string{w.base.Raw(c.A0, c.A1), w.patched.Raw(c.B0, c.B1)} {
				if strings.HasPrefix(now[n:], lines) && !slices.Contains(next, n+len(lines)) && len(next) < most {
					next = append(next, n+len(lines))
				}
			}
		}
		at = next
	}
	rest := w.base.Raw(line, w.base.Len())
	return w.now.HasBOM() == w.patched.HasBOM() && slices.ContainsFunc(at, func(n int) bool { return now[n:] == rest })
}

// madeAlready refuses hunks whose changes the file has, unless they are to be skipped.
func (b *builder) madeAlready(w *threeWays, step *Step) error {
	w.after = step.Before
	if b.opts.Idempotent {
		return nil
	}
	w.final = true
	e := w.refuse(step, 0, "the file changed since it was read, and has what the hunks change")
	e.Already = true
	return e
}

// rival refuses a hunk that has several places in the file as it is now, or one that is not where the version has it. A version that
// was read removes no place: an agent may mean what it read by other means.
func (b *builder) rival(w *threeWays, s *patch.Section, step *Step) error {
	p := place.Find(w.now, s.Hunks, b.rules, true)
	if err := p.Limit(); err != nil {
		return err
	}
	for k, have := range p.HunkPlaces() {
		switch e := have.Err; {
		case e != nil && e.Kind == fail.MultipleMatches:
			tellApart(p, fail.List{e})
			return e
		case e == nil && w.elsewhere(&w.placed[k], &have):
			return w.refuse(step, k+1, fmt.Sprintf("the file changed since it was read, and the lines of this hunk are elsewhere in it now, at line %d", have.At.Line))
		}
	}
	return nil
}

// elsewhere reports whether a hunk is not at the lines of the file that were at its place in the version.
func (w *threeWays) elsewhere(then, now *HunkPlace) bool {
	if len(then.Lines) == 0 || len(now.Lines) != len(then.Lines) {
		at, ok := w.lineNow(then.At.Line - 1)
		return !ok || at != now.At.Line-1
	}
	for i, n := range then.Lines {
		if n == 0 || now.Lines[i] == 0 {
			continue
		}
		if at, ok := w.lineNow(n - 1); ok && at != now.Lines[i]-1 {
			return true
		}
	}
	return false
}

// lineNow returns which line of the file line n of the version is now. It reports false for one that changed, for which it returns
// where the change is.
func (w *threeWays) lineNow(n int) (int, bool) {
	i := w.changesUpTo(n)
	switch {
	case i < len(w.toNow) && w.toNow[i].A0 <= n && n < w.toNow[i].A1:
		return w.toNow[i].B0, false
	case i == 0:
		return n, true
	}
	return n + w.toNow[i-1].B1 - w.toNow[i-1].A1, true
}

// changesUpTo counts the changes since the version that end at or before its line n.
func (w *threeWays) changesUpTo(n int) int {
	return sort.Search(len(w.toNow), func(i int) bool { return w.toNow[i].A1 > n })
}

// doubt says why a change of the hunks cannot be merged; "" if all can.
//
// Where the lines around a change are now has to be certain: the run of lines that did not change around it reaches to the
// beginning or the end of the file, or has a line that both texts have once. And what the change adds must not have come to the
// file otherwise: the change may have been made already, and moved since.
func (w *threeWays) doubt() (c text.Change, why string) {
	counts := countLines(w.base, w.now)
	from, to, fixed := -1, -1, false
	for _, c := range w.toPatched {
		i := w.changesUpTo(c.A0)
		above, below := 0, w.base.Len()
		if i > 0 {
			above = w.toNow[i-1].A1
		}
		both := i < len(w.toNow) && w.toNow[i].A0 == c.A0 && w.toNow[i].A1 == c.A1
		if both {
			i++
		}
		if i < len(w.toNow) {
			below = w.toNow[i].A0
		}
		if above != from || below != to || both {
			from, to = above, below
			fixed = from == 0 || to == w.base.Len() || w.hasAnchor(from, c.A0, counts) || w.hasAnchor(c.A1, to, counts) || !both && w.hasAnchor(c.A0, c.A1, counts)
		}
		switch {
		case !fixed:
			return c, "nothing tells for sure where the lines around it are now"
		case !both && w.cameOtherwise(c, counts):
			return c, "the file has got the lines that it adds"
		}
	}
	return text.Change{}, ""
}

// hasAnchor reports whether one of the lines from up to to of the version is once in it and once in the file.
func (w *threeWays) hasAnchor(from, to int, counts map[string][2]int) bool {
	for i := from; i < to; i++ {
		if counts[w.base.Raw(i, i+1)] == [2]int{1, 1} {
			return true
		}
	}
	return false
}

// cameOtherwise reports whether the file has each line with words that a change adds more often than the version has.
func (w *threeWays) cameOtherwise(c text.Change, counts map[string][2]int) bool {
	all := false
	for i := c.B0; i < c.B1; i++ {
		if l := w.patched.Raw(i, i+1); place.TextHasWords(l) {
			n := counts[l]
			if all = n[1] > n[0]; !all {
				return false
			}
		}
	}
	return all
}

// countLines counts the lines with words of two texts, by how often each has it.
func countLines(a, b *text.Lines) map[string][2]int {
	out := make(map[string][2]int, a.Len())
	for side, lines := range []*text.Lines{a, b} {
		for i := range lines.Len() {
			if l := lines.Raw(i, i+1); place.TextHasWords(l) {
				n := out[l]
				n[side]++
				out[l] = n
			}
		}
	}
	return out
}

// takeMerged makes the step that of the merged text.
func (b *builder) takeMerged(w *threeWays, step *Step) {
	step.After, step.AfterSum, step.Bytes = w.after, text.Sum(w.after), nil
	step.Edits = text.Between(step.Before, w.after)
	since := w.since()
	step.Hunks = nil
	for k := range w.placed {
		h := &w.placed[k]
		at, _ := w.lineNow(h.At.Line - 1)
		h.At = Placed{Line: at + 1, Rung: patch.Merged, Merged: since, Skipped: w.after == step.Before}
		for i, n := range h.Lines {
			if h.Lines[i] = 0; n > 0 {
				if at, ok := w.lineNow(n - 1); ok {
					h.Lines[i] = at + 1
				}
			}
		}
		step.Hunks = append(step.Hunks, h.At)
	}
	if b.survey != nil {
		b.survey.file, b.survey.hunks = w.now, w.placed
	}
}

// since says which version the hunks fit, and what changed in the file since.
func (w *threeWays) since() string {
	var changed []string
	for _, c := range w.toNow {
		changed = append(changed, changedLines(c))
	}
	return fmt.Sprintf("it fits the version %s; since then %s", shortSum(w.seen.Sha256), firstOf(changed))
}

func changedLines(c text.Change) string {
	switch c.B1 - c.B0 {
	case 0:
		return fmt.Sprintf("%s removed before line %d", refusal.Count(c.A1-c.A0, "line"), c.B0+1)
	case 1:
		return fmt.Sprintf("line %d changed", c.B0+1)
	}
	return fmt.Sprintf("lines %d-%d changed", c.B0+1, c.B1)
}

// shortSum returns as much of a sha256 as tells versions apart.
func shortSum(sum string) string { return sum[:min(len(sum), 12)] }

// hunkAt returns the number of the hunk that makes a change of the version, from 1; 0 if that is not clear.
func (w *threeWays) hunkAt(c text.Change) int {
	for k := range w.placed {
		h := &w.placed[k]
		first := h.At.Line - 1
		if first <= c.A0 && c.A0 <= first+len(h.Hunk.Old()) {
			return k + 1
		}
	}
	return 0
}

// refuse refuses hunk number hunk because the file is not the version that it fits; 0 stands for no one hunk.
func (w *threeWays) refuse(step *Step, hunk int, msg string) *fail.Error {
	e := stale("", w.seen.Sha256, step.BeforeSum, msg)
	e.Hunk = hunk
	return e
}

// conflict shows what the version has, what the file has now, and what the hunks make of it.
func (w *threeWays) conflict(step *Step, c *text.Conflict) *fail.Error {
	e := w.refuse(step, w.hunkAt(c.Theirs), fmt.Sprintf("conflict: this changes lines that changed since the version %s, which it fits", shortSum(w.seen.Sha256)))
	from, to := c.Ours.B0, c.Ours.B1
	if from == to {
		from, to = max(0, from-1), min(w.now.Len(), to+1)
	}
	e.Line = from + 1
	e.Nearest = refusal.Nearest(w.now, from, min(to, from+maxShownLines))
	for i := c.Ours.B0; i < min(c.Ours.B1, c.Ours.B0+maxShownLines); i++ {
		e.Nearest.Differs = append(e.Nearest.Differs, fmt.Sprintf("line %d: a changed line: the file has %s", i+1, fail.Quote(w.now.Line(i))))
	}
	e.Nearest.Differs = append(e.Nearest.Differs, "the version had "+quoteLines(w.base, c.Ours.A0, c.Ours.A1), "the hunk makes "+quoteLines(w.patched, c.Theirs.B0, c.Theirs.B1)+" of "+quoteLines(w.base, c.Theirs.A0, c.Theirs.A1))
	e.Hint = "Look at these lines as they are now, and send a hunk for them."
	return e
}

// noteConflict notes a conflict at its hunk.
func (b *builder) noteConflict(err error) {
	e, ok := errors.AsType[*fail.Error](err)
	if ok && e.Kind == fail.Stale && 0 < e.Hunk && e.Hunk <= len(b.survey.hunks) {
		b.survey.hunks[e.Hunk-1].Err = e
	}
}

// maxShownLines bounds the lines that a conflict shows of each side.
const maxShownLines = 6

// quoteLines quotes lines i up to j.
func quoteLines(l *text.Lines, i, j int) string {
	if i == j {
		return "nothing"
	}
	var out []string
	for n := i; n < min(j, i+maxShownLines); n++ {
		out = append(out, fail.Quote(l.Line(n)))
	}
	if j > i+maxShownLines {
		out = append(out, fmt.Sprintf("and %s more", refusal.Count(j-i-maxShownLines, "line")))
	}
	return strings.Join(out, ", ")
}
