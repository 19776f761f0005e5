// Command crash shows what is left of a tree when the program that changes it is killed.
//
//	go run ./examples/crash
//	go run ./examples/crash -n 1000 -files 500 -seed 7
//
// It creates a tree, starts a process that applies a patch to all of its files, kills it (SIGKILL) at a random moment of the
// run, and has emend recover. Is the tree now the old one, the new one, or neither? It does the same with two other writers,
// as most programs have them: one that writes each file in place, and one that writes each file beside its place and renames
// it.
//
// It exits with code 1 if emend left neither tree, even once. A kill is not a power cut: what the kernel has, stays. The
// table shows what happened with these seeds on this machine. It proves nothing about moments that were not hit.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/term"
)

func main() {
	if os.Getenv(roleVar) != "" {
		os.Exit(workerMain())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	bad, err := run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
	}
	if bad || err != nil {
		os.Exit(1)
	}
}

// run makes the trials and prints the table. bad is true if emend left anything but the old or the new tree.
func run(ctx context.Context) (bad bool, err error) {
	n := flag.Int("n", 100, "kill each writer so `many` times")
	files := flag.Int("files", 200, "change so `many` files with one patch")
	seed := flag.Uint64("seed", 1, "which moments")
	flag.Parse()
	if *n < 1 || *files < 10 {
		return false, fmt.Errorf("-n must be 1 or more, and -files 10 or more")
	}
	scratch, err := os.MkdirTemp("", "emend-crash")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	b, err := newBench(scratch, *files, *seed)
	if err != nil {
		return false, err
	}
	rows := make([]row, len(writers))
	for i, w := range writers {
		if rows[i], err = b.trials(ctx, w, *n, progress(w.name, *n)); err != nil {
			return false, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	fmt.Print(table(rows, *n, *files))
	return rows[0].after.other > 0, nil
}

// progress prints on a terminal how far the trials of a writer are.
func progress(name string, n int) func(int) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return func(int) {}
	}
	return func(done int) {
		fmt.Fprintf(os.Stderr, "\r\x1b[K%s: killed %d of %d times", name, done, n)
		if done == n {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	}
}
