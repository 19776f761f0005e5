package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// result is what the sessions got.
type result struct {
	options
	agents   []*agent
	took     time.Duration
	resident []int64 // memory of the servers after each quarter
}

// spread returns the calls of the sessions that made the fewest and the most.
func (r *result) spread() (fewest, most int) {
	var made []int
	for _, a := range r.agents {
		made = append(made, len(a.edits)+len(a.looks))
	}
	return slices.Min(made), slices.Max(made)
}

func (r *result) String() string {
	var edits, looks []time.Duration
	for _, a := range r.agents {
		edits, looks = append(edits, a.edits...), append(looks, a.looks...)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d sessions, %d server(s), %.0f s, %d processors\n", len(r.agents), r.servers, r.took.Seconds(), runtime.NumCPU())
	for _, row := range []struct {
		name string
		all  []time.Duration
	}{{"edits", edits}, {"reads, lists, searches", looks}} {
		slices.Sort(row.all)
		if n := len(row.all); n > 0 {
			fmt.Fprintf(&out, "%s: %d, %.0f a second, p50 %.1f ms, p99 %.1f ms, longest %.0f ms\n", row.name, n, float64(n)/r.took.Seconds(),
				millis(row.all[n/2]), millis(row.all[n*99/100]), millis(row.all[n-1]))
		}
	}
	fewest, most := r.spread()
	fmt.Fprintf(&out, "calls of a session: %d to %d, %.2f times as many\n", fewest, most, float64(most)/float64(max(1, fewest)))
	fmt.Fprint(&out, "memory of the servers after each quarter, MiB:")
	for _, n := range r.resident {
		fmt.Fprintf(&out, " %d", n>>20)
	}
	return out.String() + "\n"
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
