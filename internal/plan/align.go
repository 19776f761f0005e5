package plan

import (
	"znkr.io/diff"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// pair is a line of the hunk and the line of the file that stands for it; -1 where there is none.
type pair struct{ mine, theirs int }

// align pairs old with lines: those that are equal but for white space and typography, and between them one for
// one what is left. Lines before the first and after the last pair are left out. Where that makes no more lines equal
// than to stand the hunk against the lines from at on does, it stands there.
func align(old, lines []string, at int) []pair {
	fold := func(in []string) []string {
		out := make([]string, len(in))
		for i, l := range in {
			out[i] = match.Fold(patch.Unicode, l)
		}
		return out
	}
	var out []pair
	var mine, theirs []int
	flush := func(end bool) {
		if len(out) == 0 && len(theirs) > len(mine) { // what precedes the hunk
			theirs = theirs[len(theirs)-len(mine):]
		}
		if end && len(theirs) > len(mine) { // what follows it
			theirs = theirs[:len(mine)]
		}
		for i := range max(len(mine), len(theirs)) {
			p := pair{-1, -1}
			if i < len(mine) {
				p.mine = mine[i]
			}
			if i < len(theirs) {
				p.theirs = theirs[i]
			}
			out = append(out, p)
		}
		mine, theirs = nil, nil
	}
	a, b := fold(old), fold(lines)
	edits := diff.Edits(a, b)
	equal := 0
	for _, e := range edits {
		if e.Op == diff.Match {
			equal++
		}
	}
	for i := range a {
		if at >= 0 && at+i < len(b) && a[i] == b[at+i] {
			equal--
		}
	}
	if equal <= 0 {
		return opposite(len(old), max(at, 0), len(lines))
	}
	i, j := 0, 0
	for _, e := range edits {
		switch e.Op {
		case diff.Match:
			flush(false)
			out = append(out, pair{i, j})
			i, j = i+1, j+1
		case diff.Delete:
			mine = append(mine, i)
			i++
		default:
			theirs = append(theirs, j)
			j++
		}
	}
	flush(true)
	return out
}

// opposite pairs n lines one for one with those from at up to end.
func opposite(n, at, end int) []pair {
	out := make([]pair, n)
	for i := range out {
		out[i] = pair{i, at + i}
		if at+i >= end {
			out[i].theirs = -1
		}
	}
	return out
}
