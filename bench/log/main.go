// Command log times what reads a long log: verify beside sha256sum of the same bytes, doctor after many edits of one file,
// and questions about one of many calls. The logs of verify are those of internal/logtest; the edits and calls are really
// made, with nothing synced.
//
//	go -C bench run ./log                # writes bench/log/RESULTS.md
//	go -C bench run ./log -large         # a million records and 100,000 edits as well; some minutes
//	go -C bench run ./log -large -only questions
//	go -C bench run ./log -against OLD   # an older build of emend in the same rounds
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/bench/internal/growing"
	"github.com/emend-dev/emend/internal/logtest"
	"github.com/emend-dev/emend/proof/product"
)

type bench struct {
	emend, old, scratch string
	timer               growing.Timer
	page                strings.Builder
	sections            []section
}

func main() {
	if len(os.Args) == 5 && os.Args[1] == "make" {
		exit(makeTree(os.Args[2], os.Args[3], os.Args[4]))
		return
	}
	if len(os.Args) == 4 && os.Args[1] == "page" {
		exit(page(os.Args[2], os.Args[3]))
		return
	}
	b := &bench{}
	large := flag.Bool("large", false, "a million records and 100,000 edits as well")
	only := flag.String("only", "", "measure and print one `part` only: verify, doctor or questions")
	out := flag.String("out", "log/RESULTS.md", "write the results to this `file`")
	flag.StringVar(&b.old, "against", "", "run this older `build` of emend too")
	flag.IntVar(&b.timer.Rounds, "rounds", 5, "let each program do each job so `many` times; the fastest counts")
	flag.DurationVar(&b.timer.Limit, "limit", 2*time.Minute, "give up on a run after this `time`")
	flag.Parse()
	records, edits, calls := []int{1_000, 10_000, 100_000}, []int{1_000, 10_000}, []int{1_000, 10_000, 100_000}
	if *large {
		records, edits, calls = append(records, 1_000_000), append(edits, 100_000), append(calls, 1_000_000)
	}
	b.sections = []section{{"verify", func(ctx context.Context) error { return b.verify(ctx, records) }},
		{"doctor", func(ctx context.Context) error { return b.doctor(ctx, edits) }},
		{"questions", func(ctx context.Context) error { return b.questions(ctx, calls) }}}
	if *only != "" {
		b.sections = slices.DeleteFunc(b.sections, func(s section) bool { return s.name != *only })
		*out = ""
	}
	exit(b.run(context.Background(), *out))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "log:", err)
		os.Exit(1)
	}
}

// makeTree makes a workspace with about n records, or with n edits of one file. A process of its own does it: the memory of
// the benchmark would count as that of the programs that it starts.
func makeTree(kind, dir, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	switch kind {
	case "log":
		return logtest.Make(dir, n*5/9) // nine records for five calls
	case "calls":
		return makeCalls(dir, n/2)
	}
	ws, err := emend.Open(dir, emend.NoSync())
	if err != nil {
		return err
	}
	defer ws.Close()
	ctx := context.Background()
	if _, err := ws.Create(ctx, api.CreateRequest{Path: "f"}); err != nil {
		return err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(nil))
	for i := range n {
		a, err := ws.Write(ctx, api.WriteRequest{Path: "f", Content: fmt.Sprintln(i), ExpectedSha256: sum})
		if err != nil {
			return err
		}
		sum = a.Data.AfterSha256
	}
	return nil
}

// section is a part of the page.
type section struct {
	name    string
	measure func(context.Context) error
}

func (b *bench) run(ctx context.Context, out string) (err error) {
	if b.scratch, err = os.MkdirTemp("", "emend-log"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	b.emend = filepath.Join(b.scratch, "emend")
	if err := product.BuildRelease(ctx, b.emend); err != nil {
		return err
	}
	if err := b.timer.Start(ctx, b.scratch); err != nil {
		return err
	}
	defer b.timer.End()
	fmt.Fprintf(&b.page, "# A long log\n\nWritten by `go -C bench run ./log`; %s, %d processors%s, warm cache, each run a process of its own; of %d runs the least time\n"+
		"on the clock, the least processor time and the largest memory count. An exponent is that of the processor time (0 does not grow, 1 is linear), from the size\n"+
		"before, and in the bars from the smallest to the largest.\n", runtime.GOOS, runtime.NumCPU(), load(), b.timer.Rounds)
	for _, s := range b.sections {
		if err := s.measure(ctx); err != nil {
			return err
		}
	}
	fmt.Print(b.page.String())
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(b.page.String()), 0o644)
}

func (b *bench) programs(dir string, args ...string) []growing.Program {
	args = append([]string{"-C", dir, "-q"}, args...)
	all := []growing.Program{{Name: "emend", Args: append([]string{b.emend}, args...)}}
	if b.old != "" {
		all = append(all, growing.Program{Name: "emend, older build", Args: append([]string{b.old}, args...)})
	}
	return all
}

func (b *bench) verify(ctx context.Context, sizes []int) error {
	t := &table{title: "verify", unit: "records",
		about:  "`emend verify` checks every record and compares the files; `sha256sum` reads the same segments and hashes them as they are.",
		growth: linear, memory: true}
	for _, n := range sizes {
		dir, err := b.tree(ctx, "log", n)
		if err != nil {
			return err
		}
		segments, err := filepath.Glob(filepath.Join(dir, ".emend/log/*.jsonl"))
		if err != nil {
			return err
		}
		for _, p := range append(b.programs(dir, "verify"), growing.Program{Name: "sha256sum", Args: append([]string{"sha256sum"}, segments...)}) {
			if err := b.time(t, "all of it", n, p); err != nil {
				return err
			}
		}
		os.RemoveAll(dir)
	}
	b.page.WriteString(t.String())
	return nil
}

func (b *bench) doctor(ctx context.Context, sizes []int) error {
	t := &table{title: "doctor", unit: "edits", about: "After so many edits of one file, each of which has left the contents before it in the history.", growth: linear}
	for _, n := range sizes {
		dir, err := b.tree(ctx, "edits", n)
		if err != nil {
			return err
		}
		for _, p := range b.programs(dir, "doctor") {
			if err := b.time(t, "doctor", n, p); err != nil {
				return err
			}
		}
		os.RemoveAll(dir)
	}
	b.page.WriteString(t.String())
	return nil
}

// time runs a program and adds its cost to a table.
func (b *bench) time(t *table, what string, n int, p growing.Program) error {
	cost, err := b.timer.Time(p)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	t.add(what, p.Name, n, cost)
	return nil
}

func (b *bench) tree(ctx context.Context, kind string, n int) (dir string, err error) {
	if dir, err = os.MkdirTemp(b.scratch, kind); err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(dir, ".emend"), 0o700); err != nil { // makes it the root, whatever is above
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	said, err := exec.CommandContext(ctx, self, "make", kind, dir, strconv.Itoa(n)).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	return dir, nil
}
