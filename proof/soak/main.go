// Command soak runs emend for a long time as a busy machine does, and judges what is left:
//
//	go -C proof run ./soak -for 30m
//
// Processes of every verb and sessions of servers (HTTP with both kinds of revisions, standard input and output) change one tree.
// Some of them are killed, one of the two HTTP servers again and again. Times of files jump, the log rotates, and the history is
// pruned and purged while others read. In the end the log must verify, every acknowledged change must be in the log and in the
// tree, and memory, descriptors and disk of the server that ran all the time must not have grown.
//
// Only a machine of its own may have its clock changed: -clock sets it forward and back by hours.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/emend-dev/emend/proof/product"
)

func main() {
	c := config{}
	flag.DurationVar(&c.during, "for", 30*time.Minute, "how long")
	flag.IntVar(&c.processes, "processes", 32, "processes at a time")
	flag.IntVar(&c.sessions, "sessions", 200, "sessions of servers")
	flag.Float64Var(&c.killed, "killed", 0.08, "share of the calls whose process is killed")
	flag.BoolVar(&c.clock, "clock", false, "set the clock of this machine forward and back (root)")
	flag.StringVar(&c.bug, "plant", "", "build emend with this planted `BUG`")
	flag.StringVar(&c.emend, "emend", "", "the program `FILE`, instead of building it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	wrong, err := soak(ctx, c, func(format string, args ...any) { fmt.Printf(format+"\n", args...) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

// soak makes a tree, lets everybody work on it, and returns what is wrong afterwards.
func soak(ctx context.Context, c config, say func(string, ...any)) (wrong []string, err error) {
	home, err := os.MkdirTemp("", "emend-soak-")
	if err != nil {
		return nil, err
	}
	w := &world{config: c, home: home, dir: filepath.Join(home, "tree"), say: say}
	defer w.close()
	if w.emend == "" {
		w.emend = filepath.Join(home, "program")
		tags := ""
		if c.bug != "" {
			tags = "planted"
		}
		if err := product.Build(ctx, w.emend, "-tags", tags); err != nil {
			return nil, err
		}
	}
	if err := w.lay(); err != nil {
		return nil, err
	}
	if err := w.work(ctx); err != nil {
		return nil, err
	}
	return w.judge()
}
