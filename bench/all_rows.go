package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// rows returns the selected rows.
func (b *bench) rows() []row {
	return slices.DeleteFunc(b.all(), func(r row) bool { return !b.only.MatchString(r.id) })
}

// all returns all rows in the order of the page.
func (b *bench) all() []row {
	return slices.Concat(applyRows(), b.bigRows(), searchRows(), listRows(), b.hashRows(), b.serverRows())
}

// exponents returns additional rows: how the time for a big file grows with its size.
func exponents(rows []done) (out []done) {
	for _, rung := range rungs {
		for _, hunks := range []int{1, 1000, 100_000} {
			prefix := fmt.Sprintf("d.%s.%d.", rung, hunks)
			d := done{row: row{id: prefix + "growth", group: "d", title: fmt.Sprintf("growth with %s, %s", ofHunks(hunks), rung)}}
			points := costs(rows, prefix, unsynced)
			for from := len(points) - 2; from >= 0; from-- {
				d.verdicts = append(d.verdicts, verdict{most: 1.05, got: exponent(points[from:]),
					bar: fmt.Sprintf("exponent from %s to %s lines ≤ 1.05", abbreviated(int(points[from].size)), abbreviated(int(points[len(points)-1].size)))})
			}
			if len(points) > 1 {
				out = append(out, d)
			}
		}
	}
	return out
}

// costs returns the medians of a lane in the rows with a prefix, by number of lines.
func costs(rows []done, prefix, lane string) (out []point) {
	for _, d := range rows {
		if l := d.lane(lane); d.failed == nil && strings.HasPrefix(d.id, prefix) && l != nil && len(l.times) > 0 && !l.slow {
			out = append(out, point{float64(d.lines), l.median().Seconds()})
		}
	}
	slices.SortFunc(out, func(a, b point) int { return cmp.Compare(a.size, b.size) })
	return out
}
