// Package repeat finds out whether hunks are already applied: whether the text that a hunk would leave is in the file, and
// stands there because the hunk was applied before.
//
// It works on a finished [place.Placement], for the hunks that have no place. It does not look at whole sections, which
// may be applied without any hunk.
package repeat

import (
	"fmt"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/refusal"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Find finds the hunks of p whose outcome is in the file, and skips them or says it in their refusal. It reports whether
// all hunks are applied.
//
// It costs nothing where every hunk has its place, unless mode is SkipEdges. Otherwise it reads the file once more, or
// twice when very many hunks are applied.
func Find(p *place.Placement, mode Mode) (all bool) {
	f := finder{Placement: p}
	open, ok := f.candidates(mode)
	if !ok {
		return false
	}
	f.found = make([]outcome, len(p.Spots))
	if len(open) > 0 && !f.lookFor(open) {
		return false
	}
	f.doubt()
	f.doubtRemovals(mode)
	f.foundWhilePlacing(mode)
	if mode < Skip {
		f.doubtWordless()
	}
	if mode == SkipEdges || mode == Tell {
		f.findAtEdges()
	}
	f.all = !slices.ContainsFunc(f.found, func(o outcome) bool { return o.proof == None }) &&
		(!slices.ContainsFunc(f.found, func(o outcome) bool { return o.lone }) || slices.ContainsFunc(f.found, func(o outcome) bool { return o.proof == Strong || o.anchored }))
	if !f.consistent() {
		return false
	}
	for k := range f.found {
		if f.counts(f.found[k]) {
			f.markApplied(k, mode)
		}
	}
	return f.all
}

// counts reports whether o shows that its hunk is applied.
func (f *finder) counts(o outcome) bool { return o.proof == Strong || o.proof == Weak && f.all }

// candidates lists the hunks that have no place and may be applied, and reports whether it is worth looking.
func (f *finder) candidates(mode Mode) (open []candidate, ok bool) {
	failed := 0
	for k := range f.Spots {
		e := f.Spots[k].Err
		if e == nil {
			continue
		}
		failed++
		s := &f.Spots[k]
		switch nowhere := s.OffAnchor || f.WasNowhere(k); {
		case mode == Ignore:
		case s.Doubles || f.twin(k) >= 0:
			ok = true
		case !s.OffAnchor && e.Reason != fail.ContextNotFound:
		case f.possible(k, nowhere):
			open = append(open, candidate{k, nowhere})
		}
	}
	return open, ok || len(open) > 0 || mode == SkipEdges && failed == 0
}

// lookFor finds the outcomes of the candidates, a few of them first: mostly either none is applied or all are. It
// reports whether any is.
func (f *finder) lookFor(open []candidate) bool {
	f.Stop()
	few := open[:min(len(open), refusal.MaxExplained)]
	f.FindAnchors(func(k int) bool { return f.Spots[k].Err != nil })
	f.findOutcomes(few)
	if !slices.ContainsFunc(few, func(c candidate) bool { return f.found[c.hunk].proof != None }) {
		return false
	}
	rest := open[len(few):]
	for k := range f.Spots {
		if f.Spots[k].Applied {
			rest = append(rest, candidate{hunk: k})
		}
	}
	f.findOutcomes(rest)
	return true
}

// foundWhilePlacing takes over what placing the hunks found out: which of them double what is there, and which are the same
// as an earlier hunk, which took the place.
//
// What doubles may be meant to. It is skipped if that was asked for, but not with Skip: then the file is as it was when the patch was
// written. Otherwise it counts as applied only beside a hunk that is. A hunk that has something left to remove never does.
func (f *finder) foundWhilePlacing(mode Mode) {
	proved := slices.ContainsFunc(f.found, func(o outcome) bool { return o.proof == Strong })
	for k := range f.Spots {
		s := &f.Spots[k]
		if s.Err == nil {
			continue
		}
		n := max(f.twin(k), s.Twin-1)
		switch {
		case n >= 0 && f.HadOnePlace(n):
			from, to := f.Spots[n].Start, f.Spots[n].Stop
			f.found[k] = outcome{proof: Strong, from: from, to: to, changed: [2]int{to, to}, twin: n + 1}
		case n >= 0 || !s.Doubles || mode == Skip || mode == Tell && !proved || slices.ContainsFunc(f.Hunks[k].Lines, removed):
		default:
			from, to := f.Double(k)
			f.found[k] = outcome{proof: Strong, from: from, to: to, changed: [2]int{from, to}}
			if mode == Tell {
				f.found[k].proof = Weak
			}
		}
	}
}

// twin returns an earlier hunk that has its place, the only one in the file, and says the same as hunk k, which has none; -1 if
// there is none. Of several places the two may mean different ones.
func (f *finder) twin(k int) int {
	if e := f.Spots[k].Err; e == nil || e.Kind == fail.MultipleMatches || f.Rules.Place != dialect.Ordered {
		return -1
	}
	if f.first == nil {
		f.first = map[string]int{}
		for k := range f.Hunks {
			if f.Spots[k].Applied && f.HadOnePlace(k) {
				key := place.Key(&f.Hunks[k])
				if _, known := f.first[key]; !known {
					f.first[key] = k
				}
			}
		}
	}
	if n, ok := f.first[place.Key(&f.Hunks[k])]; ok && n < k {
		return n
	}
	return -1
}

// findAtEdges finds the hunks that have their place although their outcome is there already.
func (f *finder) findAtEdges() {
	for k := range f.found {
		if f.Spots[k].Applied {
			o := f.outcomeAtEdge(k)
			o.elsewhere = f.found[k].elsewhere
			f.found[k] = o
		}
	}
}

// markApplied skips hunk k or says in its refusal that it is applied.
func (f *finder) markApplied(k int, mode Mode) {
	s, o := &f.Spots[k], &f.found[k]
	if mode >= Skip {
		f.Skip(k, o.from, o.to)
		return
	}
	if s.Err == nil { // it has its place: without the others it would be applied twice
		f.Unplace(k)
		s.Err.Msg = "what it adds is there already"
	}
	if o.twin > 0 {
		s.Err.Msg = fmt.Sprintf("it is the same as hunk %d", o.twin)
		s.Err.Hint = "Leave one of the two out‹idempotent:, or send the patch with {}, which skips it›."
		s.Err.Already = true
		return
	}
	if s.OffAnchor {
		f.Unplace(k)
		s.Err.Msg = fmt.Sprintf("what it changes stands below its anchor %s already", fail.Quote(f.Hunks[k].Anchors[len(f.Hunks[k].Anchors)-1]))
	}
	s.Err.Already, s.Err.Line = true, o.from+1
	s.Err.Nearest = Nearest(f.File, o.from, o.to)
	if lines := f.Hunks[k].Lines; !slices.ContainsFunc(lines, added) {
		s.Err.Nearest.Differs = missingLines(lines)
	}
	s.Err.Hint = "Leave this hunk out‹idempotent:, or send the patch with {}, which skips it›."
	if s.Doubles {
		s.Err.Hint += " If it is to be there twice, write the lines that are there as context, too."
	}
}

// missingLines says of the lines that a hunk removes that they are not there.
func missingLines(lines []patch.Line) (out []string) {
	for _, l := range lines {
		if l.Mark() == '-' {
			out = append(out, fmt.Sprintf("the hunk's line %s is not there", fail.Quote(l.Text())))
		}
	}
	return out
}

// Nearest shows lines from up to to of the file as the outcome of a hunk.
func Nearest(file *text.Lines, from, to int) *fail.Nearest {
	return refusal.Nearest(file, from, to, fmt.Sprintf("these + lines are already there (lines %d-%d)", from+1, to))
}

// consistent reports whether the applied hunks stand in the order of the patch, and no change, made or to be made,
// reaches into another. If something is still to be changed, no hunk with a place may have its outcome elsewhere as
// well: it may have been applied there, and what stands in its place may be what another hunk wrote.
func (f *finder) consistent() bool {
	if !f.all && slices.ContainsFunc(f.found, f.counts) && slices.ContainsFunc(f.found, func(o outcome) bool { return o.elsewhere }) {
		return false
	}
	end, gap, seen := 0, -1, false // of the changes so far: where they end, the last gap, and whether one is applied
	for k, o := range f.found {
		if o.twin > 0 {
			continue // its change is that of the other
		}
		from, to := o.changed[0], o.changed[1]
		if !f.counts(o) {
			if !f.Spots[k].Applied {
				continue
			}
			from, to = f.Changed(k)
		}
		if (seen || f.counts(o)) && (from < end || from == gap && to == gap) {
			return false
		}
		if from == to {
			gap = from
		}
		end, seen = max(end, to), seen || f.counts(o)
	}
	return true
}
