package damage

// rival is the share of the true place's score that another place must stay under for the true one to be the only near one.
const rival = 0.8

// skipped is what a line costs that has no partner in the other text.
const skipped = 0.5

// Near reports whether what the patch means is to be seen from its text and the file: every hunk stands in the file in just
// one place, or in none and then nothing else in the file resembles it as the lines that its author meant do. What resembles
// it elsewhere stays under four fifths of their score. The score is that of the best local alignment: a pair of lines gives
// the share of words that they have in common, if it is half or more, and a line left out on either side costs one half.
//
// The engine is not asked: this is what it is held to.
func (c *Case) Near() bool {
	w := c.change.words(c.Disk)
	for _, h := range c.Hunks {
		switch old := h.old(); len(places(w.lines, old)) {
		case 1:
		case 0:
			if from, to := c.span(h); !w.near(old, from, to) {
				return false
			}
		default:
			return false
		}
	}
	return true
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
