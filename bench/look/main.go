// Command look times what it costs to have a command looked at, beside the command alone and beside other ways to be able to go back:
// a stash of git, a repository beside the tree, and a copy.
//
//	go -C bench run ./look           # writes bench/look/RESULTS.md
//	go -C bench run ./look -large    # 200,000 files as well; some minutes
//
// A tree is a git work tree of n committed files, a hundred in each directory, as bench/trees makes them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/internal/launch"
	"github.com/emend-dev/emend/proof/product"
)

func main() {
	b := &bench{}
	large := flag.Bool("large", false, "200,000 files as well")
	out := flag.String("out", "look/RESULTS.md", "write the results to this `file`")
	dir := flag.String("dir", "", "lay out the trees below this `directory` (default: the system's temporary one)")
	flag.IntVar(&b.rounds, "rounds", 15, "let each program do each job so `many` times")
	flag.Parse()
	sizes := []int{1_000, 20_000}
	if *large {
		sizes = append(sizes, 200_000)
	}
	if err := b.run(context.Background(), sizes, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "look:", err)
		os.Exit(1)
	}
}

type bench struct {
	rounds   int
	emend    string
	scratch  string
	launcher *launch.Launcher
	missing  []string
}

// job is a command that an agent runs. The n-th round must do something else than the one before.
type job struct {
	name, script string
	needs        string
}

// The jobs get the number of the round as $1.
var jobs = []job{
	{"`true`", "true", "true"},
	{"100 small edits", `for i in 0 1 2 3 4 5 6 7 8 9; do sed -i "s|^// .*|// $1|" d0/s$i/f?.go; done`, "sed"},
	{"a build", `sed -i "s|^// .*|// $1|" d0/s0/f0.go && go build ./d0/...`, "go"},
}

// way is a way to be able to go back, around the command.
type way struct {
	name string
	args func(b *bench, root, script string, round int) []string
}

var ways = []way{
	{"the command alone", func(b *bench, root, script string, round int) []string { return shell(script, round) }},
	{"`emend run`", func(b *bench, root, script string, round int) []string {
		return append([]string{b.emend, "-q", "run", "--"}, shell(script, round)...)
	}},
	{"`git stash create`, then the command", func(b *bench, root, script string, round int) []string {
		return shell("git stash create >/dev/null && "+script, round)
	}},
	{"a repository beside the tree, then the command", func(b *bench, root, script string, round int) []string {
		git := "git --git-dir=" + root + ".shadow --work-tree=. "
		return shell(git+"add -A && "+git+"-c user.name=b -c user.email=b@example.com commit -q --allow-empty -m r && "+script, round)
	}},
	{"a copy (`cp -a`), then the command", func(b *bench, root, script string, round int) []string {
		return shell("rm -rf "+root+".copy && cp -a . "+root+".copy && "+script, round)
	}},
}

func shell(script string, round int) []string {
	return []string{"sh", "-ec", script, "sh", fmt.Sprint(round)}
}

func (b *bench) run(ctx context.Context, sizes []int, dir, out string) (err error) {
	if b.scratch, err = os.MkdirTemp(dir, "emend-look"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	b.emend = filepath.Join(b.scratch, "emend")
	if err := product.BuildRelease(ctx, b.emend); err != nil {
		return err
	}
	launcher := filepath.Join(b.scratch, "launch")
	if said, err := exec.CommandContext(ctx, "go", "build", "-o", launcher, "github.com/emend-dev/emend/bench/launch").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, said)
	}
	if b.launcher, err = launch.Start(ctx, launcher); err != nil {
		return err
	}
	defer b.launcher.End() //nolint:errcheck // the results are there
	var rows strings.Builder
	for _, n := range sizes {
		if err := b.tree(ctx, n, &rows); err != nil {
			return err
		}
	}
	var page strings.Builder
	fmt.Fprintf(&page, "# What a look costs\n\nWritten by `go -C bench run ./look`; %s, %d processors, warm cache, %d runs each, after two that do not count, in turn. A tree is a\n"+
		"git work tree of n committed files, a hundred in each directory. Each run is a process of its own; nothing stays between them but the\n"+
		"index that each way keeps on disk. \"More\" is the median beyond that of the command alone. A copy is removed before it is made again.\n", runtime.GOOS, runtime.NumCPU(), b.rounds)
	for _, m := range b.missing {
		fmt.Fprintf(&page, "\nNOT RUN: %s is not here.\n", m)
	}
	page.WriteString("\n| command | files | way | median ms | p95 ms | more ms |\n|---|---|---|---|---|---|\n" + rows.String())
	fmt.Print(page.String())
	return os.WriteFile(out, []byte(page.String()), 0o644)
}

