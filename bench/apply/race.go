package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// result is the times of one contender at one work.
type result struct {
	contender
	files int
	times []time.Duration
}

// race runs every contender in every round, in an order that turns, and once before to warm up.
func (s *summary) race(ctx context.Context, w *work, all []contender) error {
	results := make([]result, len(all))
	for i, c := range all {
		results[i] = result{contender: c, files: w.files}
	}
	for round := range s.rounds + 1 {
		for i := range results {
			r := &results[(i+round)%len(results)]
			took, err := s.once(ctx, w, &r.contender)
			if err != nil {
				return fmt.Errorf("%s, %d files: %w", r.name, w.files, err)
			}
			if round > 0 {
				r.times = append(r.times, took)
			}
		}
	}
	s.results = append(s.results, results...)
	return nil
}

// once runs a contender in a fresh tree and looks at what it did.
func (s *summary) once(ctx context.Context, w *work, c *contender) (time.Duration, error) {
	dir, err := w.lay(s.scratch)
	defer os.RemoveAll(dir)
	if err != nil {
		return 0, err
	}
	if c.ours {
		if err := warm(ctx, s.emend, dir); err != nil {
			return 0, err
		}
	}
	stdin, err := os.Open(w.patches[c.form])
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	cmd := c.command(ctx, dir, stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	err = cmd.Run()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, said.Bytes())
	}
	if c.part {
		return took, check(dir, w.old)
	}
	return took, check(dir, w.new)
}

func (r *result) median() time.Duration {
	sorted := slices.Sorted(slices.Values(r.times))
	return sorted[len(sorted)/2]
}

func (r *result) quickest() time.Duration { return slices.Min(r.times) }
