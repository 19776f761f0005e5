package repeat

import (
	"slices"

	"github.com/emend-dev/emend/internal/match"
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
		now := f.Hunks[k].New()
		for _, lines := range goneWhenApplied(f.Hunks[k].Lines) {
			signs = append(signs, sign{k, x.Add(slices.Values(lines)), occurrences(now, lines)})
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

// doubtRemovals drops the proof of hunks that only remove lines, if a line much like the first that they remove, or the last, stands
// beside the same line of context: then the hunk has a mistake in it.
func (f *finder) doubtRemovals() {
	beside := map[string][]sighting{}
	for k := range f.found {
		if lines := f.Hunks[k].Lines; f.found[k].proof == Strong && !slices.ContainsFunc(lines, added) {
			for i := range lines[1:] {
				switch a, b := lines[i], lines[i+1]; {
				case a.Mark() == ' ' && b.Mark() == '-' && hasWords(a) && hasWords(b):
					key := match.Fold(patch.Unicode, a.Text())
					beside[key] = append(beside[key], sighting{k, 1, match.Fold(patch.Unicode, b.Text())})
				case a.Mark() == '-' && b.Mark() == ' ' && hasWords(a) && hasWords(b):
					key := match.Fold(patch.Unicode, b.Text())
					beside[key] = append(beside[key], sighting{k, -1, match.Fold(patch.Unicode, a.Text())})
				}
			}
		}
	}
	if len(beside) == 0 {
		return
	}
	for n := range f.File.Len() {
		for _, s := range beside[match.Fold(patch.Unicode, f.File.Line(n))] {
			if at := n + s.step; f.found[s.hunk].proof == Strong && at >= 0 && at < f.File.Len() && match.Similarity(match.Fold(patch.Unicode, f.File.Line(at)), s.removed) >= 0.6 {
				f.found[s.hunk] = outcome{}
			}
		}
	}
}

// sighting is a line that a hunk removes, step lines from a line of its context.
type sighting struct {
	hunk, step int
	removed    string
}

// occurrences counts how often lines stand in now, on the loosest rung: a hunk may change nothing but white space. For
// very many lines it says 0, which leaves the hunk unproved.
func occurrences(now, lines []string) (n int) {
	if len(now)*len(lines) > 1<<20 {
		return 0
	}
	same := func(a, b string) bool { return match.Same(patch.Unicode, a, b) }
	for at := 0; at+len(lines) <= len(now); at++ {
		if slices.EqualFunc(now[at:at+len(lines)], lines, same) {
			n++
		}
	}
	return n
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
		if from > 0 && lines[from-1].Mark() == ' ' && hasWords(lines[from-1]) {
			out = append(out, append([]string{lines[from-1].Text()}, run...))
		}
		if i < len(lines) && hasWords(lines[i]) {
			out = append(out, append(slices.Clone(run), lines[i].Text()))
		}
	}
	return out
}
