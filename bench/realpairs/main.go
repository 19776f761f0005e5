// Command realpairs tests emend on real changes. Every file that differs between consecutive versions of the modules in
// modules.txt becomes a patch in each dialect, which is parsed and planned. The result must be the new file, byte for byte.
// git apply and GNU patch get the same changes as unified diffs.
//
//	go -C bench run ./realpairs                  # all of them
//	go -C bench run ./realpairs -max 400 -seed 7 # a sample
//	go -C bench run ./realpairs -diffs -out realpairs/DIFFS.md
//
// The go command downloads the modules into its module cache. Plans are made in memory: only the rooms above the waterline
// are tested.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/internal/modpairs"
	"github.com/emend-dev/emend/internal/dialect"
)

//go:embed modules.txt
var modules []byte

// config is the parsed flags.
type config struct {
	max      int
	seed     uint64
	around   int
	dialects []*dialect.Dialect
	peers    bool
	out      string
	only     string
	diffs    bool
	most     time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	conf, err := flags(os.Args[1:])
	switch {
	case err != nil:
	case conf.diffs:
		err = proveDiffs(ctx, conf, os.Stdout, os.Stderr)
	default:
		err = run(ctx, conf, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "realpairs:", err)
		os.Exit(1)
	}
}

func flags(args []string) (config, error) {
	var c config
	fs := flag.NewFlagSet("realpairs", flag.ExitOnError)
	fs.IntVar(&c.max, "max", 0, "prove a sample of this many changes; 0 is all of them")
	fs.Uint64Var(&c.seed, "seed", 1, "which sample")
	fs.IntVar(&c.around, "context", 3, "draft hunks with at least this many lines of context")
	fs.BoolVar(&c.peers, "peers", true, "put the same changes to git apply and GNU patch")
	fs.StringVar(&c.out, "out", "", "write the summary to this file too, as Markdown")
	fs.StringVar(&c.only, "only", "", "only modules whose path contains this")
	fs.BoolVar(&c.diffs, "diffs", false, "put the diffs that git and GNU diff write of the same changes to emend, git apply and GNU patch")
	fs.DurationVar(&c.most, "for", 0, "with -diffs, begin no further pair of versions after this time; 0 is no limit")
	names := fs.String("dialects", "", "comma-separated; none named is all of them")
	fs.Parse(args)
	for _, d := range dialect.All {
		if *names == "" || strings.Contains(","+*names+",", ","+d.Name+",") {
			c.dialects = append(c.dialects, d)
		}
	}
	if want := strings.Count(*names, ",") + 1; *names != "" && len(c.dialects) != want {
		return c, fmt.Errorf("-dialects %s: %d of the %d names are dialects", *names, len(c.dialects), want)
	}
	return c, nil
}

func run(ctx context.Context, c config, stdout, stderr io.Writer) error {
	start := time.Now()
	sum, err := prepare(ctx, c, stderr)
	if err != nil {
		return err
	}
	if err := sum.prove(ctx, c, stderr); err != nil {
		return err
	}
	sum.took = time.Since(start)
	if c.out != "" {
		if err := os.WriteFile(c.out, []byte(sum.String()), 0o666); err != nil {
			return err
		}
	}
	fmt.Fprint(stdout, sum)
	passed, failed := sum.count()
	fmt.Fprintf(stdout, "\n%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return fmt.Errorf("%d failed", failed)
	}
	return nil
}

// prepare fetches the modules and selects the changes.
func prepare(ctx context.Context, c config, stderr io.Writer) (*summary, error) {
	list, err := modpairs.ReadList(bytes.NewReader(modules))
	if err != nil {
		return nil, fmt.Errorf("modules.txt: %w", err)
	}
	list = keep(list, func(v modpairs.Version) bool { return strings.Contains(v.Module, c.only) })
	fmt.Fprintf(stderr, "fetching %d versions\n", len(list))
	trees, err := modpairs.Fetch(ctx, list)
	if err != nil {
		return nil, err
	}
	pairs, err := modpairs.Pairs(trees)
	if err != nil {
		return nil, err
	}
	sum := newSummary(c, trees, pairs)
	sum.pairs = modpairs.Sample(pairs, c.max, c.seed)
	return sum, nil
}

func keep[T any](items []T, want func(T) bool) []T {
	var out []T
	for _, item := range items {
		if want(item) {
			out = append(out, item)
		}
	}
	return out
}
