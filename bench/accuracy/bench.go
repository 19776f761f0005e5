package main

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

// bench is one run of the benchmark.
type bench struct {
	config
	corpus *corpus
	peers  []*peer
	log    io.Writer

	can     []uint64 // by change: the kinds that apply to it
	alone   *tally   // every kind, all changes, in process
	beside  *tally   // every kind, a sample, all systems
	pairs   *tally   // pairs of kinds, a sample, all systems
	picked  []find   // patches that peers landed wrong
	judged  int64    // texts sent to emend in process
	judging time.Duration
	took    time.Duration
}

// emendTrial is one trial of emend in process.
type emendTrial struct {
	record
	trial  *trial
	spoilt *damagedCase
}

// damagedCase is a damaged case, with what is known of it independently of the system.
type damagedCase struct {
	*damage.Case
	untellable bool
	sight      func() damage.Sight
}

func (b *bench) spoil(ch *damage.Change, f damage.Form, kinds []damage.Kind) *damagedCase {
	c, ok := ch.Case(f, b.seed, kinds...)
	if !ok {
		return nil
	}
	return &damagedCase{c, c.Untellable(), sync.OnceValue(c.Sight)}
}

// judge sends a damaged change to emend in process, with every profile that supports it.
func (b *bench) judge(ctx context.Context, ch *damage.Change, kinds ...damage.Kind) (out []emendTrial, err error) {
	spoilt := map[damage.Form]*damagedCase{}
	for i := range profiles {
		p := &profiles[i]
		c, known := spoilt[p.form]
		if !known {
			c = b.spoil(ch, p.form, kinds)
			spoilt[p.form] = c
		}
		if c == nil {
			continue
		}
		t, err := fare(ctx, c.Case, c.Text(p.bare), p.send)
		if err != nil {
			return nil, err
		}
		atomic.AddInt64(&b.judged, 1+int64(one(t.offered)))
		out = append(out, emendTrial{c.record(p.name, &t), &t, c})
	}
	return out, nil
}

// record returns the record of a trial of c.
func (c *damagedCase) record(system string, t *trial) record {
	r := record{
		system: system, kind: c.Kind, untellable: c.untellable,
		first: t.first.outcome, second: t.second.outcome, offered: t.offered, left: t.first.left,
	}
	if r.first == refused && !r.untellable {
		sight := c.sight()
		r.near, r.open = sight == damage.Clear, sight == damage.Open
	}
	return r
}

// changeResult is the result of one change with every kind of damage alone.
type changeResult struct {
	used    bool
	can     uint64
	records []record
	shown   []exhibit
}

// scan judges all changes in process.
func (b *bench) scan(ctx context.Context) error {
	b.can = make([]uint64, len(b.corpus.pairs))
	b.alone = newTally()
	b.alone.kinds = named(b.damages)
	p := newProgress(b.log, "every kind alone, in process", len(b.corpus.pairs))
	defer func() { b.judging = time.Since(p.start) }()
	return inOrder(ctx, len(b.corpus.pairs), b.scanOne, func(n int, s changeResult) error {
		if s.used {
			b.corpus.note(n)
		}
		b.can[n] = s.can
		b.alone.add(s.records)
		p.at(n + 1)
		return b.show.print(s.shown)
	})
}

func (b *bench) scanOne(ctx context.Context, n int) (out changeResult, err error) {
	ch, ok, err := b.corpus.change(n)
	if err != nil || !ok {
		return out, err
	}
	out.used = true
	for _, kinds := range b.damages {
		all, err := b.judge(ctx, ch, kinds...)
		if err != nil {
			return out, err
		}
		if len(kinds) == 1 && of("emend", all) != nil && of("comma", all) != nil { // in both forms that programs get
			out.can |= 1 << number(kinds[0])
		}
		for _, j := range all {
			out.records = append(out.records, j.record)
			out.shown = append(out.shown, b.show.of(b.corpus.pairs[n].String(), j.record, j.spoilt.Case, j.trial)...)
		}
	}
	return out, nil
}
