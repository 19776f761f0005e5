package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/emend-dev/emend/bench/accuracy/damage"
	"github.com/emend-dev/emend/bench/internal/modpairs"
)

// lists are the files with the versions of the corpus, relative to the directory bench.
var lists = [2]string{"realpairs/modules.txt", "accuracy/packages.txt"}

// corpus is a set of real changes of real files.
type corpus struct {
	pairs     []modpairs.Pair
	found     int // number before sampling
	missing   []modpairs.Missing
	sums      [2]string // of the lists
	versions  [2]int
	languages map[string]int // of the changes that a patch of lines can express
	changes   int
}

func readCorpus(ctx context.Context, most int, seed uint64, progress io.Writer) (*corpus, error) {
	c := &corpus{languages: map[string]int{}}
	var read [2][]modpairs.Version
	for i, name := range lists {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("run this in the directory bench: %w", err)
		}
		if read[i], err = modpairs.ReadList(strings.NewReader(string(text))); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c.sums[i], c.versions[i] = fmt.Sprintf("%x", sha256.Sum256(text)), len(read[i])
	}
	pairs, missing, err := modpairs.Corpus(ctx, read[0], read[1], progress)
	c.pairs, c.found, c.missing = modpairs.Sample(pairs, most, seed), len(pairs), missing
	return c, err
}

// change returns change number n. It reports false for one that a patch of lines cannot express.
func (c *corpus) change(n int) (*damage.Change, bool, error) {
	before, after, err := c.pairs[n].Load()
	if err != nil {
		return nil, false, err
	}
	out, ok := damage.NewChange(c.pairs[n].Path, before, after)
	return out, ok, nil
}

// note counts change number n as used.
func (c *corpus) note(n int) {
	c.changes++
	c.languages[c.pairs[n].Language()]++
}

// spoken lists the languages, the most frequent ones first.
func (c *corpus) spoken() string {
	names := slices.SortedFunc(maps.Keys(c.languages), func(a, b string) int {
		return cmp.Or(c.languages[b]-c.languages[a], strings.Compare(a, b))
	})
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%s %d", n, c.languages[n]))
	}
	return strings.Join(out, ", ")
}

func (c *corpus) modules() int {
	names := map[string]bool{}
	for _, p := range c.pairs {
		names[p.Module] = true
	}
	return len(names)
}
