package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/emend-dev/emend/bench/internal/disk"
)

// do runs a row. After one round to warm up, its lanes take turns in each round. Each round begins with another lane, and every
// other round is reversed, so that no lane always follows the same one.
func (b *bench) do(ctx context.Context, r row) done {
	begin := time.Now()
	d := done{row: r}
	dir := filepath.Join(b.scratch, r.id)
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = errors.Join(disk.Spread(dir), b.race(ctx, &d, dir))
	}
	d.failed = errors.Join(err, os.RemoveAll(dir))
	d.judge()
	fmt.Fprintf(os.Stderr, "%-28s %6.1f s  %s\n", r.id, time.Since(begin).Seconds(), d.brief())
	return d
}

func (b *bench) race(ctx context.Context, d *done, dir string) (err error) {
	w, err := d.ready(ctx, b, dir)
	if w != nil && w.end != nil {
		defer func() { err = errors.Join(err, w.end()) }()
	}
	if err != nil {
		return err
	}
	d.work = *w
	for _, l := range w.lanes {
		d.lanes = append(d.lanes, laneDone{lane: l})
	}
	rounds := b.rounds
	if !b.quick {
		rounds = max(rounds, w.least)
	}
	for round := range rounds + 1 {
		for i := range d.lanes {
			k := (i + round) % len(d.lanes)
			if round%2 == 1 {
				k = len(d.lanes) - 1 - k
			}
			l := &d.lanes[k]
			if l.out(round) {
				continue
			}
			s, err := l.turn(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			l.add(round, s)
		}
	}
	if w.found != nil {
		d.title += fmt.Sprintf(": %d", w.found())
	}
	return d.count(ctx)
}

// out reports whether a lane skips this round. A lane that was given up does not run again.
func (l *laneDone) out(round int) bool {
	return l.why != "" || l.slow || l.lane.rounds > 0 && round > l.lane.rounds
}

func (l *laneDone) add(round int, s sample) {
	l.peak = max(l.peak, s.peak)
	if l.slow = s.slow; s.slow || round > 0 { // rounds that were finished before still count
		l.times = append(l.times, s.took)
	}
}

// count counts the syncs of each lane once, after all rounds.
func (d *done) count(ctx context.Context) (err error) {
	for i := range d.lanes {
		l := &d.lanes[i]
		if l.calls == nil || l.why != "" {
			continue
		}
		if l.syncs, err = l.calls(ctx); err != nil {
			return fmt.Errorf("%s, counted: %w", l.name, err)
		}
	}
	return nil
}

// brief summarizes the row in one line: the time of each lane and the missed bars.
func (d *done) brief() (out string) {
	if d.failed != nil {
		return "FAILED: " + d.failed.Error()
	}
	for _, l := range d.lanes {
		switch {
		case l.why != "":
			out += l.name + " missing; "
		case len(l.times) > 0:
			out += fmt.Sprintf("%s %s; ", l.name, ms(l.median()))
		}
	}
	for _, v := range d.verdicts {
		if !v.met() {
			out += fmt.Sprintf("MISSED %s: %s; ", v.bar, v.figure())
		}
	}
	return out
}
