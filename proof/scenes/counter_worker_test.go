//go:build linux

package scenes

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// counterFile is the file that every counter changes.
const counterFile = "counter.txt"

// tick is the content of the file: a number and who wrote it. No two writes have the same.
type tick struct {
	n  int
	by string
}

func (c tick) String() string { return fmt.Sprintf("counter %d\nby %s\n", c.n, c.by) }

func parseTick(data string) (c tick, err error) {
	_, err = fmt.Sscanf(data, "counter %d\nby %s\n", &c.n, &c.by)
	if err == nil && c.String() != data {
		err = fmt.Errorf("the file says %q", data)
	}
	return c, err
}

// countOrders are the orders for a counter, as JSON in its environment.
type countOrders struct {
	Dir    string
	Name   string // unique among all processes
	How    string // a key of increments
	Until  int    // the number at which it is done
	Tell   bool   // report every step, not only the sum at the end
	NoSync bool
}

// step is a read or a write, as a counter reports it.
type step struct {
	ID     string `json:",omitempty"` // of a write, before and after: what it writes
	Write  bool   `json:",omitempty"`
	Begins bool   `json:",omitempty"` // a write is about to be requested
	Call   int64  // of the clock that all processes share
	End    int64
	Saw    string // read: who wrote what it read; write: what it expects
	N      int    // the same as a number
	OK     bool   `json:",omitempty"` // the write is done
	Err    string `json:",omitempty"`
	Odd    bool   `json:",omitempty"` // failed for another reason than a changed file
	Sum    *sums  `json:",omitempty"` // the last report
}

// sums are the totals of a counter.
type sums struct {
	Done, Stale int
	Longest     int64 // nanoseconds between two acknowledged writes
}

// increment changes the file from now, whose hash is sum, to next.
type increment func(ctx context.Context, ws *emend.Workspace, sum string, now, next tick) error

// increments are the calls that can do it.
var increments = map[string]increment{
	"write_file": func(ctx context.Context, ws *emend.Workspace, sum string, _, next tick) error {
		_, err := ws.Write(ctx, api.WriteRequest{Path: counterFile, Content: next.String(), ExpectedSha256: sum})
		return err
	},
	"edit_file": func(ctx context.Context, ws *emend.Workspace, sum string, now, next tick) error {
		_, err := ws.Edit(ctx, api.EditRequest{Path: counterFile, ExpectedSha256: sum,
			Edits: []api.TextEdit{{OldText: now.String(), NewText: next.String()}}})
		return err
	},
	"apply_patch": func(ctx context.Context, ws *emend.Workspace, sum string, now, next tick) error {
		_, err := ws.Apply(ctx, replaceAll(now.String(), next.String()), api.PatchOptions{Expect: map[string]string{counterFile: sum}})
		return err
	},
	// blind is wrong: it ignores the hash.
	"blind": func(_ context.Context, ws *emend.Workspace, _ string, _, next tick) error {
		return saveByRename(filepath.Join(ws.Root(), counterFile), []byte(next.String()))
	},
}

// replaceAll returns the patch that replaces every line of the file.
func replaceAll(before, after string) string {
	lines := []string{"*** Update File: " + counterFile, "@@"}
	for l := range strings.Lines(before) {
		lines = append(lines, "-"+strings.TrimSuffix(l, "\n"))
	}
	for l := range strings.Lines(after) {
		lines = append(lines, "+"+strings.TrimSuffix(l, "\n"))
	}
	return envelope(lines...)
}

// countMain counts until the file reaches the end, or standard input ends.
func countMain() int {
	var o countOrders
	if err := json.Unmarshal([]byte(os.Getenv(ordersVar)), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var over atomic.Bool
	go func() {
		io.Copy(io.Discard, os.Stdin)
		over.Store(true)
	}()
	options := []emend.Option{emend.ByActor(api.Actor{Session: o.Name, Tool: o.How})}
	if o.NoSync {
		options = append(options, emend.NoSync())
	}
	ws, err := emend.Open(o.Dir, options...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer ws.Close()
	c := &counter{countOrders: o, ws: ws, out: json.NewEncoder(os.Stdout), last: clock()}
	for done := false; !done && !over.Load(); {
		if done, err = c.turn(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return say(c.out, step{Sum: &c.sums})
}

func say(out *json.Encoder, s step) int {
	if err := out.Encode(s); err != nil {
		return 1
	}
	return 0
}

type counter struct {
	countOrders
	sums
	ws   *emend.Workspace
	out  *json.Encoder
	n    int
	last int64
}

// turn reads the file and counts one further. It reports whether the end is reached.
func (c *counter) turn() (done bool, err error) {
	ctx := context.Background()
	r := step{Call: clock()}
	now, sum, err := c.read(ctx)
	if err != nil {
		return false, fmt.Errorf("reading: %w", err)
	}
	r.End, r.Saw, r.N = clock(), now.by, now.n
	if err := c.tell(r); err != nil || now.n >= c.Until {
		return true, err
	}
	c.n++
	next := tick{now.n + 1, fmt.Sprintf("%s.%d", c.Name, c.n)}
	w := step{ID: next.by, Write: true, Begins: true, Saw: now.by, N: next.n, Call: clock()}
	if err := c.tell(w); err != nil {
		return false, err
	}
	err = increments[c.How](ctx, c.ws, sum, now, next)
	w.Begins, w.End, w.OK = false, clock(), err == nil
	if err != nil {
		w.Err, w.Odd = err.Error(), !onlyStale(err)
	}
	c.count(w)
	if w.Odd {
		return true, c.out.Encode(w) // no point in going on
	}
	return false, c.tell(w)
}

// read returns the content of the file, and its hash.
func (c *counter) read(ctx context.Context) (tick, string, error) {
	if c.How == "blind" {
		data, err := os.ReadFile(filepath.Join(c.Dir, counterFile))
		if err != nil {
			return tick{}, "", err
		}
		now, err := parseTick(string(data))
		return now, "", err
	}
	a, err := c.ws.Read(ctx, api.ReadRequest{Path: counterFile})
	if err != nil {
		return tick{}, "", err
	}
	now, err := parseTick(a.Data.Content)
	return now, a.Data.Sha256, err
}

func (c *counter) tell(s step) error {
	if !c.Tell {
		return nil
	}
	return c.out.Encode(s)
}

func (c *counter) count(w step) {
	if !w.OK {
		c.Stale++
		return
	}
	c.Done++
	c.Longest, c.last = max(c.Longest, w.End-c.last), w.End
}

// onlyStale reports whether every failure of a refusal is that the file has changed.
func onlyStale(err error) bool {
	refused, ok := errors.AsType[*emend.Refusal](err)
	if !ok {
		return false
	}
	for _, f := range refused.Failures {
		if f.Kind != fail.Stale {
			return false
		}
	}
	return len(refused.Failures) > 0
}

// steps reads the reports of a counter until it ends. It drops a last line without an end, which a killed process leaves.
func steps(out io.Reader, each func(step)) {
	dec := json.NewDecoder(bufio.NewReader(out))
	for {
		var s step
		if dec.Decode(&s) != nil {
			return
		}
		each(s)
	}
}
