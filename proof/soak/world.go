package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/proof/session"
)

type config struct {
	during              time.Duration
	processes, sessions int
	killed              float64 // share of the calls that are killed
	clock               bool
	bug, emend          string
}

// world is the tree, the servers, and everybody who works.
type world struct {
	config
	home, dir string
	say       func(string, ...any)

	ledger *session.Ledger
	before session.Change
	steady *server // runs all the time, and is measured
	victim *server // is killed, or told to end, and started again
	kills  atomic.Int64
	jumps  atomic.Int64

	mu      sync.Mutex
	wrong   []string
	samples []sample
}

// sharedFiles is the number of files that everybody edits.
const sharedFiles = 8

func sharedName(i int) string { return fmt.Sprintf("shared/%d.txt", i) }

// history makes prune remove what is more than this, but for the newest hundred changes.
const history = "[history]\nsize = \"64KiB\"\n"

// segment is the size at which the log rotates. The log begins almost as long, so that it rotates soon, and then again after as many
// records.
const segment = 64 << 20

// lay creates the tree, with a store and a log that is about to rotate.
func (w *world) lay() error {
	w.ledger = session.NewLedger()
	err := errors.Join(w.write(".git/HEAD", "ref: refs/heads/main\n"), os.MkdirAll(filepath.Join(w.home, "emend"), 0o700),
		os.WriteFile(filepath.Join(w.home, "emend", "policy.toml"), []byte(history), 0o600))
	for i := range sharedFiles {
		err = errors.Join(err, w.write(sharedName(i), page(sharedName(i), 0)))
	}
	for n := range w.processes + w.sessions {
		for _, kind := range []string{"a", "b", "c", "d", "e"} {
			err = errors.Join(err, w.write(own(kind, n), page(own(kind, n), 0)))
		}
	}
	if err != nil {
		return err
	}
	if w.before, err = session.Snapshot(w.dir); err != nil {
		return err
	}
	if err := w.first(); err != nil {
		return err
	}
	return w.lengthenLog()
}

func (w *world) write(path, text string) error {
	name := filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// first makes the store, by a change that the ledger knows. It is not killed: without a store there is no log to lengthen.
func (w *world) first() error {
	a := w.actor(-1, &process{world: w, spared: true})
	return a.create("first.txt")
}

// lengthenLog appends refusals until the log is about to rotate.
func (w *world) lengthenLog() error {
	dir, err := vfs.Open(filepath.Join(w.dir, ".git/emend/log"))
	if err != nil {
		return err
	}
	defer dir.Close()
	log, err := audit.Open(dir, audit.Options{})
	if err != nil {
		return err
	}
	defer log.Close()
	r := audit.Record{Kind: audit.Failed, ErrorKind: "stale_file", Message: strings.Repeat("long ago ", 1000)}
	for size := int64(0); err == nil && size < segment-64<<10; size, _ = disk(filepath.Join(w.dir, ".git/emend/log")) {
		for range min(1000, (segment-64<<10-size)/int64(len(r.Message))) + 1 {
			again := r
			err = errors.Join(err, log.Append(&again, false))
		}
	}
	if err != nil {
		return err
	}
	return log.Sync()
}

// command returns a command that runs emend, with the settings below home only.
func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.emend, args...)
	cmd.Dir = w.dir
	cmd.Env = []string{"HOME=" + w.home, "XDG_CONFIG_HOME=" + w.home, "XDG_STATE_HOME=" + w.home, "PATH=" + os.Getenv("PATH"),
		"EMEND_PLANT=" + w.bug, "GORACE=atexit_sleep_ms=0"}
	return cmd
}

// run runs emend to its end and returns its output.
func (w *world) run(args ...string) ([]byte, error) {
	out, err := w.command(args...).Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("emend %q: %w: %.2000s%.500s", args, err, e.Stderr, out)
	}
	return out, err
}

// recover finishes what a kill interrupted. It waits longer for the lock than emend does.
func (w *world) recover() error {
	var err error
	for range 10 {
		if _, err = w.run("recover"); err == nil || !strings.Contains(err.Error(), "is locked by") {
			return err
		}
	}
	return err
}

// least is the number of changes below which nothing is proved: the newest hundred are never pruned.
func (w *world) least() int { return 150 + w.processes + w.sessions }