// tree times everything in a tree of n files.
func (b *bench) tree(ctx context.Context, n int, rows *strings.Builder) error {
	root := filepath.Join(b.scratch, fmt.Sprint("tree", n))
	if err := makeTree(ctx, root, n); err != nil {
		return err
	}
	defer os.RemoveAll(root)
	for _, j := range jobs {
		if _, err := exec.LookPath(j.needs); err != nil {
			b.missing = append(b.missing, j.needs)
			continue
		}
		took := make([][]time.Duration, len(ways))
		for round := range b.rounds + 2 {
			for i, w := range ways { // in turn, so that what else the machine does hits all alike
				d, err := b.time(root, w.args(b, root, j.script, round*len(ways)+i))
				if err != nil {
					return fmt.Errorf("%s, %s: %w", j.name, w.name, err)
				}
				if round >= 2 {
					took[i] = append(took[i], d)
				}
			}
		}
		alone := 0.0
		for i, w := range ways {
			slices.Sort(took[i])
			median, p95 := at(took[i], 0.5), at(took[i], 0.95)
			more := ""
			if i == 0 {
				alone = median
			} else {
				more = fmt.Sprintf("%.1f", median-alone)
			}
			fmt.Fprintf(rows, "| %s | %d | %s | %.1f | %.1f | %s |\n", j.name, n, w.name, median, p95, more)
		}
		os.RemoveAll(root + ".copy")
	}
	os.RemoveAll(root + ".shadow")
	return nil
}

// at returns a quantile of sorted times, in milliseconds.
func at(sorted []time.Duration, q float64) float64 {
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return float64(sorted[max(0, i)].Microseconds()) / 1000
}

// time runs a program once.
func (b *bench) time(root string, args []string) (time.Duration, error) {
	said := filepath.Join(b.scratch, "said")
	program, err := exec.LookPath(args[0])
	if err != nil {
		return 0, err
	}
	d, err := b.launcher.Run(launch.Order{Path: program, Args: args, Dir: root, Stdout: said, Stderr: said, Limit: 2 * time.Minute, Env: os.Environ()})
	if err != nil {
		return 0, err
	}
	if d.Exit != 0 || d.Slow {
		text, err := os.ReadFile(said)
		return 0, errors.Join(fmt.Errorf("it ended with %d: %.2000s", d.Exit, text), err)
	}
	return d.Took, nil
}

// makeTree makes a git work tree of n files, and the repository beside it.
func makeTree(ctx context.Context, root string, n int) error {
	for i := range n - 1 {
		dir := filepath.Join(root, fmt.Sprintf("d%d/s%d", i/1000, i/100%10))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i%100)), fmt.Appendf(nil, "package s\n\nvar X%d = %d\n\n// %s\n", i%100, i, strings.Repeat("text ", i%300)), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/m\n\ngo 1.21\n"), 0o644); err != nil {
		return err
	}
	script := `git init -q . && git add -A && git -c user.name=b -c user.email=b@example.com -c commit.gpgsign=false commit -q -m b && git init -q --bare "$1"`
	cmd := exec.CommandContext(ctx, "sh", "-ec", script, "sh", root+".shadow")
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git: %w: %s", err, said)
	}
	return nil
}
