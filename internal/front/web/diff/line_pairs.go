package diff

// pair is a row of the split view. It has indexes of lines, or -1 for none. An unchanged line is on both sides.
type pair struct {
	left, right int32
	alike       bool // the left line became the right one
}

// maxRun is the longest run in which the best pairs are searched for. That takes time in the product of its removed and added
// lines, so lines of longer runs are paired in order.
const maxRun = 16

// layoutSplit returns the rows of the split view.
func (f *File) layoutSplit() []pair {
	if f.splitRows != nil || len(f.lines) == 0 {
		return f.splitRows
	}
	out := make([]pair, 0, len(f.lines))
	for i := 0; i < len(f.lines); {
		r := f.runFrom(i)
		if r.end == i {
			out = append(out, pair{int32(i), int32(i), false})
			i++
			continue
		}
		out = append(out, f.alignRun(r)...)
		i = r.end
	}
	f.splitRows = out
	return out
}

// run is a run of removed lines, from start, with the added lines after them, from mid.
type run struct{ start, mid, end int }

// runFrom returns the run that begins at line i. It is empty if line i is unchanged.
func (f *File) runFrom(i int) run {
	r := run{i, i, i}
	for r.mid < len(f.lines) && f.lines[r.mid].kind == Del {
		r.mid++
	}
	r.end = r.mid
	for r.end < len(f.lines) && f.lines[r.end].kind == Add {
		r.end++
	}
	return r
}

// runAt returns the run that has line i.
func (f *File) runAt(i int) run {
	for i > 0 && f.lines[i].kind == Add && f.lines[i-1].kind == Add {
		i--
	}
	if f.lines[i].kind == Add && i > 0 && f.lines[i-1].kind == Del {
		i--
	}
	for i > 0 && f.lines[i].kind == Del && f.lines[i-1].kind == Del {
		i--
	}
	return f.runFrom(i)
}

// alignRun puts the lines of a run side by side. Lines that resemble each other share a row; the lines between two such rows
// keep their order.
func (f *File) alignRun(r run) []pair {
	out := make([]pair, 0, max(r.mid-r.start, r.end-r.mid))
	i, j := r.start, r.mid
	upTo := func(a, b int) {
		for i < a || j < b {
			p := pair{-1, -1, false}
			if i < a {
				p.left, i = int32(i), i+1
			}
			if j < b {
				p.right, j = int32(j), j+1
			}
			out = append(out, p)
		}
	}
	for _, p := range f.bestPairs(r) {
		upTo(int(p.left), int(p.right))
		out = append(out, p)
		i, j = i+1, j+1
	}
	upTo(r.mid, r.end)
	return out
}

// bestPairs finds which added line each removed line became: the pairs, in order, that have most in common.
func (f *File) bestPairs(r run) []pair {
	n, m := r.mid-r.start, r.end-r.mid
	if n == 0 || m == 0 {
		return nil
	}
	if n > maxRun || m > maxRun {
		return pairsInOrder(r)
	}
	a, b := make([]lineWords, n), make([]lineWords, m)
	for i := range n {
		a[i] = wordsOf(f.lines[r.start+i].text)
	}
	for j := range m {
		b[j] = wordsOf(f.lines[r.mid+j].text)
	}
	// best[i][j] is the most that the lines from i and from j on can have in common.
	var best [maxRun + 1][maxRun + 1]int32
	var common [maxRun][maxRun]int32
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			common[i][j] = a[i].similarity(&b[j])
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if common[i][j] > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+common[i][j])
			}
		}
	}
	var out []pair
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case common[i][j] > 0 && best[i][j] == best[i+1][j+1]+common[i][j]:
			out = append(out, pair{int32(r.start + i), int32(r.mid + j), true})
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

func pairsInOrder(r run) []pair {
	out := make([]pair, min(r.mid-r.start, r.end-r.mid))
	for i := range out {
		out[i] = pair{int32(r.start + i), int32(r.mid + i), true}
	}
	return out
}
