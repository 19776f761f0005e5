package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend/bench/accuracy/damage"
	"github.com/emend-dev/emend/bench/internal/modpairs"
)

// lists are the files with the versions of each corpus, Go modules and npm packages, relative to the directory bench.
var lists = map[string][2]string{
	"first":  {"realpairs/modules.txt", "accuracy/packages.txt"},
	"second": {"accuracy/second_modules.txt", "accuracy/second_packages.txt"},
}

// corpus is a set of real changes of real files.
type corpus struct {
	lists     [2]string
	pairs     []modpairs.Pair
	found     int             // number in both halves
	older     map[version]int // the change that led to a version of a file
	missing   []modpairs.Missing
	sums      [2]string // of the lists
	versions  [2]int
	languages map[string]int // of the changes that a patch of lines can express
	changes   int
}

// version is one version of one file.
type version struct{ module, version, path string }

func readCorpus(ctx context.Context, name, half string, progress io.Writer) (*corpus, error) {
	c := &corpus{lists: lists[name], languages: map[string]int{}, older: map[version]int{}}
	var read [2][]modpairs.Version
	for i, name := range c.lists {
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
	c.found, c.missing = len(pairs), missing
	for _, p := range pairs {
		if inHalf(half, p.Module) {
			c.older[version{p.Module, p.To, p.Path}] = len(c.pairs)
			c.pairs = append(c.pairs, p)
		}
	}
	return c, err
}

// change returns change number n. It reports false for one that a patch of lines cannot express.
func (c *corpus) change(n int) (*damage.Change, bool, error) {
	before, after, err := c.pairs[n].Load()
	if err != nil {
		return nil, false, err
	}
	out, ok := damage.NewChange(c.pairs[n].Path, before, after)
	if ok {
		out.Older = func() (string, bool) { return c.before(n) }
		out.Second = sync.OnceValues(func() (*damage.Change, bool) { return c.beside(n) })
	}
	return out, ok, nil
}

// before returns the file of change n one version before its old side, if the corpus has this version.
func (c *corpus) before(n int) (string, bool) {
	p := c.pairs[n]
	at, ok := c.older[version{p.Module, p.From, p.Path}]
	if !ok {
		return "", false
	}
	older, _, err := c.pairs[at].Load()
	return older, err == nil
}

// beside returns the next change between the same versions, in a file with the same extension.
func (c *corpus) beside(n int) (*damage.Change, bool) {
	p := c.pairs[n]
	for _, q := range c.pairs[n+1:] {
		if q.Module != p.Module || q.To != p.To {
			break
		}
		if path.Ext(q.Path) != path.Ext(p.Path) {
			continue
		}
		before, after, err := q.Load()
		if err != nil {
			break
		}
		if out, ok := damage.NewChange(q.Path, before, after); ok {
			return out, true
		}
	}
	return nil, false
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
