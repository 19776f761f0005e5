package main

import (
	"fmt"
	"slices"
)

// record summarizes one trial.
type record struct {
	system, kind string
	untellable   bool
	onlyRefusal  bool // nothing but a refusal, or luck, is right
	first        outcome
	second       outcome
	offered      bool
	left         bool
	near         bool // it was refused, and its meaning is recognizable
	shown        int  // the size of the text of the refusal, for profiles of emend
	sent, asCall int  // the size of what was sent, and as the arguments of a call
	open         bool // it was refused, and its place is recognizable, but not on which side of a line its additions go
}

// count is the number of trials by result.
type count struct {
	n                  int // those that can land, without the next two
	untellable         int
	onlyRefusal        int // those of which nothing but a refusal is right
	landed, refused    int
	wrong              int // with those of which only a refusal is right
	left               int // of the refused, those that changed the file nevertheless
	offered            int // of the refused, those with something to follow
	repaired           int // of the refused, after one repair
	rewrong            int // the same, with those of which only a refusal is right
	near, nearRepaired int // of the refused, those whose meaning is recognizable
	open, openRepaired int // of the refused, those of which only the place is
}

func (c *count) add(r record) {
	if r.untellable {
		c.untellable++
		return
	}
	if r.onlyRefusal {
		c.onlyRefusal++
		c.wrong += one(r.first == wrong)
		c.rewrong += one(r.first == refused && r.second == wrong)
		return
	}
	c.n++
	switch r.first {
	case landed:
		c.landed++
	case wrong:
		c.wrong++
	case refused:
		c.refused++
		c.left += one(r.left)
		c.offered += one(r.offered)
		c.repaired += one(r.second == landed)
		c.rewrong += one(r.second == wrong)
		c.near += one(r.near)
		c.nearRepaired += one(r.near && r.second == landed)
		c.open += one(r.open)
		c.openRepaired += one(r.open && r.second == landed)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (c *count) plus(o *count) {
	c.n, c.untellable, c.onlyRefusal = c.n+o.n, c.untellable+o.untellable, c.onlyRefusal+o.onlyRefusal
	c.landed, c.refused, c.wrong = c.landed+o.landed, c.refused+o.refused, c.wrong+o.wrong
	c.left, c.offered = c.left+o.left, c.offered+o.offered
	c.repaired, c.rewrong = c.repaired+o.repaired, c.rewrong+o.rewrong
	c.near, c.nearRepaired = c.near+o.near, c.nearRepaired+o.nearRepaired
	c.open, c.openRepaired = c.open+o.open, c.openRepaired+o.openRepaired
}

// judged returns how many can land wrong.
func (c *count) judged() int { return c.n + c.onlyRefusal }

// inTheEnd returns how many landed, at first or after one repair.
func (c *count) inTheEnd() int { return c.landed + c.repaired }

// tally is counts by system and kind.
type tally struct {
	cells map[[2]string]*count
	shown map[string][]int    // by system: the sizes of the texts of refusals
	sent  map[string][][2]int // by system: the sizes of undamaged patches, and as the arguments of a call
	kinds []string
}

func newTally() *tally {
	return &tally{cells: map[[2]string]*count{}, shown: map[string][]int{}, sent: map[string][][2]int{}}
}

func (t *tally) add(records []record) {
	for _, r := range records {
		key := [2]string{r.system, r.kind}
		if t.cells[key] == nil {
			t.cells[key] = new(count{})
		}
		t.cells[key].add(r)
		if r.kind == "none" {
			t.sent[r.system] = append(t.sent[r.system], [2]int{r.sent, r.asCall})
		}
		if r.first == refused && r.shown > 0 {
			t.shown[r.system] = append(t.shown[r.system], r.shown)
		}
	}
}

// at returns the count of a system for a kind. It is empty if the system got no such case.
func (t *tally) at(system, kind string) *count {
	if c := t.cells[[2]string{system, kind}]; c != nil {
		return c
	}
	return &count{}
}

// asked returns how many cases there were, decidable or not.
func (t *tally) asked(system, kind string) int {
	return t.at(system, kind).judged() + t.at(system, kind).untellable
}

// mean returns the mean of a figure over kinds, each with the same weight, and of how many kinds it is. Kinds without a case that
// the figure is about are left out.
func (t *tally) mean(system string, kinds []string, of func(*count) (part, whole int)) (mean float64, n int) {
	for _, k := range kinds {
		if part, whole := of(t.at(system, k)); whole > 0 {
			mean += float64(part) / float64(whole)
			n++
		}
	}
	return mean / float64(max(1, n)), n
}

// sizes returns the median and the 90th percentile of the texts of refusals, and how many there are.
func (t *tally) sizes(system string) (median, p90, n int) {
	all := slices.Sorted(slices.Values(t.shown[system]))
	if n = len(all); n == 0 {
		return 0, 0, 0
	}
	return all[(n-1)/2], all[(n-1)*9/10], n
}

// total returns the count of a system over kinds.
func (t *tally) total(system string, kinds []string) *count {
	out := new(count{})
	for _, k := range kinds {
		out.plus(t.at(system, k))
	}
	return out
}

// shared lists the kinds that all of systems got. Totals over other kinds would not be comparable.
func (t *tally) shared(systems []string) (out []string) {
	for _, k := range t.kinds {
		if !slices.ContainsFunc(systems, func(s string) bool { return t.asked(s, k) == 0 }) {
			out = append(out, k)
		}
	}
	return out
}

// wrong lists what the given systems landed wrong.
func (t *tally) wrong(systems []string) (out []string) {
	for _, s := range systems {
		for _, k := range t.kinds {
			if c := t.at(s, k); c.wrong+c.rewrong > 0 {
				out = append(out, fmt.Sprintf("%s, %s: %d at first, %d after one repair, of %d", s, k, c.wrong, c.rewrong, c.judged()))
			}
		}
	}
	return out
}
