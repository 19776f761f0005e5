package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/emend-dev/emend/bench/internal/disk"
)

// results is the results of a run.
type results struct {
	*bench
	starts            []firstAnswers
	lines, typescript []figure
	contests          []contest
	sync              time.Duration // to write 4 KB and sync them
	load              string        // of the machine at the beginning, in words; "" if it is not known
}

func (r *results) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The server beside others\n\nWritten by `go -C bench run ./mcp`: every server does every work in each of %d rounds, in turn. %d cores, %s, %s; %s.\n"+
		"To write 4 KB and sync them took %s ms here, on %s%s. Where the machine had other work too, the times on the clock say less than\n"+
		"those of the processor.\n", r.rounds, runtime.NumCPU(), runtime.GOOS, runtime.Version(),
		strings.Join(append(r.programs.versions, r.programs.missing...), ", "), ms(r.sync), disk.FileSystem(r.scratch), r.load)
	r.writeStarts(&b)
	fmt.Fprint(&b, "\n## The servers alone\n\nA client that writes lines made before, and reads lines. Processor time is the server's own, user and system.\n\n")
	r.writeFigures(&b, r.lines)
	fmt.Fprint(&b, "\n## Through the protocol's TypeScript client\n\nThe client's own work is in every time but the last column.\n\n")
	r.writeFigures(&b, r.typescript)
	r.writeRatios(&b)
	r.writeContests(&b)
	r.writeNotes(&b)
	return b.String()
}

func (r *results) writeStarts(w io.Writer) {
	fmt.Fprint(w, "\n## The first answer\n\nFrom the start of the process to the answer to the first request, the median and the quickest, in milliseconds; and the memory that the\nprocess has then. What is not its own are pages of files, which the kernel shares among processes and may take back.\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| server\t| initialize\t| server/discover\t| MiB then\t| of these its own\t|\n| ---\t| ---:\t| ---:\t| ---:\t| ---:\t|\n")
	for _, f := range r.starts {
		fmt.Fprintf(t, "| %s\t| %s\t| %s\t| %.1f\t| %.1f\t|\n", f.server, spread(f.times["initialize"]), spread(f.times["server/discover"]), float64(f.resident)/(1<<20), float64(f.own)/(1<<20))
	}
	t.Flush()
}

func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%s)", ms(quantile(all, 0.5)), ms(quantile(all, 0)))
}

// writeFigures writes a line for each job, number in flight and server.
func (r *results) writeFigures(w io.Writer, all []figure) {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| work\t| in flight\t| server\t| calls a second\t| p50 ms\t| p99 ms\t| processor ms a call\t|\n"+
		"| ---\t| ---:\t| ---\t| ---:\t| ---:\t| ---:\t| ---:\t|\n")
	for _, f := range all {
		fmt.Fprintf(t, "| %s\t| %d\t| %s\t| %.0f\t| %s\t| %s\t| %s\t|\n", f.job, f.inFlight, f.server, f.rate(),
			ms(quantile(f.each, 0.5)), ms(f.p99()), ms(f.perCall()))
	}
	t.Flush()
}

// writeRatios writes what the peer takes as a multiple of what emend takes, without the TypeScript client.
func (r *results) writeRatios(w io.Writer) {
	per := len(r.programs.servers())
	if per < 3 {
		return
	}
	fmt.Fprint(w, "\n## How many times\n\nWhat server-filesystem takes for a call, as a multiple of what emend takes, from the first table: processor time, and\n"+
		"time on the clock. Below 1 emend takes more.\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| work\t| in flight\t| processor, durable\t| clock, durable\t| processor, durability none\t| clock, durability none\t|\n"+
		"| ---\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t|\n")
	for i := 0; i+per <= len(r.lines); i += per {
		full, none, peer := &r.lines[i], &r.lines[i+1], &r.lines[i+2]
		fmt.Fprintf(t, "| %s\t| %d", full.job, full.inFlight)
		for _, f := range []*figure{full, none} {
			fmt.Fprintf(t, "\t| %.1f\t| %.1f", float64(peer.perCall())/float64(f.perCall()), f.rate()/peer.rate())
		}
		fmt.Fprint(t, "\t|\n")
	}
	t.Flush()
}

func (r *results) writeContests(w io.Writer) {
	fmt.Fprintf(w, "\n## One file, %d edits at once\n\nEach of another line of the same file, all in flight together. emend refuses an edit that was made against an older file;\n"+
		"it is made again, as the refusal says.\n\n", contenders)
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(t, "| server\t| answered as made\t| in the file afterwards\t| refused on the way\t|\n| ---\t| ---:\t| ---:\t| ---:\t|\n")
	for _, c := range r.contests {
		fmt.Fprintf(t, "| %s\t| %d\t| %d\t| %d\t|\n", c.server, c.answered, c.there, c.refused)
	}
	t.Flush()
}

func (r *results) writeNotes(w io.Writer) {
	fmt.Fprint(w, "\nThe work:\n\n")
	for _, j := range r.jobs {
		fmt.Fprintf(w, "- %s: %s\n", j.name, j.doc)
	}
	fmt.Fprint(w, "\nThe most memory that each server had:")
	for i, s := range r.programs.servers() {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, " %s %d MiB", s.name, r.memory[s.name]>>20)
	}
	fmt.Fprint(w, ".\n")
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }
