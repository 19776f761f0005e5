package main

import (
	"fmt"
	"strings"
	"time"
)

// check is a condition and what was found.
type check struct {
	text, found string
	met         bool
	rest        []string // the misses
}

// Limits that the results must meet.
const (
	leastKinds   = 50
	leastEach    = 100
	leastFirst   = 0.75 // of lenient, at first
	leastEnd     = 0.85 // of lenient, after one repair
	leastRepairs = 0.95
	mostMedian   = 600
	mostP90      = 2048
	longestRun   = 20 * time.Minute
)

func (b *bench) checks() []check {
	out := []check{{
		text: fmt.Sprintf("at least %d kinds of damage", leastKinds), met: len(b.alone.kinds) >= leastKinds,
		found: fmt.Sprintf("%d kinds, %d changes", len(b.alone.kinds), b.corpus.changes),
	}, b.enoughCases()}
	for _, s := range mustBeRight {
		out = append(out, b.nothingWrong(s))
	}
	out = append(out, b.lenientLands(), b.againstCodex())
	for _, s := range mustBeRight {
		out = append(out, b.landAfterRepair(s))
	}
	for _, s := range binding {
		if len(b.alone.shown[s]) > 0 { // some are asked with -formats only
			out = append(out, b.shortRefusals(s))
		}
	}
	return append(out, check{text: "the whole run under 20 minutes", found: b.took.Round(time.Second).String(), met: b.took < longestRun})
}

// lenientLands checks how much lenient lands over all kinds.
func (b *bench) lenientLands() check {
	const system = "emend --lenient"
	first, _ := b.alone.mean(system, b.alone.kinds, questions[0].of)
	end, _ := b.alone.mean(system, b.alone.kinds, questions[2].of)
	return check{
		text:  fmt.Sprintf("%s lands %.0f %% at first and %.0f %% after one repair, over all kinds", system, 100*leastFirst, 100*leastEnd),
		found: fmt.Sprintf("%s %% and %s %%", percent(first), percent(end)), met: first >= leastFirst && end >= leastEnd,
	}
}

// shortRefusals checks what a model has to read.
func (b *bench) shortRefusals(system string) check {
	median, p90, n := b.alone.sizes(system)
	return check{
		text:  fmt.Sprintf("%s: the text of a refusal has at most %d bytes in the median and %d at the 90th percentile", system, mostMedian, mostP90),
		found: fmt.Sprintf("%d and %d, of %d", median, p90, n), met: median <= mostMedian && p90 <= mostP90,
	}
}

// enoughCases checks whether the programs got enough cases.
func (b *bench) enoughCases() check {
	c := check{text: fmt.Sprintf("at least %d changes of each kind, through every program", leastEach), met: len(b.peers) > 0}
	few := 0
	for _, k := range b.alone.kinds {
		if n := b.beside.asked("emend", k); n < leastEach {
			few++
			c.met = c.met && n >= b.alone.asked("emend", k) // there are no more
			c.rest = append(c.rest, fmt.Sprintf("%s: %d, of %d that have something to spoil", k, n, b.alone.asked("emend", k)))
		}
	}
	c.found = fmt.Sprintf("%d of %d kinds", len(b.alone.kinds)-few, len(b.alone.kinds))
	for _, p := range b.peers {
		if p.why != "" {
			c.met = false
			c.rest = append(c.rest, p.name+" NOT RUN: "+p.why)
		}
	}
	return c
}

func (b *bench) nothingWrong(system string) check {
	one := []string{system}
	c := check{text: system + " lands nothing wrong, at first or after a repair, alone or in pairs"}
	c.rest = append(b.alone.wrong(one), b.pairs.wrong(one)...)
	c.met = len(c.rest) == 0
	alone, pairs := b.alone.total(system, b.alone.kinds), b.pairs.total(system, b.pairs.kinds)
	c.found = fmt.Sprintf("%d of %d, %d of %d in pairs", alone.wrong+alone.rewrong, alone.judged(), pairs.wrong+pairs.rewrong, pairs.judged())
	return c
}

// againstCodex compares the cases that land at first, for every kind of which Codex lands nothing wrong.
func (b *bench) againstCodex() check {
	c := check{text: "emend --lenient lands at least Codex's share on every kind of which Codex lands nothing wrong", met: true}
	kinds, ahead := 0, 0
	for _, k := range b.alone.kinds {
		ours, theirs := b.beside.at("emend --lenient", k), b.beside.at(codex, k)
		if theirs.n == 0 || theirs.wrong > 0 {
			continue
		}
		kinds++
		if ours.landed*theirs.n >= theirs.landed*ours.n {
			ahead++
			continue
		}
		c.met = false
		c.rest = append(c.rest, fmt.Sprintf("%s: %s, Codex %s; after one repair %s", k, share(ours.landed, ours.n), share(theirs.landed, theirs.n), share(ours.inTheEnd(), ours.n)))
	}
	c.found = fmt.Sprintf("on %d of %d such kinds", ahead, kinds)
	if kinds == 0 {
		c.met, c.found = false, "Codex landed something wrong on every kind, or was not asked"
	}
	return c
}

// landAfterRepair checks how many of the refused cases land after one repair, if their meaning is recognizable.
func (b *bench) landAfterRepair(system string) check {
	all := b.alone.total(system, b.alone.kinds)
	c := check{text: fmt.Sprintf("%s: of what is refused and has a unique near place, one repair lands %.0f %%", system, 100*leastRepairs)}
	c.found = fmt.Sprintf("%s %% of %d; %d refused cases have none", share(all.nearRepaired, all.near), all.near, all.refused-all.near)
	if all.open > 0 {
		c.found += fmt.Sprintf(", %d of them only because a left-out line has two sides: of those %s %%", all.open, share(all.openRepaired, all.open))
	}
	c.met = float64(all.nearRepaired) >= leastRepairs*float64(all.near)
	for _, k := range b.alone.kinds {
		if one := b.alone.at(system, k); float64(one.nearRepaired) < leastRepairs*float64(one.near) {
			c.rest = append(c.rest, fmt.Sprintf("%s: %s of %d", k, share(one.nearRepaired, one.near), one.near))
		}
	}
	return c
}

// String formats the check as a list item, with the misses below it.
func (c check) String() string {
	mark, missed := "x", ""
	if !c.met {
		mark, missed = " ", " **MISSED**"
	}
	lines := []string{fmt.Sprintf("- [%s] %s: %s%s", mark, c.text, c.found, missed)}
	for i, r := range c.rest {
		if i == mostMisses {
			lines = append(lines, fmt.Sprintf("  - and %d more", len(c.rest)-i))
			break
		}
		lines = append(lines, "  - "+r)
	}
	return strings.Join(lines, "\n") + "\n"
}

// mostMisses is the number of misses that are listed.
const mostMisses = 30
