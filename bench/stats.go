package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// point is a time, in any unit, by size.
type point struct{ size, cost float64 }

// exponent returns the power of size by which cost grows: the slope of the regression line through the logarithms of the
// points.
func exponent(points []point) float64 {
	var x, y, xx, xy float64
	for _, p := range points {
		a, b := math.Log(p.size), math.Log(p.cost)
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	n := float64(len(points))
	return (n*xy - x*y) / (n*xx - x*x)
}

// ms formats a time in milliseconds with three significant digits.
func ms(d time.Duration) string {
	v := float64(d.Microseconds()) / 1000
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// mib formats memory in MiB.
func mib(n int64) string {
	switch {
	case n == 0:
		return "–"
	case n < 100<<20:
		return fmt.Sprintf("%.1f", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d", n>>20)
}
