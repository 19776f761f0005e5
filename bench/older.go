package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

const olderSuffix = ", older build"

// older returns the name of the lane that runs the older build.
func older(lane string) string { return lane + olderSuffix }

// comparison is a lane of emend and the same lane with the older build.
type comparison struct {
	row               string
	was, now          *laneDone
	median, low, high float64 // of the ratios of their times, round by round
}

// comparisons returns the lanes that both builds finished.
func (p *page) comparisons() (out []comparison) {
	for _, d := range p.rows {
		for i := range d.lanes {
			was := &d.lanes[i]
			name, ok := strings.CutSuffix(was.name, olderSuffix)
			now := d.lane(name)
			if !ok || now == nil || was.slow || now.slow || len(was.times) == 0 || len(was.times) != len(now.times) {
				continue
			}
			c := comparison{row: d.id, was: was, now: now}
			c.median, c.low, c.high = spread98(ratios(now, was))
			out = append(out, c)
		}
	}
	return out
}

// ratios returns the sorted ratios of the times, round by round.
func ratios(now, was *laneDone) (out []float64) {
	for i := range was.times {
		out = append(out, float64(now.times[i])/float64(was.times[i]))
	}
	slices.Sort(out)
	return out
}

// spread98 returns the median of sorted values, and an interval that contains the true median with a probability of about 98 %.
// With fewer than 7 values the interval is from the least to the greatest.
func spread98(sorted []float64) (median, low, high float64) {
	n := len(sorted)
	k := 0 // values beyond either end: P(Bin(n, 1/2) <= k) is at most 1.1 %
	for sum, term := 0.0, math.Pow(0.5, float64(n)); k <= n/2; k++ {
		if sum += term; sum > 0.011 {
			break
		}
		term *= float64(n-k) / float64(k+1)
	}
	k = max(0, k-1)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[k], sorted[n-1-k]
}

// slower reports whether the whole interval is above 1. Fewer than 7 rounds cannot tell.
func (c comparison) slower() bool { return len(c.was.times) >= 7 && c.low > 1 }

func (c comparison) word() string {
	switch {
	case len(c.was.times) < 7:
		return "too few rounds"
	case c.slower():
		return "**slower**"
	case c.high < 1:
		return "faster"
	}
	return ""
}

// writeOlder writes the comparison with the older build.
func (p *page) writeOlder(out io.Writer) {
	all := p.comparisons()
	if len(all) == 0 {
		return
	}
	slower := 0
	for _, c := range all {
		if c.slower() {
			slower++
		}
	}
	fmt.Fprintf(out, "\n## Beside the older build\n\nThe time of this build divided by that of the older one: the ratio of the medians; the median of the ratios round by round; and\n"+
		"the interval that holds the latter in about 98 of 100 cases (with fewer than 7 rounds: the least and the greatest ratio).\n"+
		"Slower is a row with 7 rounds or more whose interval is above 1 as a whole: %d of %d.\n\n", slower, len(all))
	t := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| row\t| program\t| older ms\t| this ms\t| ratio\t| by rounds\t| interval\t| older MiB\t| this MiB\t|\t|\n"+
		"| ---\t| ---\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---\t|\n")
	for _, c := range all {
		fmt.Fprintf(t, "| %s\t| %s\t| %s\t| %s\t| %.2f\t| %.2f\t| %.2f–%.2f\t| %s\t| %s\t| %s\t|\n", c.row, c.now.name, ms(c.was.median()), ms(c.now.median()),
			float64(c.now.median())/float64(c.was.median()), c.median, c.low, c.high, mib(c.was.peak), mib(c.now.peak), c.word())
	}
	t.Flush()
}