func (w *world) complain(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// work lets everybody work until the time is over.
func (w *world) work(ctx context.Context) (err error) {
	if w.steady, err = w.serve(); err != nil {
		return err
	}
	if w.victim, err = w.serve(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		sleep(ctx, w.during)
		for n := 0; n < 240 && w.ledger.Changes() < w.least() && sleep(ctx, time.Second/2); n++ { // a slow machine has too little to judge yet
		}
	}()
	var all sync.WaitGroup
	for n := range w.processes + w.sessions {
		a := w.actor(n, w.caller(n))
		all.Go(func() { a.work(ctx) })
	}
	all.Go(func() { w.killServers(ctx) })
	all.Go(func() { w.jump(ctx) })
	w.measure(ctx)
	all.Wait()
	for _, s := range []*server{w.steady, w.victim} {
		if code := s.end(syscall.SIGTERM); code != 0 {
			w.complain("a server ended with %d after SIGTERM: %.2000s", code, s.said.String())
		}
	}
	return nil
}

// caller returns the way in which the nth actor calls: the processes first, then the sessions, of which one in ten has a server of its
// own on standard input and output, and the others share two servers.
func (w *world) caller(n int) caller {
	n -= w.processes
	switch {
	case n < 0:
		return &process{world: w}
	case n%10 == 9:
		return &stdio{world: w}
	case n%2 == 0:
		return &remote{world: w, server: w.steady, old: n%4 == 0}
	}
	return &remote{world: w, server: w.victim, old: n%4 == 1}
}

// killServers ends one of the servers again and again, half the times by kill -9, and starts it again.
func (w *world) killServers(ctx context.Context) {
	every := max(w.during/60, 4*time.Second)
	for n := 0; sleep(ctx, every); n++ {
		sig := syscall.SIGKILL
		if n%2 == 1 {
			sig = syscall.SIGTERM
		}
		code := w.victim.end(sig)
		if sig == syscall.SIGTERM && code != 0 {
			w.complain("the server ended with %d after SIGTERM: %.2000s", code, w.victim.said.String())
		}
		w.kills.Add(1)
		if err := w.victim.start(); err != nil {
			w.complain("the server does not start again: %v", err)
			return
		}
	}
}

// jump lets time jump: of the stamp that says when the history was last pruned, to days ago and days ahead, so that it is pruned by the
// next change; of files of the tree; and of the machine, if that is allowed.
func (w *world) jump(ctx context.Context) {
	stamp := filepath.Join(w.dir, ".git/emend/pruned")
	os.WriteFile(stamp, nil, 0o600) // as the first prune would
	offset := time.Duration(0)
	for n := 0; sleep(ctx, 500*time.Millisecond); n++ {
		by := []time.Duration{-100 * time.Hour, 100 * time.Hour, 0}[n%3]
		when := time.Now().Add(by)
		err := os.Chtimes(stamp, when, when)
		name := filepath.Join(w.dir, sharedName(rand.IntN(sharedFiles)))
		os.Chtimes(name, when, when) // it may be between two names
		if err == nil {
			w.jumps.Add(1)
		}
		if w.clock && n%8 == 7 {
			back := []time.Duration{0, 26 * time.Hour, -3 * time.Hour, 90 * 24 * time.Hour}[n/8%4]
			if err := shiftClock(back - offset); err != nil {
				w.complain("the clock: %v", err)
			}
			offset = back
		}
	}
	if w.clock {
		shiftClock(-offset)
	}
}

// sleep waits, and reports whether there is time left.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (w *world) close() {
	for _, s := range []*server{w.steady, w.victim} {
		if s != nil {
			s.end(syscall.SIGKILL)
		}
	}
	os.RemoveAll(w.home)
}

// judge compares the answers with the log and the tree, and what was measured with its bounds.
func (w *world) judge() ([]string, error) {
	if err := w.recover(); err != nil {
		w.complain("%v", err)
	}
	if _, err := w.run("verify"); err != nil {
		w.complain("%v", err)
	}
	text, err := w.run("log", "--limit", "0", "--json")
	if err != nil {
		return nil, err
	}
	log, err := session.ReadLog(text)
	if err != nil {
		return nil, err
	}
	after, err := session.Snapshot(w.dir)
	if err != nil {
		return nil, err
	}
	w.wrong = append(w.wrong, w.ledger.Judge(log, w.before, after)...)
	segments, _ := filepath.Glob(filepath.Join(w.dir, ".git/emend/log/*.jsonl"))
	prunes := strings.Count(string(text), `"toolName": "prune"`)
	w.sayCounts(len(log), len(segments), prunes)
	if len(segments) < 2 {
		w.complain("the log never rotated")
	}
	if prunes == 0 {
		w.complain("the history was never pruned")
	}
	if w.ledger.Changes() < w.least() {
		w.complain("%d changes were answered: too few to prove anything", w.ledger.Changes())
	}
	w.judgeSamples()
	for _, s := range summed(w.wrong) {
		w.say("WRONG, %s", s)
	}
	w.say("%d things do not agree", len(w.wrong))
	return w.wrong, nil
}

func (w *world) sayCounts(logged, segments, prunes int) {
	l := w.ledger
	w.say("%v, %d processes and %d sessions; calls: %v", w.during, w.processes, w.sessions, l.Calls)
	w.say("%d changes acknowledged, %d in the log, %d cut off; refused: %v", len(l.Answered), logged, len(l.Open), l.Refused)
	w.say("%d kills, %d jumps of times, %d lines of prunes in the log, %d segments of the log", w.kills.Load(), w.jumps.Load(), prunes, segments)
	if !w.clock {
		w.say("NOT RUN: jumps of the clock itself: without -clock, which only a machine of its own may have")
	}
}

// summed groups complaints that differ in names and numbers only: the first of each group, and how many there are.
func summed(complaints []string) (out []string) {
	names := regexp.MustCompile(`"[^"]*"|[0-9a-f]{6,}|[0-9]+`)
	count, first := map[string]int{}, map[string]string{}
	for _, c := range complaints {
		kind := names.ReplaceAllString(c[:min(len(c), 300)], "*")
		if count[kind]++; count[kind] == 1 {
			first[kind] = c
		}
	}
	for _, kind := range slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) }) {
		out = append(out, fmt.Sprintf("%d x: %.1000s", count[kind], first[kind]))
	}
	return out
}
