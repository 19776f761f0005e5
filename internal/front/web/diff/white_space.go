package diff

import (
	"slices"
	"strings"
	"unicode"
)

// maxSpacePairs limits the comparisons within one run of changed lines. In a longer run only its beginning and its end are
// compared.
const maxSpacePairs = 1 << 18

// HideSpace makes removed and added lines that differ in white space alone into unchanged lines, and leaves out hunks without
// any other change.
func (f *File) HideSpace() {
	out := make([]line, 0, len(f.lines))
	for i := 0; i < len(f.lines); {
		r := f.runFrom(i)
		if r.end == i {
			out = append(out, f.lines[i])
			i++
			continue
		}
		out = appendUnspaced(out, f.lines[r.start:r.mid], f.lines[r.mid:r.end])
		i = r.end
	}
	f.setLines(withoutEmptyHunks(out))
}

// setLines replaces the lines, and counts them anew.
func (f *File) setLines(lines []line) {
	f.lines, f.splitRows, f.Added, f.Removed = lines, nil, 0, 0
	f.summarize()
}

// appendUnspaced appends a run of removed and added lines. Pairs that are equal but for white space become unchanged lines.
func appendUnspaced(out, old, new []line) []line {
	a, b := withoutSpace(old), withoutSpace(new)
	i, j := 0, 0
	for _, p := range equalPairs(a, b) {
		out = append(append(out, old[i:p[0]]...), new[j:p[1]]...)
		l := new[p[1]]
		l.kind, l.old = Same, old[p[0]].old
		out = append(out, l)
		i, j = p[0]+1, p[1]+1
	}
	return append(append(out, old[i:]...), new[j:]...)
}

func withoutSpace(lines []line) []string {
	out := make([]string, len(lines))
	for i := range lines {
		out[i] = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, lines[i].text)
	}
	return out
}

// equalPairs returns the indexes of a longest common sequence of a and b.
func equalPairs(a, b []string) (out [][2]int) {
	n, m := len(a), len(b)
	begin := 0
	for begin < min(n, m) && a[begin] == b[begin] {
		out = append(out, [2]int{begin, begin})
		begin++
	}
	end := 0
	for end < min(n, m)-begin && a[n-1-end] == b[m-1-end] {
		end++
	}
	rows, columns := n-begin-end, m-begin-end
	if rows > 0 && columns > 0 && rows*columns <= maxSpacePairs {
		// best[i][j] is the length of the longest common sequence of what follows i and j.
		best := make([][]int32, rows+1)
		for i := range best {
			best[i] = make([]int32, columns+1)
		}
		for i := rows - 1; i >= 0; i-- {
			for j := columns - 1; j >= 0; j-- {
				if best[i][j] = max(best[i+1][j], best[i][j+1]); a[begin+i] == b[begin+j] {
					best[i][j] = best[i+1][j+1] + 1
				}
			}
		}
		for i, j := 0, 0; i < rows && j < columns; {
			switch {
			case a[begin+i] == b[begin+j]:
				out = append(out, [2]int{begin + i, begin + j})
				i, j = i+1, j+1
			case best[i+1][j] >= best[i][j+1]:
				i++
			default:
				j++
			}
		}
	}
	for k := end; k > 0; k-- {
		out = append(out, [2]int{n - k, m - k})
	}
	return out
}

// withoutEmptyHunks leaves out the hunks that have no changed line.
func withoutEmptyHunks(lines []line) []line {
	out := lines[:0:0]
	for i := 0; i < len(lines); {
		j := i + 1
		for j < len(lines) && lines[j].kind < Hunk {
			j++
		}
		changed := func(l line) bool { return l.kind == Add || l.kind == Del }
		if lines[i].kind != Hunk || slices.ContainsFunc(lines[i:j], changed) {
			out = append(out, lines[i:j]...)
		}
		i = j
	}
	return out
}
