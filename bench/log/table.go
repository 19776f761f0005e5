package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/emend-dev/emend/bench/internal/growing"
)

// The exponents that a cost may grow with.
const (
	linear   = 1.05
	constant = 0.1
)

// table has what programs cost at growing sizes.
type table struct {
	title, unit, about string
	growth             float64 // the bar for processor time; that for memory is constant
	memory             bool    // memory has a bar too
	most               float64 // the bar for seconds, at the largest size; 0 for none
	rows               []*series
}

// series has the costs of one program for one thing.
type series struct {
	what, program string
	sizes         []int
	costs         []growing.Cost
}

func (t *table) add(what, program string, n int, c growing.Cost) {
	for _, s := range t.rows {
		if s.what == what && s.program == program {
			s.sizes, s.costs = append(s.sizes, n), append(s.costs, c)
			return
		}
	}
	t.rows = append(t.rows, &series{what, program, []int{n}, []growing.Cost{c}})
}

func (t *table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| what | program | %s | seconds | processor s | peak MB | exponent |\n|---|---|---:|---:|---:|---:|---:|\n", t.title, t.about, t.unit)
	for _, s := range t.rows {
		for i, c := range s.costs {
			before := growing.Cost{}
			if i > 0 {
				before = s.costs[i-1]
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %.0f | %s |\n", s.what, s.program, s.sizes[i], growing.Seconds(c.Seconds), growing.Seconds(c.Processor), c.Peak,
				growing.Exponent(before.Processor, c.Processor, i, s.sizes))
		}
	}
	fmt.Fprintf(&b, "\n| bar | measured | |\n|---|---:|---|\n")
	for _, s := range t.rows {
		last := len(s.costs) - 1
		if s.program != "emend" || last == 0 {
			continue
		}
		first, end := s.costs[0], s.costs[last]
		bar := func(what string, got, most float64) {
			verdict := "met"
			if !(got <= most) {
				verdict = "**MISSED**"
			}
			fmt.Fprintf(&b, "| %s: %s ≤ %v | %.3f | %s |\n", s.what, what, most, got, verdict)
		}
		if t.most > 0 {
			bar(fmt.Sprintf("seconds at %d %s", s.sizes[last], t.unit), end.Seconds, t.most)
		}
		bar("exponent of the processor time", growing.Growth(first.Processor, end.Processor, s.sizes[0], s.sizes[last]), t.growth)
		if t.memory {
			bar("exponent of the memory", growing.Growth(first.Peak, end.Peak, s.sizes[0], s.sizes[last]), constant)
		}
	}
	return b.String()
}

// load words how much work the machine has, "" if that is not known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return ", a load of " + strings.Fields(string(text))[0] + " at the beginning"
}
