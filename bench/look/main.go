// Command look times what it costs to have a command looked at, beside the command alone and beside other ways to be able to go back:
// a stash of git, a repository beside the tree, and a copy. It also measures what a store grows by.
//
//	go -C bench run ./look           # writes bench/look/RESULTS.md; some minutes
//	go -C bench run ./look -large    # 200,000 files as well; half an hour
//	go -C bench run ./look -files 20000 -skip copy -turns 0 -out FILE    # a part
//
// A tree is a git work tree of n committed files, a hundred in each directory.
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
	quick := flag.Bool("quick", false, "1,000 files alone")
	files := flag.Int("files", 0, "trees of so `many` files alone")
	flag.StringVar(&b.job, "job", "", "do the jobs with this `word` in their name alone")
	skip := flag.String("skip", "", "leave out the ways with this `word` in their name")
	out := flag.String("out", "look/RESULTS.md", "write the results to this `file`")
	dir := flag.String("dir", "", "lay out the trees below this `directory` (default: the system's temporary one)")
	flag.IntVar(&b.rounds, "rounds", 15, "let each way do each job so `many` times; 0: time nothing")
	flag.IntVar(&b.turns, "turns", 200, "let the store grow for so `many` turns; 0: do not")
	flag.Parse()
	sizes := []int{1_000, 20_000}
	if *large {
		sizes = append(sizes, 200_000)
	}
	if *quick {
		sizes = sizes[:1]
	}
	if *files > 0 {
		sizes = []int{*files}
	}
	if b.rounds == 0 {
		sizes = nil
	}
	b.skip = *skip
	if err := b.run(context.Background(), sizes, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "look:", err)
		os.Exit(1)
	}
}

type bench struct {
	rounds, turns int
	emend         string
	scratch       string
	skip, job     string
	launcher      *launch.Launcher
	ways          []way
	missing       []string
	rows          strings.Builder
}

// job is a command that an agent runs.
type job struct {
	name, script string // the script gets a number as $1, another one each time
	needs        string
}

var jobs = []job{
	{"`true`", "true", "true"},
	{"100 small edits", `for i in 0 1 2 3 4 5 6 7 8 9; do sed -i "s|^// .*|// $1|" d0/s$i/f?.go; done`, "sed"},
	{"a build", `sed -i "s|^// .*|// $1|" d0/s0/f0.go && go build ./d0/...`, "go"},
}

func shell(script string, number int) []string {
	return []string{"sh", "-ec", script, "sh", fmt.Sprint(number)}
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
	machine := machine()
	if err := b.findWays(ctx); err != nil {
		return err
	}
	for _, n := range sizes {
		if err := b.tree(ctx, n); err != nil {
			return err
		}
	}
	growth := ""
	if b.turns > 0 {
		if growth, err = b.growth(ctx); err != nil {
			return err
		}
	}
	page := b.page(machine) + growth
	fmt.Print(page)
	return os.WriteFile(out, []byte(page), 0o644)
}

func (b *bench) page(machine string) string {
	var page strings.Builder
	fmt.Fprintf(&page, `# What a look costs

Written by `+"`go -C bench run ./look`"+`; %s. Warm cache, %d runs each (those with another number say so), after one
that does not count, in turn. A tree is a git work tree of n committed files, a hundred in each directory.

Each run is a process of its own; nothing stays between them but what each way keeps on disk. Between two runs the ways change the same
files: each way takes note of what the others did before its run, untimed. "More" is the median beyond that of the command alone;
the processor's time is the median of user and system time, of all processes of the run together, with that of a server beside it. A copy is removed before it is made again,
untimed, and has all that is in `+"`.git`"+`.
`, machine, b.rounds)
	for _, m := range b.missing {
		fmt.Fprintf(&page, "\nNOT RUN: %s\n", m)
	}
	page.WriteString("\n## Time\n\n| command | files | way | median ms | p95 ms | more ms | processor ms | more |\n|---|---:|---|---:|---:|---:|---:|---:|\n" + b.rows.String())
	return page.String()
}

// machine describes the machine and the build.
func machine() string {
	commit := "an unknown commit"
	if out, err := exec.Command("git", "describe", "--always", "--dirty").Output(); err == nil {
		commit = "commit " + strings.TrimSpace(string(out))
	}
	text := fmt.Sprintf("%s, %d cores, %s, %s", commit, runtime.NumCPU(), runtime.GOOS, runtime.Version())
	if out, err := exec.Command("uname", "-r").Output(); err == nil {
		text += ", kernel " + strings.TrimSpace(string(out))
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", a load of " + strings.Fields(string(load))[0] + " before the first row"
	}
	return text
}

