// Command bench times emend beside the programs that people use for the same work, and checks that the results are equal.
// It builds emend, finds or installs the others, gives each the same work in turn, and writes bench/RESULTS.md with the
// times and the bars that they have to meet, and a chart of time against size.
//
//	go -C bench run .                  # everything: half an hour, and 20 GB of disk meanwhile
//	go -C bench run . -list            # list the rows
//	go -C bench run . -only '^[abc]'   # some rows, printed only
//	go -C bench run . -quick           # small sizes and few rounds, printed only: does everything work?
//	go -C bench run . -against OLD     # beside an older build of emend, printed only
//
// With -against every row that runs emend also runs the older build, in every round. A table at the end has the ratio of the
// times. To build the older commit C:
//
//	git worktree add /tmp/old C && cd /tmp/old && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /tmp/emend-old ./cmd/emend
//
// The page names programs that are missing. Files are created below EMEND_BENCH_DIR, or emend-bench in the user's cache
// directory; the trees that are searched stay there for later runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
)

// bench is one run of the benchmark.
type bench struct {
	rounds   int
	quick    bool
	only     *regexp.Regexp
	cache    string // trees that later runs use again
	scratch  string // removed at the end of the run
	trees    map[string]*searchTree
	programs *programs
	launcher launcher
	older    string // the build of -against, or ""
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := &bench{trees: map[string]*searchTree{}}
	only := flag.String("only", "", "do only the rows whose names match this regular `expression`, and print them only")
	list := flag.Bool("list", false, "list the rows")
	out := flag.String("out", "", "write the results to this `file` (default: RESULTS.md, when every row is done)")
	flag.IntVar(&b.rounds, "rounds", 10, "let each program do each work so `many` times")
	against := flag.String("against", "", "run this older `build` of emend beside the one that is measured, and print the results only")
	flag.BoolVar(&b.quick, "quick", false, "small sizes and few rounds")
	flag.Parse()
	if b.quick {
		b.rounds = min(b.rounds, 2)
	}
	err := errors.Join(b.choose(*only), atLeastOne(b.rounds), b.compareWith(*against))
	switch {
	case err != nil:
	case *list:
		b.list()
	default:
		err = b.run(ctx, resultsFile(*out, *only == "" && *against == "" && !b.quick))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// compareWith takes the older build of -against. It must be an executable file.
func (b *bench) compareWith(build string) (err error) {
	if build == "" {
		return nil
	}
	b.older, err = exec.LookPath(build)
	if err == nil {
		b.older, err = filepath.Abs(b.older)
	}
	return err
}

func (b *bench) choose(only string) (err error) {
	b.only, err = regexp.Compile(only)
	return err
}

func atLeastOne(rounds int) error {
	if rounds < 1 {
		return errors.New("-rounds must be 1 or more")
	}
	return nil
}

// resultsFile returns the file for the results, or "" if they are only printed.
func resultsFile(out string, whole bool) string {
	if out == "" && whole {
		return "RESULTS.md"
	}
	return out
}

func (b *bench) list() {
	for _, r := range b.rows() {
		fmt.Printf("%-28s %s\n", r.id, r.title)
	}
}

// skippedRows returns the rows that were not selected.
func (b *bench) skippedRows() (out []string) {
	for _, r := range b.all() {
		if !b.only.MatchString(r.id) {
			out = append(out, r.id)
		}
	}
	return out
}

func (b *bench) run(ctx context.Context, out string) (err error) {
	end, err := b.prepare(ctx)
	defer func() { err = errors.Join(err, end()) }()
	if err != nil {
		return err
	}
	p := &page{rounds: b.rounds, quick: b.quick, programs: b.programs, machine: machine(b.cache), left: b.skippedRows()}
	if p.misses, err = readMisses(); err != nil {
		return err
	}
	for _, r := range b.rows() {
		p.rows = append(p.rows, b.do(ctx, r))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	p.rows = append(p.rows, exponents(p.rows)...)
	if err := p.show(out); err != nil {
		return err
	}
	return p.failed()
}

// prepare creates what every row needs. end removes it.
func (b *bench) prepare(ctx context.Context) (end func() error, err error) {
	end = func() error { return nil }
	if b.cache, err = cacheDir(); err != nil {
		return end, err
	}
	if b.scratch, err = os.MkdirTemp(b.cache, "run-"); err != nil {
		return end, err
	}
	end = func() error { return errors.Join(os.RemoveAll(b.printed()), os.RemoveAll(b.scratch)) }
	if err := os.Mkdir(b.home(), 0o777); err != nil {
		return end, err
	}
	if b.programs, err = find(ctx, b.scratch); err != nil {
		return end, err
	}
	l, err := startLauncher(ctx, b.programs.launch)
	if err != nil {
		return end, err
	}
	b.launcher = l
	clear := end
	return func() error { return errors.Join(l.End(), clear()) }, nil
}

func cacheDir() (string, error) {
	dir := os.Getenv("EMEND_BENCH_DIR")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(base, "emend-bench")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o777)
}
