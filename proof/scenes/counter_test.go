//go:build linux

package scenes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// counters is the number of processes that count in the file.
const counters = 64

// counterRun is a run of processes that count.
type counterRun struct {
	countOrders
	processes int
	dir       string
	seed      uint64

	mu      sync.Mutex
	running map[int]*exec.Cmd
	stops   map[int]io.Closer
	over    bool
	killed  int
	steps   []step
	clients []int // by step
	sums    []sums
	done    int // acknowledged writes, if every step is reported
}

func newCrew(t *testing.T, processes int, o countOrders) *counterRun {
	t.Helper()
	dir := workspace(t).Root()
	write(t, filepath.Join(dir, counterFile), tick{0, "nobody"}.String())
	o.Dir = dir
	return &counterRun{countOrders: o, processes: processes, dir: dir, seed: seed(t),
		running: map[int]*exec.Cmd{}, stops: map[int]io.Closer{}}
}

// work runs the processes until they have counted to the end. A killed process is replaced by another one.
func (c *counterRun) work(t *testing.T, meanwhile func(ctx context.Context)) time.Duration {
	t.Helper()
	start := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg, beside sync.WaitGroup
	for client := range c.processes {
		wg.Go(func() { c.keep(t, client) })
	}
	if meanwhile != nil {
		beside.Go(func() { meanwhile(ctx) })
	}
	wg.Wait()
	took := time.Since(start)
	cancel()
	beside.Wait()
	return took
}

func (c *counterRun) keep(t *testing.T, client int) {
	for life := 0; ; life++ {
		o := c.countOrders
		o.Name = fmt.Sprintf("p%d.%d", client, life)
		var stderr bytes.Buffer
		cmd, out, ok := c.start(t, client, o, &stderr)
		if !ok {
			return
		}
		steps(out, func(s step) { c.note(t, client, s) })
		if err := cmd.Wait(); err == nil {
			return
		} else if cmd.ProcessState.Exited() {
			t.Errorf("process %s: %v: %s", o.Name, err, stderr.Bytes())
			c.end()
			return
		}
	}
}

func (c *counterRun) start(t *testing.T, client int, o countOrders, stderr io.Writer) (*exec.Cmd, io.Reader, bool) {
	told, err := json.Marshal(o)
	if err != nil {
		t.Error(err)
		return nil, nil, false
	}
	exe, err := os.Executable()
	if err != nil {
		t.Error(err)
		return nil, nil, false
	}
	cmd := exec.Command(exe)
	cmd.Env, cmd.Stderr = append(os.Environ(), roleVar+"=counter", ordersVar+"="+string(told)), stderr
	stop, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, nil, false
	}
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Errorf("process %s does not start", o.Name)
		return nil, nil, false
	}
	c.running[client], c.stops[client] = cmd, stop
	return cmd, out, true
}

