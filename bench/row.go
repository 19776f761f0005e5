package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// row is one piece of work, and what makes it ready.
type row struct {
	id    string
	group string // the letter of the work
	title string
	ready func(ctx context.Context, b *bench, dir string) (*work, error) // what it lays out in dir goes when the row is done
}

// work is a row made ready.
type work struct {
	lanes []lane
	bars  []bar
	size  int64        // in bytes, of the file that it is about
	lines int          // of that file
	ops   int          // how many of what is counted a turn does, where that is told as so many a second
	least int          // rounds, for work that is over in no time
	note  string       // to be printed
	end   func() error // nil, or what ends what was started
	found func() int   // nil, or how many lines the programs printed
}

// lane is one program at one work.
type lane struct {
	name   string
	turn   func(ctx context.Context) (sample, error)
	calls  func(ctx context.Context) (map[string]int, error) // its syncs, counted; nil where nobody asks
	why    string                                            // it is missing
	rounds int                                               // fewer than the flag's, where no bar is about it
	part   bool                                              // it does less, and is there to say where the time goes
}

// sample is one turn.
type sample struct {
	took time.Duration
	peak int64
	slow bool // it was given up: took is the limit
}

// bar is what a lane may take at most, as a multiple of what another one takes, or of memory.
type bar struct {
	lane, peer string
	most       float64
	memory     bool // the lane's peak memory as a multiple of the file
}

func (b bar) String() string {
	if b.memory {
		return fmt.Sprintf("%s: peak memory ≤ %.4g × the file", b.lane, b.most)
	}
	return fmt.Sprintf("%s ≤ %.4g × %s", b.lane, b.most, b.peer)
}

// done is a row that was done.
type done struct {
	row
	work
	lanes    []laneDone
	verdicts []verdict
	failed   error
}

// laneDone is a lane with its figures.
type laneDone struct {
	lane
	times []time.Duration
	peak  int64
	slow  bool
	syncs map[string]int
}

// verdict is a bar and what became of it.
type verdict struct {
	bar    string
	got    float64
	most   float64
	below  bool // got is an upper bound: the peer was given up
	memory bool
	absent string // why there is no figure, or none that decides
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

// judge holds the figures against the bars.
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
