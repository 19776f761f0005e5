package repeat

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// doubt drops the proof of hunks whose old lines seem to be there in another spelling or between other lines. Then their
// new lines stand there for another reason. It reads the file once more if anything was proved.
func (f *finder) doubt() {
	x := match.NewIndex(match.NewDoc(f.File), patch.Unicode, len(f.found))
	type sign struct{ hunk, id, own int }
	var signs []sign
	for k := range f.found {
		if f.found[k].proof != Strong || f.Spots[k].OffAnchor { // whose old lines are somewhere else
			continue
		}
		runs := goneWhenApplied(f.Hunks[k].Lines)
		own := occurrences(patch.Unicode, f.Hunks[k].New(), runs)
		for i, lines := range runs {
			signs = append(signs, sign{k, x.Add(slices.Values(lines)), own[i]})
		}
	}
	if len(signs) == 0 {
		return
	}
	x.Build()
	for _, s := range signs {
		if x.Count(s.id) > s.own {
			f.found[s.hunk] = outcome{}
		}
	}
}

// doubtWordless drops the proof of hunks that change nothing but blank lines and brackets, unless a hunk with words is applied too: such
// lines stand beside their like by chance.
func (f *finder) doubtWordless() {
	words := func(k int) bool {
		return slices.ContainsFunc(f.Hunks[k].Lines, func(l patch.Line) bool { return l.Mark() != ' ' && place.HasWords(l) })
	}
	for k, o := range f.found {
		if o.proof == Strong && words(k) {
			return
		}
	}
	for k := range f.found {
		if !words(k) {
			f.found[k] = outcome{}
		}
	}
}

// doubtRemovals drops the proof of hunks that only remove lines, if a line much like the first that they remove, or the last, stands
// beside the same line of context: then the hunk has a mistake in it. Context without words counts unless the caller asks to skip what is
// applied.
func (f *finder) doubtRemovals(mode Mode) {
	beside := map[string][]sighting{} // by line of context, folded
	see := func(k int, context patch.Line, step int, removed patch.Line) {
		like := 0.6
		if !place.HasWords(context) {
			like = 0.75
		}
		if !place.HasWords(removed) || mode >= Skip && !place.HasWords(context) {
			return
		}
		if key := match.Fold(patch.Unicode, context.Text()); len(beside[key]) < maxSightings {
			beside[key] = append(beside[key], sighting{k, step, like, match.Fold(patch.Unicode, removed.Text())})
		}
	}
	for k := range f.found {
		if lines := f.Hunks[k].Lines; f.found[k].proof == Strong && !slices.ContainsFunc(lines, added) {
			for i := range lines[1:] {
				switch a, b := lines[i], lines[i+1]; {
				case a.Mark() == ' ' && b.Mark() == '-':
					see(k, a, 1, b)
				case a.Mark() == '-' && b.Mark() == ' ':
					see(k, b, -1, a)
				}
			}
		}
	}
	if len(beside) == 0 {
		return
	}
	for n := range f.File.Len() {
		for _, s := range beside[match.Fold(patch.Unicode, f.File.Line(n))] {
			if at := n + s.step; f.found[s.hunk].proof == Strong && at >= 0 && at < f.File.Len() && s.means(match.Fold(patch.Unicode, f.File.Line(at))) {
				f.found[s.hunk] = outcome{}
			}
		}
	}
}

// maxSightings bounds the sightings beside equal lines of context, each of which is compared at every such line of the file.
const maxSightings = 32

// sighting is a line that a hunk removes, step lines from a line of its context. A line that is like it by so much counts as it.
type sighting struct {
	hunk, step int
	like       float64
	removed    string
}

// means reports whether the removed line may be this line of the file, with a mistake or cut short.
func (s sighting) means(line string) bool {
	const least = 4 // bytes of a line that is cut short
	stem := strings.TrimRight(s.removed, ".… ")
	return match.Similarity(line, s.removed) >= s.like || len(stem) >= least && strings.HasPrefix(line, stem)
}

// occurrences counts how often each of runs stands in lines, on a rung. For what a hunk leaves it is the loosest one: the hunk may change
// nothing but white space. If a line holds a line end it says 0, which leaves the hunk unproved.
func occurrences(on patch.Rung, lines []string, runs [][]string) []int {
	out := make([]int, len(runs))
	file := text.Split(strings.Join(lines, text.LF) + text.LF)
	if file.Len() != len(lines) {
		return out
	}
	x := match.NewIndex(match.NewDoc(file), on, len(runs))
	for i, run := range runs {
		out[i] = x.Add(slices.Values(run))
	}
	x.Build()
	for i, id := range out {
		out[i] = x.Count(id)
	}
	return out
}

// goneWhenApplied lists the lines that cannot be in the file once a hunk is applied: all its old lines together, and
// every run that it removes with the line of context above or below, if that line has words.
func goneWhenApplied(lines []patch.Line) (out [][]string) {
	var old []string
	for _, l := range lines {
		if l.Old() {
			old = append(old, l.Text())
		}
	}
	out = append(out, old)
	for i := 0; i < len(lines); i++ {
		if lines[i].Mark() != '-' {
			continue
		}
		var run []string
		from := i
		for ; i < len(lines) && lines[i].Mark() != ' '; i++ {
			if lines[i].Mark() == '-' {
				run = append(run, lines[i].Text())
			}
		}
		if from > 0 && lines[from-1].Mark() == ' ' && place.HasWords(lines[from-1]) {
			out = append(out, append([]string{lines[from-1].Text()}, run...))
		}
		if i < len(lines) && place.HasWords(lines[i]) {
			out = append(out, append(slices.Clone(run), lines[i].Text()))
		}
	}
	return out
}
