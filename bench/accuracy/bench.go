package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
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

	systems []profile      // the profiles of emend
	largest int            // leave out changes with more bytes on both sides together; 0 is no limit
	order   []int          // the changes in the order in which they are tried
	can     [][]bool       // by change and kind: it was judged
	tried   map[string]int // by damage: how many changes were looked at, until there were enough
	alone   *tally         // every kind, in process
	beside  *tally         // every kind, a part of them, all systems
	pairs   *tally         // pairs of kinds, a sample, all systems
	picked  []find         // patches that peers landed wrong
	beaten  []beaten       // of formats: what programs landed right
	judged  int64          // texts sent to emend in process
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
	untellable  func(binding bool) bool
	onlyRefusal bool
	sight       func() damage.Sight
}

func (b *bench) spoil(ch *damage.Change, w damage.Way, f damage.Form, kinds []damage.Kind) *damagedCase {
	var c *damage.Case
	var ok bool
	if b.formats {
		c, ok = ch.CaseIn(w, mint, f, b.seed, kinds...)
	} else {
		c, ok = ch.Case(f, b.seed, kinds...)
	}
	if !ok {
		return nil
	}
	free, bound := sync.OnceValue(func() bool { return c.Untellable(false) }), sync.OnceValue(func() bool { return c.Untellable(true) })
	untellable := func(binding bool) bool {
		if binding {
			return bound()
		}
		return free()
	}
	return &damagedCase{c, untellable, c.OnlyRefusal(), sync.OnceValue(c.Sight)}
}

// judge sends a damaged change to emend in process, with every profile that supports it.
func (b *bench) judge(ctx context.Context, d *desk, ch *damage.Change, kinds ...damage.Kind) (out []emendTrial, err error) {
	type written struct {
		damage.Way
		damage.Form
	}
	spoilt := map[written]*damagedCase{}
	for i := range b.systems {
		p := &b.systems[i]
		c, known := spoilt[written{p.way, p.form}]
		if !known {
			c = b.spoil(ch, p.way, p.form, kinds)
			spoilt[written{p.way, p.form}] = c
		}
		if c == nil {
			continue
		}
		sent := c.Text(p.bare)
		if b.formats {
			sent, _ = c.Sent(mint)
		}
		t, err := fare(ctx, c.Case, sent, p.sender(d, c.Case))
		if err != nil {
			return nil, err
		}
		atomic.AddInt64(&b.judged, 1+int64(one(t.offered)))
		rec := c.record(p.name, &t)
		rec.sent, rec.asCall = len(sent), p.asCall(c.Case, sent)
		out = append(out, emendTrial{rec, &t, c})
	}
	return out, nil
}

// record returns the record of a trial of c.
func (c *damagedCase) record(system string, t *trial) record {
	r := record{
		system: system, kind: c.Kind, untellable: c.untellable(slices.Contains(binding, system)), onlyRefusal: c.onlyRefusal,
		first: t.first.outcome, second: t.second.outcome, offered: t.offered, left: t.first.left, shown: t.first.shown,
	}
	if r.first == refused && !r.untellable && !r.onlyRefusal {
		sight := c.sight()
		r.near, r.open = sight == damage.Clear, sight == damage.Open
	}
	return r
}

// changeResult is the result of one change with every kind of damage alone.
type changeResult struct {
	used  bool
	kinds []kindResult
}

// kindResult is the result of one change with one damage.
type kindResult struct {
	damage  int
	both    bool // both forms that programs get can have it
	records []record
	shown   []exhibit
}

// scan judges changes in process, in an order that depends on the seed, until there are enough of every kind. It stops judging a
// kind as soon as it has enough. A change counts only if it can be damaged in both forms that programs get.
func (b *bench) scan(ctx context.Context) error {
	b.order = rand.New(rand.NewPCG(b.seed, 0)).Perm(len(b.corpus.pairs))
	b.can, b.tried = make([][]bool, len(b.order)), map[string]int{}
	b.alone = newTally()
	b.alone.kinds = named(b.damages)
	full := make([]atomic.Bool, len(b.damages))
	have := make([]int, len(b.damages))
	p := newProgress(b.log, "every kind alone, in process", len(b.order))
	defer func() { b.judging = time.Since(p.start) }()
	err := inOrder(ctx, len(b.order), func(ctx context.Context, i int) (changeResult, error) { return b.scanOne(ctx, b.order[i], full) },
		func(i int, s changeResult) error {
			n := b.order[i]
			open := slices.ContainsFunc(have, func(n int) bool { return b.max == 0 || n < b.max })
			if s.used && open {
				b.corpus.note(n)
				b.can[n] = make([]bool, len(damage.Kinds)+len(damage.FormatKinds))
			}
			for _, k := range s.kinds {
				if !open || full[k.damage].Load() {
					continue
				}
				kinds := b.damages[k.damage]
				if b.tried[damageName(kinds)]++; !k.both {
					continue
				}
				if have[k.damage]++; have[k.damage] == b.max {
					full[k.damage].Store(true)
				}
				if len(kinds) == 1 {
					b.can[n][number(kinds[0])] = true
				}
				b.alone.add(k.records)
				if err := b.show.print(k.shown); err != nil {
					return err
				}
			}
			p.at(i + 1)
			return nil
		})
	return err
}

func (b *bench) scanOne(ctx context.Context, n int, full []atomic.Bool) (out changeResult, err error) {
	if !slices.ContainsFunc(indexes(full), func(i int) bool { return !full[i].Load() }) {
		return out, nil
	}
	ch, ok, err := b.corpus.change(n)
	if err != nil || !ok || b.largest > 0 && len(ch.Old)+len(ch.New) > b.largest {
		return out, err
	}
	out.used = true
	d := &desk{scratch: b.scratch}
	defer d.close()
	for i, kinds := range b.damages {
		if full[i].Load() {
			continue
		}
		all, err := b.judge(ctx, d, ch, kinds...)
		if err != nil {
			return out, fmt.Errorf("%s: %s: %w", b.corpus.pairs[n], damageName(kinds), err)
		}
		k := kindResult{damage: i, both: !slices.ContainsFunc(b.systems, func(p profile) bool { return (p.name == "emend" || p.name == "comma") && of(p.name, all) == nil })}
		if b.formats { // of the undamaged change everybody gets the same
			undamaged := kinds[0].Name == "none"
			if k.both = len(all) > 0 && (!undamaged || len(all) == len(b.systems)); k.both && undamaged {
				k.records = append(k.records, wholeRecord(all[0].spoilt.Case))
			}
		}
		for _, j := range all {
			k.records = append(k.records, j.record)
			k.shown = append(k.shown, b.show.of(b.corpus.pairs[n].String(), j.record, j.spoilt.Case, j.trial)...)
		}
		out.kinds = append(out.kinds, k)
	}
	return out, nil
}

func indexes[T any](of []T) []int {
	out := make([]int, len(of))
	for i := range out {
		out[i] = i
	}
	return out
}
