package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/emend-dev/emend/bench/internal/disk"
	"github.com/emend-dev/emend/bench/internal/line"
)

const (
	leastInFlight = 64
	leastCalls    = 1000 // in a slice: each file once
	leastBar      = 1.5  // times the edits of the reference server
)

// leastFigure adds up the measurements of one server.
type leastFigure struct {
	figure
	client time.Duration // CPU time of the client
}

// least has servers that do a part of the work edit beside emend and the reference server, in turn, and writes a page of it.
func (b *bench) least(ctx context.Context) error {
	servers, err := b.leastServers(ctx)
	if err != nil {
		return err
	}
	began := load()
	sync, err := b.syncs()
	if err != nil {
		return err
	}
	sides, err := b.startServers(ctx, "least", b.lines, "", servers)
	out := make([]leastFigure, len(sides))
	for round := range b.rounds + 1 { // the first one is to warm up
		for k := range sides {
			i := (k + round) % len(sides)
			if err == nil {
				err = out[i].turn(sides[i], round)
			}
		}
	}
	if err = errors.Join(err, b.stopServers(sides)); err != nil {
		return err
	}
	page := b.leastPage(out, sync, disk.FileSystem(b.scratch)+began)
	fmt.Print(page)
	if b.out == "" {
		return nil
	}
	return os.WriteFile(b.out, []byte(page), 0o666)
}

// leastServers builds the servers that do a part of the work, and returns them before the others.
func (b *bench) leastServers(ctx context.Context) ([]server, error) {
	program := filepath.Join(b.scratch, "least")
	if err := build(ctx, program, "least"); err != nil {
		return nil, err
	}
	var out []server
	for _, what := range []string{"answer", "unsynced", "durable"} {
		out = append(out, server{what, []string{program, what}, &line.Our})
	}
	return append(out, b.programs.servers()...), nil
}

// turn runs one slice of a server, and checks its tree, unless the server only answers.
func (f *leastFigure) turn(s *side, round int) error {
	f.server = s.name
	all := make([]line.Call, leastCalls)
	for i := range all {
		all[i] = editCall(s, i)
	}
	before, err := line.Spent(os.Getpid())
	if err != nil {
		return err
	}
	slice, err := s.link.Drive(all, leastInFlight)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	after, err := line.Spent(os.Getpid())
	if err != nil {
		return err
	}
	texts, err := slice.Texts()
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	for i, text := range texts {
		if err := checkEdit(s, i, text); err != nil {
			return err
		}
	}
	if round > 0 {
		f.add(slice)
		f.client += after - before
	}
	if s.name == "answer" {
		return nil
	}
	return s.check()
}

// full returns how many edits a second all processors would do together if they never waited for anything.
func (f *leastFigure) full() float64 {
	return float64(runtime.NumCPU()) * float64(f.calls) / (f.cpu + f.client).Seconds()
}

func (b *bench) leastPage(all []leastFigure, sync time.Duration, where string) string {
	var p strings.Builder
	fmt.Fprintf(&p, `# What an edit takes at least

Written by `+"`go -C bench run ./mcp -least`"+`: durable edits with %d in flight, each of another of 1,000 files of 3.4 KB in %d directories, %d rounds of
%d edits in turn, through a client that writes lines made before. %d processors, %s, %s; %s.
To write 4 KB and sync them took %s ms here, on %s.

The bar is %.1f times the edits of the reference server, which syncs nothing. Beside it and emend there are three servers on the library that emend is
built on, which do only a part of the work (`+"`bench/mcp/least`"+`):

- answer: parses the call and answers; it touches no file
- unsynced: reads the file, compares its hash, writes the new content beside it, and renames that over it
- durable: the same, with a sync of each content; edits that come together share one sync of a log and one of each directory. It has no
  checks of paths, no history, no undo, and no recovery

*All processors* is how many edits a second they would do together if they never waited: what the client and the server take, and nothing else.

`, leastInFlight, directories, b.rounds, leastCalls, runtime.NumCPU(), runtime.GOOS, runtime.Version(), strings.Join(append(b.programs.versions, b.programs.missing...), ", "),
		ms(sync), where, leastBar)
	theirs := 0.0
	for _, f := range all {
		if f.server == "server-filesystem" {
			theirs = f.rate()
		}
	}
	w := tabwriter.NewWriter(&p, 0, 0, 1, ' ', 0)
	fmt.Fprint(w, "| server\t| edits a second\t| times the reference\t| server ms\t| client ms\t| all processors, times the reference\t|\n| ---\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t|\n")
	for _, f := range all {
		times := func(rate float64) string {
			if theirs == 0 {
				return ""
			}
			return fmt.Sprintf("%.2f", rate/theirs)
		}
		fmt.Fprintf(w, "| %s\t| %.0f\t| %s\t| %s\t| %s\t| %s\t|\n", f.server, f.rate(), times(f.rate()), ms(f.perCall()), ms(f.client/time.Duration(max(f.calls, 1))), times(f.full()))
	}
	w.Flush()
	return p.String()
}
