package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// row is one piece of work and how to prepare it.
type row struct {
	id    string
	group string // of the page
	title string
	ready func(ctx context.Context, b *bench, dir string) (*work, error) // dir is removed after the row
}

// work is a row that is ready to run.
type work struct {
	lanes []lane
	bars  []bar
	size  int64        // of the file, in bytes
	lines int          // of the file
	ops   int          // operations in a turn, to print a rate; or 0
	least int          // of rounds, for work that takes little time
	note  string       // printed below the table
	end   func() error // stops what was started, or nil
	found func() int   // number of lines that the programs printed, or nil
}

// lane is one program doing the work of a row.
type lane struct {
	name   string
	turn   func(ctx context.Context) (sample, error)
	calls  func(ctx context.Context) (map[string]int, error) // counts its syncs, or nil
	why    string                                            // the program is missing, and why
	rounds int                                               // fewer than -rounds, where no bar depends on it
	part   bool                                              // does only a part of the work, to tell where the time goes
}

// sample is the result of one turn.
type sample struct {
	took time.Duration
	peak int64
	slow bool // given up; took is the limit
}

// bar is an upper limit of what a lane takes: a multiple of the time of another lane, or of the size of the file.
type bar struct {
	lane, peer string
	most       float64
	memory     bool // limits peak memory as a multiple of the file's size
}

func (b bar) String() string {
	if b.memory {
		return fmt.Sprintf("%s: peak memory ≤ %.4g × the file", b.lane, b.most)
	}
	return fmt.Sprintf("%s ≤ %.4g × %s", b.lane, b.most, b.peer)
}

// done is the result of a row.
type done struct {
	row
	work
	lanes    []laneDone
	verdicts []verdict
	failed   error
}

// laneDone is a lane with its results.
type laneDone struct {
	lane
	times []time.Duration
	peak  int64
	slow  bool
	syncs map[string]int
}

// verdict is a bar with the measured value.
type verdict struct {
	bar    string
	got    float64
	most   float64
	below  bool // got is an upper bound, because the peer was given up
	memory bool
	absent string // why there is no value, or none that decides
}

func (v verdict) met() bool { return v.absent == "" && v.got <= v.most }

func (l *laneDone) median() time.Duration   { return median(l.times) }
func (l *laneDone) quickest() time.Duration { return slices.Min(l.times) }

func (d *done) lane(name string) *laneDone {
	for i := range d.lanes {
		if d.lanes[i].name == name {
			return &d.lanes[i]
		}
	}
	return nil
}

// judge compares the results with the bars.
func (d *done) judge() {
	for _, b := range d.bars {
		d.verdicts = append(d.verdicts, d.verdict(b))
	}
}

func (d *done) verdict(b bar) verdict {
	v := verdict{bar: b.String(), most: b.most, memory: b.memory}
	l, p := d.lane(b.lane), d.lane(b.peer)
	switch {
	case d.failed != nil:
		v.absent = "the row failed"
	case l == nil || len(l.times) == 0:
		v.absent = b.lane + " has no figure"
	case b.memory && l.peak == 0:
		v.absent = "this system does not say how much memory a process had"
	case b.memory:
		v.got = float64(l.peak) / float64(d.size)
	case p == nil || len(p.times) == 0:
		v.absent = b.peer + " is missing"
	case l.slow:
		v.absent = b.lane + " was given up"
	default:
		v.got, v.below = float64(l.median())/float64(p.median()), p.slow
		if v.below && v.got > v.most {
			v.absent = b.peer + " was given up before it could be told"
		}
	}
	return v
}
