// Command sessions has many agents work on one tree for some time, each through a session of its own and with one call in
// flight, and prints what they got, quarter by quarter: calls a second, how long calls took, what the servers spent and the
// memory that they had; and how even the sessions fared. Three calls of four edit one of the session's own files; the others read, list and search. Afterwards the
// files must have what was acknowledged, and the log must be whole.
//
//	go -C bench run ./sessions                 # 64 sessions of one server, for a minute
//	go -C bench run ./sessions -for 30m -out sessions/RESULTS.md
//	go -C bench run ./sessions -servers 64     # a server for each session
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/emend-dev/emend/proof/product"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.DurationVar(&o.length, "for", time.Minute, "work for this `time`")
	flag.IntVar(&o.sessions, "sessions", 64, "`number` of sessions")
	flag.IntVar(&o.servers, "servers", 1, "`number` of servers, among which the sessions are spread")
	flag.StringVar(&o.emend, "emend", "", "measure this `program` (default: build it)")
	flag.StringVar(&o.dir, "dir", "", "make the tree below this `directory` (default: the system's temporary one)")
	flag.StringVar(&o.out, "out", "", "write the results to this `file` too, as Markdown")
	flag.Parse()
	if err := measure(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "sessions:", err)
		os.Exit(1)
	}
}

// measure prepares everything, has the sessions work, and prints what they got.
func measure(ctx context.Context, o options) (err error) {
	home, err := os.MkdirTemp(o.dir, "emend-sessions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if o.emend == "" {
		o.emend = filepath.Join(home, "program")
		if err := product.BuildRelease(ctx, o.emend); err != nil {
			return err
		}
	}
	r, err := run(ctx, o, home)
	if r == nil || r.took == 0 {
		return err
	}
	fmt.Print(r.page())
	if err != nil || o.out == "" {
		return err
	}
	return os.WriteFile(o.out, []byte(r.page()), 0o666)
}
