package diff

// pair is a row of the view side by side: indexes of lines, or -1 for none. A line that is on both sides is there twice.
type pair struct {
	left, right int32
	alike       bool // the left line became the right one
}

// Runs with more than maxRun removed or added lines are paired by their order: to find the best pairs takes time in the
// product of both.
const maxRun = 16

// layout is the rows side by side.
func (f *File) layout() []pair {
	if f.pairs != nil || len(f.lines) == 0 {
		return f.pairs
	}
	out := make([]pair, 0, len(f.lines))
	for i := 0; i < len(f.lines); {
		r := f.run(i)
		if r.end == i {
			out = append(out, pair{int32(i), int32(i), false})
			i++
			continue
		}
		out = append(out, f.beside(r)...)
		i = r.end
	}
	f.pairs = out
	return out
}

// run is removed lines, from at, and the added ones after them, from mid.
type run struct{ at, mid, end int }

// run is the one that begins with line i; an empty one if that is not of a kind that changes.
func (f *File) run(i int) run {
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

// runAt is the run that line i is in.
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
	return f.run(i)
}

// beside puts the lines of a run side by side: those that are alike in one row, and between two such rows the others in
// their order.
func (f *File) beside(r run) []pair {
	out := make([]pair, 0, max(r.mid-r.at, r.end-r.mid))
	i, j := r.at, r.mid
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
	for _, p := range f.alike(r) {
		upTo(int(p.left), int(p.right))
		out = append(out, p)
		i, j = i+1, j+1
	}
	upTo(r.mid, r.end)
	return out
}

// alike finds which removed line of a run became which added one: the pairs, in order, that have most in common.
func (f *File) alike(r run) []pair {
	n, m := r.mid-r.at, r.end-r.mid
	if n == 0 || m == 0 {
		return nil
	}
	if n > maxRun || m > maxRun {
		return inOrder(r)
	}
	a, b := make([]bag, n), make([]bag, m)
	for i := range n {
		a[i] = bagOf(f.lines[r.at+i].text)
	}
	for j := range m {
		b[j] = bagOf(f.lines[r.mid+j].text)
	}
	// best[i][j] is what the lines from i and from j on can have in common.
	var best [maxRun + 1][maxRun + 1]int32
	var common [maxRun][maxRun]int32
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			common[i][j] = a[i].common(&b[j])
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
			out = append(out, pair{int32(r.at + i), int32(r.mid + j), true})
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

func inOrder(r run) []pair {
	out := make([]pair, min(r.mid-r.at, r.end-r.mid))
	for i := range out {
		out[i] = pair{int32(r.at + i), int32(r.mid + i), true}
	}
	return out
}
