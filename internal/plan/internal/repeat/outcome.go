package repeat

import (
	"slices"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/patch"
)

// possible reports whether hunk k, which has no place, may be applied. Its old lines must have been nowhere in the file,
// or only not at its end; and on a side where it has no context its new lines must touch that end of the file.
func (f *finder) possible(k int, nowhere bool) bool {
	if !nowhere && !f.Hunks[k].AtEnd {
		return false
	}
	return slices.ContainsFunc(f.Cuts(k), func(cut int) bool {
		lines := f.Lines(k, cut)
		above, below := place.Context(lines)
		switch adds := slices.ContainsFunc(lines, added); {
		case above == len(lines), !adds && (above == 0 || below == 0):
			return false
		case f.Spots[k].OffAnchor:
			return adds
		case above == 0 && !f.standsAt(lines, 0):
			return false
		}
		return below > 0 || f.standsAt(lines, f.File.Len()-newSize(lines))
	})
}

// outcomeOf looks for the outcome of a hunk that has no place. news are the patterns of its new lines in x.
func (f *finder) outcomeOf(c candidate, x *match.Index, news []int) outcome {
	k := c.hunk
	for i, cut := range f.Cuts(k) {
		if news[i] == 0 || x.Count(news[i]) == 0 {
			continue
		}
		if x.Count(news[i]) > 1 {
			return outcome{}
		}
		lines, at := f.Lines(k, cut), x.OnlyPlace(news[i])
		switch {
		case c.nowhere && f.proves(k, lines, at):
			return f.newOutcome(lines, at, Strong)
		case c.nowhere && f.provesBeside(k, lines, at):
			out := f.newOutcome(lines, at, Weak)
			a, _ := f.Anchor(k)
			out.anchored = len(f.Hunks[k].Anchors) > 0 && a.Line >= 0
			out.lone = !out.anchored
			return out
		case !c.nowhere && f.extends(lines, at, at) && f.fitsEnd(k, at+newSize(lines)):
			return f.newOutcome(lines, at, Weak) // its old lines had to be at the end, and no longer are
		}
		return outcome{}
	}
	return outcome{}
}

// Repeats reports whether hunk k of p, which has its place, adds again what stands around its old lines, or changes
// nothing.
func Repeats(p *place.Placement, k int) bool {
	f := finder{Placement: p}
	return f.outcomeAtEdge(k).proof != None
}

// outcomeAtEdge looks whether hunk k, which has its place, changes nothing or adds again what stands around its old
// lines.
func (f *finder) outcomeAtEdge(k int) outcome {
	s, lines := &f.Spots[k], f.AsPlaced(k)
	old, now := s.Stop-s.Start, newSize(lines)
	if now == 0 || now < old || old == 0 && len(f.Hunks[k].Anchors) == 0 {
		return outcome{}
	}
	scan := match.NewScanner(match.NewDoc(f.File), f.Loosest(), slices.Collect(newLines(lines)), false)
	left := 4 // places to try, where lines are alike on a loose rung only
	for at := range scan.Places(max(0, s.Stop-now), min(f.File.Len(), s.Start+now)) {
		if left--; left < 0 {
			break
		}
		if f.extends(lines, at, s.Start) && f.fitsEnd(k, at+now) {
			return f.newOutcome(lines, at, Weak)
		}
	}
	return outcome{}
}

// newOutcome returns the outcome that is lines, from line at of the file on.
func (f *finder) newOutcome(lines []patch.Line, at int, how Proof) outcome {
	above, below := place.Context(lines)
	end := at + newSize(lines)
	return outcome{proof: how, from: at, to: end, changed: [2]int{at + above, end - below}}
}
