package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/emend-dev/emend/bench/internal/line"
)

// figure is the result of one server at one job with so many calls in flight.
type figure struct {
	job, server string
	inFlight    int
	rates       []float64 // calls a second, of each slice
	each        []time.Duration
	cpu         time.Duration
	calls       int
}

func (f *figure) add(s *line.Slice) {
	f.rates = append(f.rates, float64(len(s.Each))/s.Took.Seconds())
	f.each = append(f.each, s.Each...)
	f.cpu += s.CPU
	f.calls += len(s.Each)
}

func (f *figure) rate() float64 { return quantile(f.rates, 0.5) }

func (f *figure) p99() time.Duration { return quantile(f.each, 0.99) }

// perCall returns the server's CPU time for each call.
func (f *figure) perCall() time.Duration { return f.cpu / time.Duration(max(f.calls, 1)) }

func quantile[T float64 | time.Duration](all []T, q float64) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// connection is a running server with a client.
type connection interface {
	Drive(calls []line.Call, inFlight int) (*line.Slice, error)
	PID() int // of the server
	End() error
}

// client starts a server on a side and connects to it.
type client func(ctx context.Context, s *side) (connection, error)

// race has every server do every job. Each does a slice in turn, round by round, in an order that changes.
func (b *bench) race(ctx context.Context, name string, c client) (out []figure, err error) {
	for _, tree := range []string{"", b.programs.sources} {
		sides, err := b.startServers(ctx, name, c, tree, b.programs.servers())
		for _, j := range b.jobs {
			for _, n := range j.inFlight() {
				if j.sources != (tree != "") || err != nil {
					continue
				}
				var figures []figure
				if figures, err = b.heat(sides, j, n); err != nil {
					err = fmt.Errorf("%s, %d in flight: %w", j.name, n, err)
				}
				out = append(out, figures...)
			}
		}
		if err = errors.Join(err, b.stopServers(sides)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (b *bench) heat(sides []*side, j job, inFlight int) ([]figure, error) {
	out := make([]figure, len(sides))
	for i, s := range sides {
		out[i] = figure{job: j.name, server: s.name, inFlight: inFlight}
	}
	calls := b.scale(j.calls, inFlight)
	if b.quick && j.sources {
		return nil, nil
	}
	for round := range b.rounds + 1 { // the first one is to warm up
		for k := range sides {
			i := (k + round) % len(sides)
			s, err := sides[i].turn(j, round*calls, calls, inFlight)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				out[i].add(s)
			}
		}
	}
	return out, nil
}

// scale returns the number of calls in a slice, enough to keep all in flight.
func (b *bench) scale(calls, inFlight int) int {
	if b.quick {
		calls = max(calls/10, 2)
	}
	if inFlight > 1 {
		calls = max(calls, inFlight)
	}
	return calls
}

// turn runs one server's slice, and checks every answer afterwards.
func (s *side) turn(j job, from, calls, inFlight int) (*line.Slice, error) {
	all := make([]line.Call, calls)
	for i := range all {
		all[i] = j.make(s, from+i)
	}
	out, err := s.link.Drive(all, inFlight)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	texts, err := out.Texts()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	for i := range texts {
		if i > 0 && texts[i] == texts[0] {
			continue
		}
		if err := j.check(s, from+i, texts[i]); err != nil {
			return nil, err
		}
	}
	if j.edits {
		return out, s.check()
	}
	return out, nil
}

// startServers creates a tree for every server, unless all share one that nobody changes, and starts the servers.
func (b *bench) startServers(ctx context.Context, name string, c client, tree string, servers []server) (sides []*side, err error) {
	for i, srv := range servers {
		home := filepath.Join(b.scratch, fmt.Sprintf("%s%d%t", name, i, tree == ""))
		s := &side{server: srv, home: home, dir: cmp.Or(tree, filepath.Join(home, "tree")), at: make([]int, directories*perDirectory)}
		if err := os.MkdirAll(home, 0o777); err != nil {
			return sides, err
		}
		if tree == "" {
			if err := lay(s.dir); err != nil {
				return sides, err
			}
		}
		if s.link, err = c(ctx, s); err != nil {
			return sides, fmt.Errorf("%s: %w", s.name, err)
		}
		sides = append(sides, s)
	}
	return sides, nil
}

// stopServers stops the servers, and records how much memory they had.
func (b *bench) stopServers(sides []*side) (err error) {
	for _, s := range sides {
		b.memory[s.name] = max(b.memory[s.name], line.Resident(s.link.PID()))
		err = errors.Join(err, s.link.End())
	}
	return err
}

func (s *side) command() []string { return append(slices.Clip(s.args), s.dir) }
