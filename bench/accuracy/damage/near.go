package damage

import "slices"

// rival is the share of the true place's score that another place must stay under for the true one to be the only near one.
const rival = 0.8

// skipped is what a line costs that has no partner in the other text.
const skipped = 0.5

// Sight is how much is to be seen of what a patch means, from its text and the file.
type Sight uint8

const (
	// Blurred: not where it goes.
	Blurred Sight = iota
	// Open: where it goes, but not on which side of lines there those go that it adds.
	Open
	// Clear: all of it.
	Clear
)

// Sight looks for the place that every hunk means. It is to be seen where the hunk stands in just one place, or in none and
// then nothing else in the file resembles it as the lines that its author meant do. What resembles it elsewhere stays under
// four fifths of their score. The score is that of the best local alignment: a pair of lines gives the share of words that
// they have in common, if it is half or more, and a line left out on either side costs one half.
//
// The engine is not asked: this is what it is held to.
func (c *Case) Sight() Sight {
	w, sight := c.change.words(c.Disk), Clear
	for _, h := range c.Hunks {
		switch old := h.old(); len(places(w.lines, old)) {
		case 1:
		case 0:
			from, to := c.span(h)
			if !w.near(old, from, to) {
				return Blurred
			}
			if w.open(h, from, to) {
				sight = Open
			}
		default:
			return Blurred
		}
	}
	return sight
}

// span is where in Disk the lines are that h was made for.
func (c *Case) span(h Hunk) (from, to int) {
	for n := min(h.From, len(c.at)-1); n >= 0; n-- {
		if at := c.at[n]; at >= 0 {
			from = at + min(1, h.From-n) // or below what is there of the lines above
			break
		}
	}
	for _, at := range c.at[h.To:] {
		if at >= 0 {
			return from, at
		}
	}
	return from, len(c.there)
}

// near reports whether lines resemble those from from up to to, and nothing else in the file nearly as well.
func (w *words) near(lines []string, from, to int) bool {
	shares := make([][]float32, len(lines))
	for i, l := range lines {
		shares[i] = w.shares(l)
	}
	truth := align(shares, from, to)
	return truth > 0 && max(align(shares, 0, from), align(shares, to, len(w.lines))) < rival*truth
}

// align is the score of the best local alignment of a hunk with lines from up to to of the file.
func align(shares [][]float32, from, to int) (best float32) {
	if to <= from {
		return 0
	}
	above, row := make([]float32, to-from+1), make([]float32, to-from+1)
	for _, share := range shares {
		for i := 1; i < len(row); i++ {
			row[i] = max(0, above[i]-skipped, row[i-1]-skipped)
			if s := share[from+i-1]; s > 0 {
				row[i] = max(row[i], above[i-1]+s)
			}
			best = max(best, row[i])
		}
		above, row = row, above
	}
	return best
}

// open reports whether the file, from line from up to line to, has lines where the hunk adds some, which the hunk leaves out and
// which are not those that it adds: between the partners of the lines above and below the added ones.
func (w *words) open(h Hunk, from, to int) bool {
	at := w.partners(h.old(), from, to)
	n := 0 // old lines so far
	for i, l := range h.Lines {
		if l[0] != '+' {
			n++
			continue
		}
		if i > 0 && h.Lines[i-1][0] == '+' || n == 0 || n == len(at) || at[n-1] < 0 || at[n] < 0 {
			continue
		}
		if left := w.lines[at[n-1]+1 : at[n]]; len(left) > 0 && !slices.Equal(left, h.added(i)) {
			return true
		}
	}
	return false
}

// added is the added lines from line i of h on.
func (h Hunk) added(i int) (out []string) {
	for ; i < len(h.Lines) && h.Lines[i][0] == '+'; i++ {
		out = append(out, h.Lines[i][1:])
	}
	return out
}

// partners is, by line of a hunk, the line from up to to that it goes with where as much as can be goes together in order, or -1.
func (w *words) partners(lines []string, from, to int) []int {
	best := make([][]float32, len(lines)+1) // by how many lines on either side are left
	shares := make([][]float32, len(lines))
	best[len(lines)] = make([]float32, to-from+1)
	for k := len(lines) - 1; k >= 0; k-- {
		shares[k] = w.shares(lines[k])[from:to]
		best[k] = make([]float32, to-from+1)
		for i := to - from - 1; i >= 0; i-- {
			best[k][i] = max(best[k+1][i], best[k][i+1], best[k+1][i+1]+shares[k][i])
		}
	}
	out := make([]int, len(lines))
	for k, i := 0, 0; k < len(lines); k++ {
		out[k] = -1
		for ; best[k][i] > best[k+1][i]; i++ {
			if s := shares[k][i]; s > 0 && best[k][i] == best[k+1][i+1]+s {
				out[k] = from + i
				i++
				break
			}
		}
	}
	return out
}
