// Command trees times what emend does in trees of growing size, beside programs that do the same: where the answer does not grow
// with the tree, neither should the time.
//
//	go -C bench run ./trees           # writes bench/trees/RESULTS.md
//	go -C bench run ./trees -large    # a million files as well; some minutes
//
// A tree of n files has a fifth of them in one directory, a hundred in each of the others, and one at the end of a path of 60
// directories.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/internal/growing"
	"github.com/emend-dev/emend/proof/product"
)

func main() {
	b := &bench{timer: growing.Timer{Limit: 2 * time.Minute}}
	large := flag.Bool("large", false, "a million files as well")
	out := flag.String("out", "trees/RESULTS.md", "write the results to this `file`")
	dir := flag.String("dir", "", "lay out the trees below this `directory` (default: the system's temporary one)")
	flag.IntVar(&b.timer.Rounds, "rounds", 5, "let each program do each job so `many` times; the fastest counts")
	flag.Parse()
	sizes := []int{1_000, 10_000, 100_000}
	if *large {
		sizes = append(sizes, 1_000_000)
	}
	if err := b.run(context.Background(), sizes, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "trees:", err)
		os.Exit(1)
	}
}

type bench struct {
	timer          growing.Timer
	emend, scratch string
	missing        []string
}

func (b *bench) run(ctx context.Context, sizes []int, dir, out string) (err error) {
	if b.scratch, err = os.MkdirTemp(dir, "emend-trees"); err != nil {
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
	rows, order, before := map[string][]string{}, []string{}, map[string]float64{}
	for i, n := range sizes {
		root := filepath.Join(b.scratch, fmt.Sprint("tree", n))
		if err := makeTree(root, n); err != nil {
			return err
		}
		jobs, err := b.jobs(root)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			for _, p := range j.programs {
				cost, err := b.timer.Time(p)
				if err != nil {
					return fmt.Errorf("%s: %w", j.what, err)
				}
				key := j.what + "\x00" + p.Name
				if i == 0 {
					order = append(order, key)
				}
				rows[key] = append(rows[key], fmt.Sprintf("| %s | %s | %d | %s | %.0f | %s |\n", j.what, p.Name, n, growing.Seconds(cost.Seconds), cost.Peak, growing.Exponent(before[key], cost.Seconds, i, sizes)))
				before[key] = cost.Seconds
			}
		}
		if err := os.RemoveAll(root); err != nil {
			return err
		}
	}
	var page strings.Builder
	fmt.Fprintf(&page, "# Big trees\n\nWritten by `go -C bench run ./trees`; %s, %d processors, warm cache, the fastest of %d runs, each a process of its own. A tree\n"+
		"of n files has a fifth of them in one directory, a hundred in each of the others, and one at the end of a path of 60 directories.\n"+
		"The exponent is that of the time from the row before: 0 does not grow, 1 is linear.\n", runtime.GOOS, runtime.NumCPU(), b.timer.Rounds)
	for _, m := range b.missing {
		fmt.Fprintf(&page, "\nNOT RUN: %s is not here.\n", m)
	}
	page.WriteString("\n| work | program | files | seconds | peak MB | exponent |\n|---|---|---|---|---|---|\n")
	for _, key := range order {
		page.WriteString(strings.Join(rows[key], ""))
	}
	fmt.Print(page.String())
	return os.WriteFile(out, []byte(page.String()), 0o644)
}

const (
	dirSize = 100 // files in most directories
	depth   = 60
)

// makeTree makes a tree of n files.
func makeTree(root string, n int) error {
	write := func(name, text string) error { return os.WriteFile(filepath.Join(root, name), []byte(text), 0o644) }
	if err := os.MkdirAll(filepath.Join(root, "one"), 0o755); err != nil {
		return err
	}
	for i := range n / 5 {
		if err := write(fmt.Sprintf("one/f%d.txt", i), "one\n"); err != nil {
			return err
		}
	}
	for i := range n - n/5 {
		dir := fmt.Sprintf("d%d/s%d", i/dirSize/10, i/dirSize%10)
		if i%dirSize == 0 {
			if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
				return err
			}
		}
		if err := write(fmt.Sprintf("%s/f%d.go", dir, i%dirSize), fmt.Sprintf("package s\n\nvar X = %d\n", i)); err != nil {
			return err
		}
	}
	deep := deepDir()
	return errors.Join(os.MkdirAll(filepath.Join(root, deep), 0o755), write(deep+"/end.txt", "end\n"))
}

