package damage

import "slices"

// rival is the share of the true place's score that any other place must stay below, for the true one to be the only near one.
const rival = 0.8

// skipped is the cost of a line without a partner in the other text.
const skipped = 0.5

// Sight tells how much of a patch's meaning can be recognized from its text and the file.
type Sight uint8

const (
	// Blurred: not where it goes.
	Blurred Sight = iota
	// Open: where it goes, but not on which side of existing lines its additions go.
	Open
	// Clear: everything.
	Clear
)

// Sight looks for the place that every hunk means. It is recognizable if the hunk stands in exactly one place, or in none and
// nothing else in the file resembles it as much as the lines that its author meant: every other place has less than four fifths
// of their score. The score is that of the best local alignment. A pair of lines scores the share of words that they have in
// common, if that is at least half; a line without a partner costs one half.
//
// The engine has no part in it, since it is held to the result.
func (c *Case) Sight() Sight {
	if c.lost || c.second != nil {
		return Blurred
	}
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

// span returns where in Disk the lines are that h was made for.
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

// near reports whether lines from up to to resemble lines, and nothing else in the file does nearly as well.
func (w *words) near(lines []string, from, to int) bool {
	truth, other := w.scores(lines, from, to)
	return truth > 0 && other < rival*truth
}

// scores returns how much lines from up to to resemble lines, and how much the rest of the file does at best.
func (w *words) scores(lines []string, from, to int) (truth, other float32) {
	shares := make([][]float32, len(lines))
	for i, l := range lines {
		shares[i] = w.shares(l)
	}
	return align(shares, from, to), max(align(shares, 0, from), align(shares, to, len(w.lines)))
}

// align returns the score of the best local alignment of a hunk with lines from up to to of the file.
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

// open reports whether the file, in lines from up to to, has lines where the hunk adds some, which the hunk neither shows nor
// adds: between the partners of the lines above and below the added ones.
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

// added returns the added lines from line i of h on.
func (h Hunk) added(i int) (out []string) {
	for ; i < len(h.Lines) && h.Lines[i][0] == '+'; i++ {
		out = append(out, h.Lines[i][1:])
	}
	return out
}

// partners returns for each line of a hunk its partner in lines from up to to in the best alignment that keeps the order, or
// -1.
func (w *words) partners(lines []string, from, to int) []int {
	best := make([][]float32, len(lines)+1) // by numbers of lines left on either side
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
