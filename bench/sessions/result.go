package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// quarters is the number of equal parts of the time that have a row of their own.
const quarters = 4

// call is one call of a session.
type call struct {
	edits bool
	ended time.Time
	took  time.Duration
}

// state describes the servers at the end of a quarter.
type state struct {
	resident  int64         // their memory
	processor time.Duration // their processor time since they started
	load      string        // of the machine
}

// result has the measurements of the sessions.
type result struct {
	options
	agents []*agent
	begin  time.Time
	took   time.Duration
	states [quarters]state
}

// spread returns the calls of the sessions that made the fewest and the most.
func (r *result) spread() (fewest, most int) {
	var made []int
	for _, a := range r.agents {
		made = append(made, len(a.calls))
	}
	return slices.Min(made), slices.Max(made)
}

// between returns how long the calls took that ended in a part of the time, in order.
func (r *result) between(from, to time.Duration, edits bool) (all []time.Duration) {
	for _, a := range r.agents {
		for _, c := range a.calls {
			if at := c.ended.Sub(r.begin); c.edits == edits && at >= from && at < to {
				all = append(all, c.took)
			}
		}
	}
	slices.Sort(all)
	return all
}

// page returns the results as Markdown.
func (r *result) page() string {
	var out strings.Builder
	servers := "one server"
	if r.servers > 1 {
		servers = fmt.Sprintf("%d servers", r.servers)
	}
	fmt.Fprintf(&out, "# Many sessions on one tree\n\nWritten by `go -C bench run ./sessions -for %v`; %s, %d processors, %s. %d sessions of %s over HTTP, each with one call\n"+
		"in flight: three of four edit one of its own files, durably, the others read, list and search. Afterwards each file was as the answers\n"+
		"said, and the log was verified. The clients, and whatever else the machine had to do (its load stands beside each quarter), shared the processors\n"+
		"with the server.\n\n", r.length, runtime.GOOS, runtime.NumCPU(), runtime.Version(), len(r.agents), servers)
	out.WriteString("| quarter | edits a second | p50 ms | p99 ms | longest | others a second | p50 ms | p99 ms | longest | server's processor ms a call | MiB | load |\n" +
		"|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for q := range quarters {
		from, to := r.took*time.Duration(q)/quarters, r.took*time.Duration(q+1)/quarters
		spent := r.states[q].processor
		if q > 0 {
			spent -= r.states[q-1].processor
		}
		r.row(&out, fmt.Sprint(q+1), from, to, spent, r.states[q])
	}
	last := r.states[quarters-1]
	r.row(&out, "all", 0, r.took+1, last.processor, last)
	fewest, most := r.spread()
	verdict := func(met bool) string {
		if met {
			return "met"
		}
		return "**MISSED**"
	}
	even, grown := float64(most)/float64(max(1, fewest)), float64(last.resident)/float64(max(1, r.states[0].resident))
	fmt.Fprintf(&out, "\n| bar | measured | |\n|---|---:|---|\n"+
		"| the quickest session makes at most 2 × the calls of the slowest | %d and %d: %.2f | %s |\n"+
		"| memory after the last quarter at most 1.25 × that after the first | %.2f | %s |\n", most, fewest, even, verdict(even <= 2), grown, verdict(grown <= 1.25))
	return out.String()
}

// row writes the row of a part of the time.
func (r *result) row(out *strings.Builder, name string, from, to, processor time.Duration, at state) {
	fmt.Fprintf(out, "| %s ", name)
	calls := 0
	for _, edits := range []bool{true, false} {
		all := r.between(from, to, edits)
		calls += len(all)
		if len(all) == 0 {
			out.WriteString("| 0 | | | ")
			continue
		}
		n := len(all)
		fmt.Fprintf(out, "| %.0f | %.1f | %.1f | %.0f ", float64(n)/(to-from).Seconds(), millis(all[n/2]), millis(all[n*99/100]), millis(all[n-1]))
	}
	fmt.Fprintf(out, "| %.2f | %d | %s |\n", millis(processor)/float64(max(1, calls)), at.resident>>20, at.load)
}

// load returns the load of the machine, "" if it is not known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return strings.Fields(string(text))[0]
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