func deepDir() string { return strings.Repeat("deep/", depth-1) + "deep" }

type job struct {
	what     string
	programs []growing.Program
}

// jobs lists what is done in a tree. They leave it as it was, but for the store that all after the first find.
func (b *bench) jobs(root string) ([]job, error) {
	edit := "*** Begin Patch\n*** Update File: d0/s0/f1.go\n@@\n-var X = 1\n+var X = 2\n*** End Patch\n"
	diff := "--- a/d0/s0/f1.go\n+++ b/d0/s0/f1.go\n@@ -1,3 +1,3 @@\n package s\n \n-var X = 1\n+var X = 2\n"
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"d0/s0/f1.go"}}}
`
	inputs := map[string]string{"edit.patch": edit, "edit.diff": diff, "hello.jsonl": hello}
	for name, text := range inputs {
		if err := os.WriteFile(filepath.Join(b.scratch, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	input := func(name string) string { return filepath.Join(b.scratch, name) }
	back := func() error {
		return os.WriteFile(filepath.Join(root, "d0/s0/f1.go"), []byte("package s\n\nvar X = 1\n"), 0o644)
	}
	forget := func() error { return errors.Join(back(), os.RemoveAll(filepath.Join(root, ".emend"))) }
	emend := func(args ...string) growing.Program {
		return growing.Program{Name: "emend", Dir: root, Args: append([]string{b.emend, "-q"}, args...)}
	}
	peer := func(name string, args ...string) []growing.Program {
		for _, try := range []string{name, name + "find"} { // Debian's fd is fdfind
			if path, err := exec.LookPath(try); err == nil {
				return []growing.Program{{Name: name, Dir: root, Args: append([]string{path}, args...)}}
			}
		}
		b.missing = append(b.missing, name)
		return nil
	}
	beside := func(p growing.Program, peers ...[]growing.Program) []growing.Program {
		all := []growing.Program{p}
		for _, p := range peers {
			all = append(all, p...)
		}
		return all
	}
	after := func(p growing.Program, do func() error) growing.Program {
		p.After = do
		return p
	}
	git := peer("git", "apply", input("edit.diff"))
	for i := range git {
		git[i].After = back
	}
	serve := emend("serve", ".")
	serve.Stdin = input("hello.jsonl")
	return []job{
		{"the first patch, no store yet", beside(after(emend("apply", input("edit.patch")), forget), git)},
		{"a patch", beside(after(emend("apply", input("edit.patch")), back))},
		{"undo, dry run", beside(emend("undo", "--dry-run"))},
		{"the log", beside(emend("log"))},
		{"doctor", beside(emend("doctor"))},
		{"verify", beside(emend("verify", "-q"))},
		{"a server starts, reads a file and ends", beside(serve)},
		{"read at the end of the long path", beside(emend("read", deepDir()+"/end.txt"), peer("cat", deepDir()+"/end.txt"))},
		{"list a directory of 100", beside(emend("ls", "d0/s0"), peer("ls", "d0/s0"))},
		{"glob in a directory of 100", beside(emend("glob", "d0/s0/*.go"), peer("fd", "--glob", "*.go", "d0/s0"))},
		{"list the directory of a fifth", beside(emend("ls", "one"), peer("ls", "one"))},
		{"glob for one file in 100, everywhere", beside(emend("glob", "**/f77.go"), peer("fd", "--glob", "f77.go"), peer("rg", "--files", "-g", "f77.go"))},
		{"search for one line, everywhere", beside(emend("search", "X = 77"), peer("rg", "X = 77"))},
	}, nil
}
