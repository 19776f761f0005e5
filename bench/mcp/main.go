// Command mcp times emend serve beside the filesystem server of the protocol's authors and an empty server. It measures the
// time to the first answer, and reads, edits, listings and searches with one call and with 32 calls in flight. Every server
// has the same files and its turn in every round. Every answer is checked: the same names, the same text, and the same bytes
// after edits.
//
//	go -C bench run ./mcp                   # writes bench/mcp/RESULTS.md
//	go -C bench run ./mcp -quick            # a part of it, printed only
//	go -C bench run ./mcp -only read -rounds 9
//	go -C bench run ./mcp -least            # what 64 edits in flight take at least; writes bench/mcp/LEAST.md
//
// There are two clients: one that costs next to nothing, so that only the server is measured, and one on the protocol's
// TypeScript library. The programs from npm are those of packages/package-lock.json.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/emend-dev/emend/bench/internal/disk"
)

type bench struct {
	rounds   int
	quick    bool
	out      string
	scratch  string
	jobs     []job
	programs *programs
	memory   map[string]int64 // peak, by server
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{memory: map[string]int64{}, jobs: jobs()}
	only := flag.String("only", "", "do only the jobs whose names begin with this `word`")
	flag.IntVar(&b.rounds, "rounds", 5, "let each server do each job so `many` times")
	flag.BoolVar(&b.quick, "quick", false, "fewer calls, one round, and nothing written")
	flag.StringVar(&b.out, "out", "mcp/RESULTS.md", "write the results to this `file`, as Markdown")
	flag.StringVar(&b.scratch, "dir", "", "lay out the trees below this `directory` (default: the system's temporary one)")
	least := flag.Bool("least", false, "measure what edits take at least, beside servers that do only a part of the work")
	flag.Parse()
	if *least && b.out == "mcp/RESULTS.md" {
		b.out = "mcp/LEAST.md"
	}
	b.jobs = slices.DeleteFunc(b.jobs, func(j job) bool { return !strings.HasPrefix(j.name, *only) })
	if b.quick {
		b.rounds, b.out = 1, ""
	}
	run := b.run
	if *least {
		run = b.least
	}
	if err := b.inScratch(ctx, run); err != nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		os.Exit(1)
	}
}

// inScratch calls run with the programs, and with a directory for it.
func (b *bench) inScratch(ctx context.Context, run func(context.Context) error) (err error) {
	if b.scratch, err = os.MkdirTemp(b.scratch, "emend-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	if err := disk.Spread(b.scratch); err != nil { // each server's tree by itself
		return err
	}
	if b.programs, err = find(ctx, b.scratch); err != nil {
		return err
	}
	return run(ctx)
}

func (b *bench) run(ctx context.Context) (err error) {
	r := results{bench: b, load: load()}
	if r.sync, err = b.syncs(); err != nil {
		return err
	}
	if r.starts, err = b.starts(ctx); err != nil {
		return err
	}
	if r.lines, err = b.race(ctx, "lines", b.lines); err != nil {
		return err
	}
	if b.programs.node != "" {
		if r.typescript, err = b.race(ctx, "typescript", b.typescript); err != nil {
			return err
		}
	}
	if r.contests, err = b.contests(ctx); err != nil {
		return err
	}
	fmt.Print(&r)
	if b.out != "" {
		return os.WriteFile(b.out, []byte(r.String()), 0o666)
	}
	return nil
}

// load returns the load of the machine, as the end of a sentence; "" if it is not known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return fmt.Sprintf(", and the load of the machine was %s at the beginning", strings.Fields(string(text))[0])
}
