// Command apply times emend apply beside other programs that apply patches: git apply, GNU patch, and Codex's own
// apply_patch. Each gets the same trees and the same change in the form that it reads, one after the other, round by
// round; each result is compared with the tree that it should be, byte for byte. A program that is not there is named.
//
//	go run ./bench/apply                                # 1, 100 and 1,000 files, 9 rounds
//	go run ./bench/apply -rounds 3 -files 50 -dir /mnt  # elsewhere
//	go run ./bench/apply -out bench/apply/RESULTS.md
//
// The times are of whole processes, from start to exit. emend makes all changes or none and, unless told otherwise,
// makes them durable before it answers; the others do neither. Codex's program is the one that internal/oracle
// fetches: go test -tags oracle ./internal/oracle.
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
	"strconv"
	"strings"
)

type config struct {
	sizes  []int
	rounds int
	dir    string
	out    string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := flags(os.Args[1:])
	if err == nil {
		err = run(ctx, c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "apply:", err)
		os.Exit(1)
	}
}

func flags(args []string) (config, error) {
	var c config
	fs := flag.NewFlagSet("apply", flag.ExitOnError)
	sizes := fs.String("files", "1,100,1000", "how many files a patch changes, comma-separated")
	fs.IntVar(&c.rounds, "rounds", 9, "time each program so `many` times")
	fs.StringVar(&c.dir, "dir", "", "lay out the trees below this `directory` (default: the system's temporary one)")
	fs.StringVar(&c.out, "out", "", "write the summary to this `file` too, as Markdown")
	fs.Parse(args)
	for s := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return c, fmt.Errorf("-files %s: %q is no number of files", *sizes, s)
		}
		c.sizes = append(c.sizes, n)
	}
	if c.rounds < 1 {
		return c, errors.New("-rounds must be 1 or more")
	}
	return c, nil
}

func run(ctx context.Context, c config) error {
	scratch, err := os.MkdirTemp(c.dir, "emend-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	s := &summary{config: c, scratch: scratch}
	if s.emend, err = build(ctx, scratch); err != nil {
		return err
	}
	all, missing := contenders(ctx, s.emend, scratch)
	s.missing = missing
	for _, n := range c.sizes {
		w, err := newWork(scratch, n)
		if err != nil {
			return err
		}
		if err := s.race(ctx, w, all); err != nil {
			return err
		}
	}
	if s.calls, err = countCalls(ctx, s); err != nil {
		s.missing = append(s.missing, "system calls: "+err.Error())
	}
	fmt.Print(s)
	if c.out != "" {
		return os.WriteFile(c.out, []byte(s.String()), 0o666)
	}
	return nil
}

// build builds emend from the sources that this program is from.
func build(ctx context.Context, scratch string) (string, error) {
	name := filepath.Join(scratch, "emend")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", name, "github.com/emend-dev/emend/cmd/emend").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return name, nil
}