func (c *counterRun) note(t *testing.T, client int, s step) {
	if s.Odd {
		t.Errorf("%s is refused, and not since the file has changed: %s", s.ID, s.Err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Sum != nil {
		c.sums = append(c.sums, *s.Sum)
		return
	}
	c.steps, c.clients = append(c.steps, s), append(c.clients, client)
	if s.Write && s.OK {
		c.done++
	}
}

// end tells every process to stop.
func (c *counterRun) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, s := range c.stops {
		s.Close()
	}
}

// kill kills a process. With a moment it kills the next process that takes the lock, that long afterwards, so that it is killed
// in the middle of a transaction.
func (c *counterRun) kill(client int, moment time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if moment > 0 {
		client = c.nextHolder(client)
		time.Sleep(moment)
	}
	if cmd := c.running[client]; cmd != nil && cmd.Process.Kill() == nil {
		c.killed++
	}
}

// nextHolder waits until the lock names a process that it has not named before, and returns it. If none comes it returns other.
func (c *counterRun) nextHolder(other int) int {
	was := c.holder()
	for range 2000 {
		if now := c.holder(); now >= 0 && now != was {
			return now
		}
	}
	return other
}

// holder returns the client that the lock names, or -1.
func (c *counterRun) holder() int {
	data, err := os.ReadFile(filepath.Join(c.dir, ".git", "emend", "lock"))
	if err != nil {
		return -1
	}
	for client, cmd := range c.running {
		if strings.HasPrefix(string(data), fmt.Sprintf("process %d ", cmd.Process.Pid)) {
			return client
		}
	}
	return -1
}

// says returns what the file says at the end.
func (c *counterRun) says(t *testing.T) tick {
	t.Helper()
	now, err := parseTick(read(t, filepath.Join(c.dir, counterFile)))
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// countLedger summarizes the log.
type countLedger struct {
	written []audit.Op     // done and not undone, the oldest first
	refused map[string]int // number of failed calls, by kind
	healed  int            // writes that another process completed
}

// recorded reads the log, which must be whole.
func (c *counterRun) recorded(t *testing.T) countLedger {
	t.Helper()
	dir, err := vfs.Open(filepath.Join(c.dir, ".git", "emend", "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if rep, err := audit.Verify(dir); err != nil || !rep.Whole() {
		t.Errorf("the log is not whole: %v %v", rep.Breaks, err)
	}
	log, err := audit.Open(dir, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	led := countLedger{refused: map[string]int{}}
	taken := map[string]bool{}
	for r, err := range log.Backward() {
		if err != nil {
			t.Fatal(err)
		}
		led.add(r, taken)
	}
	slices.Reverse(led.written)
	return led
}

func (l *countLedger) add(r *audit.Record, taken map[string]bool) {
	switch {
	case r.Kind == audit.Abort, r.Kind == audit.Recovered && !r.OK:
		taken[r.Tx] = true
		l.refused[r.ErrorKind]++
	case r.Kind == audit.Recovered:
		l.healed++
	case r.Kind == audit.Failed, r.Kind == audit.Denied:
		l.refused[r.ErrorKind]++
	case r.Kind == audit.Commit && !taken[r.Tx]:
		l.written = append(l.written, r.Ops...)
	}
}

// check compares the log with the file. Each change must start from what the one before it left, so nothing was overwritten
// unseen, and the last one must leave what the file says.
func (l *countLedger) check(c *counterRun, now tick) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	last := hash(tick{0, "nobody"}.String())
	for i, op := range l.written {
		if op.Path != counterFile || op.Before != last {
			complain("write %d of %s was made to %.12s, and the one before it left %.12s", i+1, op.Path, op.Before, last)
		}
		last = op.After
	}
	if last != hash(now.String()) {
		complain("the last write in the log left %.12s, the file has %.12s", last, hash(now.String()))
	}
	if len(l.written) != now.n {
		complain("the log has %d writes, the file says %d", len(l.written), now.n)
	}
	return complaints
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// TestCounter has 64 processes count in one file. Each reads it and writes the next number with the hash of what it read. A
// process that is late must be told that the file has changed, and nothing else, and tries again. At the end the file and the
// log must have as many writes as were acknowledged.
func TestCounter(t *testing.T) {
	n := number(t, "EMEND_SCENES_INCREMENTS", 300)
	for _, how := range []string{"write_file", "edit_file", "apply_patch"} {
		t.Run(how, func(t *testing.T) {
			c := newCrew(t, counters, countOrders{How: how, Until: n})
			took := c.work(t, nil)
			c.finished(t, n, took)
		})
	}
}

// finished checks a run in which no process was killed.
func (c *counterRun) finished(t *testing.T, n int, took time.Duration) {
	t.Helper()
	now, led := c.says(t), c.recorded(t)
	for _, complaint := range led.check(c, now) {
		t.Error(complaint)
	}
	var done, stale int
	fewest, most, longest := n, 0, int64(0)
	for _, s := range c.sums {
		done, stale = done+s.Done, stale+s.Stale
		fewest, most, longest = min(fewest, s.Done), max(most, s.Done), max(longest, s.Longest)
	}
	if now.n != n || done != n {
		t.Errorf("the file says %d, %d writes were acknowledged, want %d", now.n, done, n)
	}
	for kind, times := range led.refused {
		if kind != string(fail.Stale) || times > stale {
			t.Errorf("the log has %d refusals of kind %s, of %d", times, kind, stale)
		}
	}
	t.Logf("%s: %d processes, %.1f s: %d done, %d refused as stale (%d of them in the log), %.0f done/s, %d to %d by process, "+
		"the longest that one waited for its turn: %.1f s", c.How, c.processes, took.Seconds(), done, stale, led.refused[string(fail.Stale)],
		float64(n)/took.Seconds(), fewest, most, time.Duration(longest).Seconds())
}

// TestCounterRig checks that the scene detects writers that ignore the hash. If one of them is done before the others have
// begun, the test tries again.
func TestCounterRig(t *testing.T) {
	for range 20 {
		c := newCrew(t, 16, countOrders{How: "blind", Until: 300})
		c.work(t, nil)
		done := 0
		for _, s := range c.sums {
			done += s.Done
		}
		if now := c.says(t); now.n != done {
			t.Logf("blind: %d writes were acknowledged, the file says %d", done, now.n)
			return
		}
	}
	t.Error("as many blind writes as the file says; the scene proves nothing")
}
