package explain

import (
	"znkr.io/diff"

	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// pair is an index into the old lines of a hunk and one into lines of a file, for two lines that stand for each other; -1
// where there is none.
type pair struct{ hunk, file int }

// align pairs the old lines of a hunk with lines of a file that resemble them: equal ones but for white space and
// typography with each other, and between them one for one what is left. If that makes no more lines equal than pairing
// both from their first lines on, it does the latter.
func align(old, lines []string) []pair {
	a, b := folded(old), folded(lines)
	edits := diff.Edits(a, b)
	equal := 0
	for _, e := range edits {
		if e.Op == diff.Match {
			equal++
		}
	}
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			equal--
		}
	}
	if equal <= 0 {
		return inOrder(len(a), len(b))
	}
	var out []pair
	var left, right []int // old lines and lines of the file that no pair has yet
	flush := func(end bool) {
		if len(out) == 0 && len(right) > len(left) { // what precedes the hunk
			right = right[len(right)-len(left):]
		}
		if end && len(right) > len(left) { // what follows it
			right = right[:len(left)]
		}
		for i := range max(len(left), len(right)) {
			p := pair{-1, -1}
			if i < len(left) {
				p.hunk = left[i]
			}
			if i < len(right) {
				p.file = right[i]
			}
			out = append(out, p)
		}
		left, right = nil, nil
	}
	i, j := 0, 0
	for _, e := range edits {
		switch e.Op {
		case diff.Match:
			flush(false)
			out = append(out, pair{i, j})
			i, j = i+1, j+1
		case diff.Delete:
			left = append(left, i)
			i++
		default:
			right = append(right, j)
			j++
		}
	}
	flush(true)
	return out
}

// inOrder pairs n old lines one for one with m lines of the file.
func inOrder(n, m int) []pair {
	out := make([]pair, n)
	for i := range out {
		if out[i] = (pair{i, i}); i >= m {
			out[i].file = -1
		}
	}
	return out
}

func folded(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = match.Fold(patch.Unicode, l)
	}
	return out
}