// tree times everything in a tree of n files.
func (b *bench) tree(ctx context.Context, n int) error {
	root := filepath.Join(b.scratch, fmt.Sprint("tree", n))
	if err := makeTree(ctx, root, n); err != nil {
		return err
	}
	defer os.RemoveAll(root)
	defer os.RemoveAll(root + ".shadow")
	number := 0
	for _, j := range jobs {
		if !strings.Contains(j.name, b.job) {
			continue
		}
		if _, err := exec.LookPath(j.needs); err != nil {
			b.missing = append(b.missing, j.name+": "+j.needs+" is not here.")
			continue
		}
		took, cpu := make([][]time.Duration, len(b.ways)), make([][]time.Duration, len(b.ways))
		for round := range b.rounds + 1 {
			for i, w := range b.ways { // in turn, so that what else the machine does hits all alike
				if w.most > 0 && round > w.most && n > 10_000 {
					continue
				}
				number++
				d, err := b.once(ctx, w, root, j.script, number)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", j.name, w.name, err)
				}
				if round > 0 {
					took[i], cpu[i] = append(took[i], d.Took), append(cpu[i], d.CPU)
				}
			}
		}
		for i, w := range b.ways {
			b.row(j, n, w.name, took[i], cpu[i], took[0], cpu[0])
		}
		if err := os.RemoveAll(root + ".copy"); err != nil {
			return err
		}
	}
	return nil
}

// once times a way once.
func (b *bench) once(ctx context.Context, w way, root, script string, number int) (d launch.Done, err error) {
	var s *server
	if w.served {
		if s, err = b.serve(ctx, root); err != nil {
			return d, err
		}
		defer func() { err = errors.Join(err, s.end()) }()
	}
	if w.settle != nil {
		if _, err := b.time(root, w.settle(b, root), w.silent); err != nil {
			return d, fmt.Errorf("before it: %w", err)
		}
	}
	before, err := s.used()
	if err != nil {
		return d, err
	}
	if d, err = b.time(root, w.args(b, root, script, number), w.silent); err != nil {
		return d, err
	}
	after, err := s.used()
	d.CPU += after - before
	return d, err
}

func (b *bench) row(j job, n int, name string, took, cpu, tookAlone, cpuAlone []time.Duration) {
	if len(took) != b.rounds {
		name += fmt.Sprintf(" (%d runs)", len(took))
	}
	fmt.Fprintf(&b.rows, "| %s | %d | %s | %.1f | %.1f | %.1f | %.1f | %.1f |\n", j.name, n, name, at(took, 0.5), at(took, 0.95), at(took, 0.5)-at(tookAlone, 0.5),
		at(cpu, 0.5), at(cpu, 0.5)-at(cpuAlone, 0.5))
}

// at returns a quantile of times, in milliseconds.
func at(all []time.Duration, q float64) float64 {
	slices.Sort(all)
	i := int(math.Ceil(q*float64(len(all)))) - 1
	return float64(all[max(0, i)].Microseconds()) / 1000
}

// time runs a program once. If it is to be silent, what it prints is an error.
func (b *bench) time(root string, args []string, silent bool) (launch.Done, error) {
	said := filepath.Join(b.scratch, "said")
	program, err := exec.LookPath(args[0])
	if err != nil {
		return launch.Done{}, err
	}
	d, err := b.launcher.Run(launch.Order{Path: program, Args: args, Dir: root, Stdout: said, Stderr: said, Limit: 5 * time.Minute, Env: os.Environ()})
	if err != nil {
		return d, err
	}
	text, err := os.ReadFile(said)
	if err != nil || d.Exit != 0 || d.Slow || silent && len(text) > 0 {
		return d, errors.Join(fmt.Errorf("it ended with %d after %v: %.2000s", d.Exit, d.Took, text), err)
	}
	return d, nil
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
	script := `git init -q . && git add -A && git -c user.name=b -c user.email=b@example.com -c commit.gpgsign=false -c gc.auto=0 commit -q -m b && git init -q --bare "$1"`
	cmd := exec.CommandContext(ctx, "sh", "-ec", script, "sh", root+".shadow")
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git: %w: %s", err, said)
	}
	return nil
}
