package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

// sampleItem is one change of a sample, with the damages to try.
type sampleItem struct {
	change  int
	damages [][]damage.Kind
}

// pick chooses for each damage up to most changes that it applies to. It prefers the same changes for several damages, and
// depends on the seed.
func (b *bench) pick(damages [][]damage.Kind, most int) (out []sampleItem) {
	by := map[int][][]damage.Kind{}
	order := b.order
	for i, kinds := range damages {
		left := most
		from := 0
		if len(kinds) > 1 { // there are many pairs, each with few changes
			from = i * most
		}
		for at := range order {
			n := order[(from+at)%len(order)]
			if left > 0 && b.applies(n, kinds) {
				by[n] = append(by[n], kinds)
				left--
			}
		}
	}
	for n := range b.can {
		if by[n] != nil {
			out = append(out, sampleItem{n, by[n]})
		}
	}
	return out
}

// applies reports whether all of kinds apply to change n.
func (b *bench) applies(n int, kinds []damage.Kind) bool {
	return b.can[n] != nil && !slices.ContainsFunc(kinds, func(k damage.Kind) bool { return !b.can[n][number(k)] })
}

func number(k damage.Kind) int {
	return slices.IndexFunc(slices.Concat(damage.Kinds, damage.FormatKinds), func(o damage.Kind) bool { return o.Name == k.Name })
}

// itemResult is the result of one errand.
type itemResult struct {
	records []record
	finds   []find
	beaten  []beaten
	shown   []exhibit
}

// ask judges a sample, and sends it to the peers.
func (b *bench) ask(ctx context.Context, what string, damages [][]damage.Kind, most int, peers []*peer) (*tally, error) {
	out, errands := newTally(), b.pick(damages, most)
	out.kinds = named(damages)
	p := newProgress(b.log, what, len(errands))
	err := inOrder(ctx, len(errands), func(ctx context.Context, i int) (itemResult, error) { return b.askOne(ctx, errands[i], peers) },
		func(n int, a itemResult) error {
			out.add(a.records)
			b.picked = append(b.picked, a.finds...)
			b.beaten = append(b.beaten, a.beaten...)
			p.at(n + 1)
			return b.show.print(a.shown)
		})
	return out, err
}

func (b *bench) askOne(ctx context.Context, e sampleItem, peers []*peer) (out itemResult, err error) {
	ch, ok, err := b.corpus.change(e.change)
	if err != nil || !ok {
		return out, err
	}
	r, err := newRoom(b.scratch)
	if err != nil {
		return out, err
	}
	defer r.leave()
	name := b.corpus.pairs[e.change].String()
	d := &desk{scratch: b.scratch}
	defer d.close()
	for _, kinds := range e.damages {
		all, err := b.judge(ctx, d, ch, kinds...)
		if err != nil {
			return out, err
		}
		for _, j := range all {
			out.records = append(out.records, j.record)
			out.shown = append(out.shown, b.show.of(name, j.record, j.spoilt.Case, j.trial)...)
		}
		for _, p := range peers {
			if err := b.askPeer(ctx, r, p, ch, e.change, kinds, all, &out); err != nil {
				return out, fmt.Errorf("%s: %s: %s: %w", name, damageName(kinds), p.name, err)
			}
		}
	}
	return out, nil
}

// named returns the names of damages, in the order of the tables.
func named(damages [][]damage.Kind) (out []string) {
	for _, kinds := range damages {
		out = append(out, damageName(kinds))
	}
	return out
}

func damageName(kinds []damage.Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return strings.Join(names, " + ")
}

// askPeer sends one case to one peer. The program emend must have the same result as in process.
func (b *bench) askPeer(ctx context.Context, r *scratchDir, p *peer, ch *damage.Change, n int, kinds []damage.Kind, all []emendTrial, out *itemResult) error {
	if p.why != "" || p.unified && !b.formats && slices.ContainsFunc(kinds, func(k damage.Kind) bool { return k.Envelope }) {
		return nil
	}
	way, form := damage.InEnvelope, p.form()
	if b.formats {
		way = damage.InUnified
	}
	c := b.spoil(ch, way, form, kinds)
	if c == nil {
		return nil
	}
	t, err := p.fare(ctx, r, c.Case)
	if err != nil {
		return err
	}
	if p.twin != "" {
		if err := t.same(of(p.twin, all)); err != nil {
			return fmt.Errorf("the program and the judge in process differ: %w", err)
		}
		return nil
	}
	rec := c.record(p.name, &t)
	out.records = append(out.records, rec)
	if b.formats {
		out.beaten = append(out.beaten, besides(rec, all)...)
	}
	out.shown = append(out.shown, b.show.of(b.corpus.pairs[n].String(), rec, c.Case, &t)...)
	if rec.first == wrong && !rec.untellable && !rec.onlyRefusal && len(kinds) == 1 {
		out.finds = append(out.finds, findOf(n, kinds[0], p, c.Case, &t, of("emend", all))...)
	}
	return nil
}

// of returns the trial of one system.
func of(system string, all []emendTrial) *trial {
	i := slices.IndexFunc(all, func(j emendTrial) bool { return j.system == system })
	if i < 0 {
		return nil
	}
	return all[i].trial
}
