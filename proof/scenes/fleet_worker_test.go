//go:build linux

package scenes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend"
)

// orders are the orders for a worker, as JSON in its environment.
type orders struct {
	Dir   string
	Name  string // unique among all processes
	Seed  uint64
	Blind bool // be the wrong agent
	Fresh bool // open the workspace again for every patch
}

const ordersVar = "EMEND_SCENES_ORDERS"

// Event is a worker's report before and after each patch, one line each.
type event struct {
	ID   string            // of the patch
	Time int64             // of the clock that all processes share
	Old  map[string]string `json:",omitempty"` // before: the heads that the patch expects, by file
	Done bool              // after
	OK   bool              // after: it succeeded
	Err  string            `json:",omitempty"` // after: why it did not
	Odd  bool              // after: for another reason than a change by somebody else
}

// files are the files that all workers change.
var files = []string{"a/0.txt", "a/1.txt", "a/2.txt", "b/3.txt", "b/4.txt", "c/5.txt", "6.txt", "7.txt"}

// workerMain applies patches until its standard input ends.
func workerMain() int {
	var o orders
	if err := json.Unmarshal([]byte(os.Getenv(ordersVar)), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var over atomic.Bool
	go func() {
		io.Copy(io.Discard, os.Stdin)
		over.Store(true)
	}()
	w := &worker{orders: o, rng: rand.New(rand.NewPCG(o.Seed, 0)), out: json.NewEncoder(os.Stdout)}
	for n := 0; !over.Load(); n++ {
		if err := w.turn(fmt.Sprintf("%s.%d", o.Name, n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

type worker struct {
	orders
	rng *rand.Rand
	out *json.Encoder
	ws  *emend.Workspace
}

// turn applies one patch.
func (w *worker) turn(id string) error {
	if err := w.open(); err != nil {
		return err
	}
	old, err := w.choose()
	if err != nil {
		return err
	}
	if err := w.out.Encode(event{ID: id, Time: clock(), Old: old}); err != nil {
		return err
	}
	a := engine
	if w.Blind {
		a = blindAgent
	}
	err = a(context.Background(), w.ws, link(id, old))
	after := event{ID: id, Time: clock(), Done: true, OK: err == nil}
	if err != nil {
		after.Err, after.Odd = err.Error(), !isStale(err)
	}
	return w.out.Encode(after)
}

func (w *worker) open() (err error) {
	if w.ws != nil && !w.Fresh {
		return nil
	}
	if w.ws != nil {
		w.ws.Close()
	}
	w.ws, err = emend.Open(w.Dir)
	return err
}

// choose picks two to four files and reads their heads.
func (w *worker) choose() (map[string]string, error) {
	old := map[string]string{}
	for _, i := range w.rng.Perm(len(files))[:2+w.rng.IntN(3)] {
		chain, err := readChain(filepath.Join(w.Dir, files[i]))
		if err != nil {
			return nil, err
		}
		old[files[i]] = chain[0]
	}
	return old, nil
}

// link returns the patch that puts id before the heads.
func link(id string, old map[string]string) string {
	var lines []string
	for _, f := range files {
		if head, ok := old[f]; ok {
			lines = append(lines, "*** Update File: "+f, "@@", "-head "+head, "+head "+id, "+"+head)
		}
	}
	return envelope(lines...)
}

// readChain reads a file: the patches that changed it, the last one first. The file must be whole at any moment.
func readChain(name string) ([]string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	body, ok := strings.CutPrefix(string(data), "head ")
	body, end := strings.CutSuffix(body, "\nroot\n")
	if body == "root\n" {
		return []string{"root"}, nil
	}
	if !ok || !end {
		return nil, errors.New(name + " is not whole")
	}
	return strings.Split(body+"\nroot", "\n"), nil
}

// clock returns a time that processes can compare and that nobody can set.
func clock() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // every Linux has this clock
	}
	return ts.Nano()
}
