package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

// config is the parsed flags.
type config struct {
	max, perKind, perPair int
	seed                  uint64
	damages               [][]damage.Kind // each is tried alone, over all changes
	peersToo, quick       bool
	formats               bool
	which, half           string // of the corpora; of the packages
	out, scratch, given   string // given: the flags as they were given
	show                  *show  // nil: measure
}

func flags(args []string) (config, error) {
	var c config
	var show show
	fs := flag.NewFlagSet("accuracy", flag.ExitOnError)
	fs.StringVar(&c.which, "corpus", "first", "take the packages of this corpus, \"first\" or \"second\"")
	fs.StringVar(&c.half, "half", "", "of the packages, take \"tune\", \"report\" or \"all\"; default report, with -show tune")
	fs.IntVar(&c.max, "max", 300, "judge up to this many changes of each kind in process; 0 is all of them")
	fs.IntVar(&c.perKind, "each", 200, "put this many of them to the programs")
	fs.IntVar(&c.perPair, "pair", 4, "judge this many changes of each pair of kinds")
	fs.Uint64Var(&c.seed, "seed", 1, "which samples, and what is spoiled how")
	fs.BoolVar(&c.peersToo, "peers", true, "ask the programs")
	fs.BoolVar(&c.formats, "formats", false, "write the same hunks in every format that emend reads, as dialect or tool, instead")
	fs.BoolVar(&c.quick, "quick", false, "a small slice, for every check of a change")
	fs.StringVar(&c.out, "out", "", "write RESULTS.md and WRONG.md, of the second corpus SECOND.md, or with -formats FORMATS.md, into this directory")
	fs.StringVar(&show.what, "show", "", "show cases instead: "+strings.Join(showable, ", "))
	fs.StringVar(&show.system, "system", "emend", "of this system")
	fs.IntVar(&show.most, "n", 8, "show this many")
	fs.StringVar(&show.keep, "keep", "", "put their texts into this directory")
	names := fs.String("kinds", "", "only these kinds of damage, comma-separated; \"a + b\" is both, \"pairs\" is all pairs")
	fs.Parse(args)
	c.given = strings.Join(append([]string{""}, args...), " ")
	if c.quick {
		c.max, c.perKind, c.perPair = 30, 7, 1
	}
	if show.what != "" {
		c.show = &show
	}
	if c.half == "" {
		c.half = map[bool]string{true: "tune", false: "report"}[c.show != nil] // who looks at cases tunes
	}
	if c.show != nil || *names != "" {
		c.perPair = 0
	}
	if _, ok := lists[c.which]; !ok {
		return c, fmt.Errorf("-corpus: there is no %q, only first and second", c.which)
	}
	return c, errors.Join(c.name(*names), show.check(), checkHalf(c.half))
}

// name parses the names of damages.
func (c *config) name(names string) error {
	if names == "" && c.formats {
		c.damages = formatKinds()
		return nil
	}
	if names == "" {
		for _, k := range damage.Kinds {
			c.damages = append(c.damages, []damage.Kind{k})
		}
		return nil
	}
	if names == "pairs" {
		c.damages = kindPairs()
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		var kinds []damage.Kind
		for one := range strings.SplitSeq(name, "+") {
			k, ok := damage.Named(strings.TrimSpace(one))
			if !ok {
				return fmt.Errorf("-kinds: there is no %q", one)
			}
			kinds = append(kinds, k)
		}
		c.damages = append(c.damages, kinds)
	}
	return nil
}

// kindPairs returns the pairs of kinds.
func kindPairs() (out [][]damage.Kind) {
	for _, p := range damage.Pairs() {
		out = append(out, p[:])
	}
	return out
}
