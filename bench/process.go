package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/internal/launch"
)

// launcher starts and times programs.
type launcher interface {
	Run(launch.Order) (launch.Done, error)
	End() error
}

func startLauncher(ctx context.Context, path string) (launcher, error) {
	return launch.Start(ctx, path)
}

// task is one program with what it does in each turn.
type task struct {
	name    string // of the lane
	program program
	args    []string // after the name of the program
	stdin   string
	tree    func() (string, error)             // creates the tree to work in, or returns a shared one
	check   func(dir string, out string) error // checks the tree and the file with the output
	after   func(dir string) error             // runs after the check, or nil
	exit    int                                // expected exit code
	silent  bool                               // expect nothing on standard error
	says    string                             // expected words on standard error
	limit   time.Duration                      // 0: none
	counted bool                               // count its syncs
	part    bool
	rounds  int
}

// lane returns the lane of a task.
func (b *bench) lane(t task) lane {
	l := lane{name: t.name, why: t.program.why, part: t.part, rounds: t.rounds}
	l.turn = func(context.Context) (sample, error) { return b.turn(t) }
	if t.counted && b.programs.strace.why == "" {
		l.calls = func(context.Context) (map[string]int, error) { return b.strace(t) }
	}
	return l
}

// lanes returns the lanes of tasks. A task of emend gets a second lane with the older build, if there is one. That lane works
// on a tree whose store this build has created.
func (b *bench) lanes(tasks ...task) (out []lane) {
	for _, t := range tasks {
		out = append(out, b.lane(t))
		if b.older != "" && t.program == b.programs.emend {
			t.name, t.program.path, t.counted = older(t.name), b.older, false
			out = append(out, b.lane(t))
		}
	}
	return out
}

func (b *bench) turn(t task) (sample, error) {
	dir, err := t.tree()
	if err != nil {
		return sample{}, err
	}
	d, err := b.launch(t, dir, t.program.path, slices.Concat([]string{t.program.name}, t.args))
	if err != nil || d.Slow {
		return sample{took: t.limit, peak: d.Peak, slow: d.Slow}, err
	}
	if err := t.check(dir, b.printed()); err != nil {
		return sample{}, err
	}
	if t.after != nil {
		err = t.after(dir)
	}
	return sample{took: d.Took, peak: d.Peak}, err
}

func (b *bench) launch(t task, dir, path string, args []string) (launch.Done, error) {
	said := filepath.Join(b.scratch, "said")
	d, err := b.launcher.Run(launch.Order{Path: path, Args: args, Dir: dir, Env: environment(b.home(), dir), Stdin: t.stdin,
		Stdout: b.printed(), Stderr: said, Limit: t.limit})
	if err != nil || d.Slow {
		return d, err
	}
	text, err := os.ReadFile(said)
	if err == nil && (d.Exit != t.exit || t.silent && len(text) > 0 || !bytes.Contains(text, []byte(t.says))) {
		err = fmt.Errorf("it should end with %d, and ended with %d and the words %q", t.exit, d.Exit, bytes.TrimSpace(text))
	}
	return d, err
}

// printed returns the file for the output of a program, in memory where possible. It is a real file that is read afterwards,
// since some programs do less for /dev/null.
func (b *bench) printed() string {
	if memory := "/dev/shm"; b.shared(memory) {
		return filepath.Join(memory, filepath.Base(b.scratch)+".out")
	}
	return filepath.Join(b.scratch, "out")
}

func (b *bench) shared(dir string) bool {
	is, err := os.Stat(dir)
	return err == nil && is.IsDir()
}

// syncs lists the system calls that wait for a disk.
var syncs = []string{"fsync", "fdatasync", "syncfs", "sync", "sync_file_range", "msync"}

// strace counts the syncs of one more turn.
func (b *bench) strace(t task) (map[string]int, error) {
	dir, err := t.tree()
	if err != nil {
		return nil, err
	}
	counts := filepath.Join(b.scratch, "counts")
	args := []string{"strace", "-f", "-qq", "-c", "-e", "trace=" + strings.Join(syncs, ","), "-o", counts, t.program.path}
	if t.limit > 0 {
		t.limit *= 4
	}
	if _, err := b.launch(t, dir, b.programs.strace.path, slices.Concat(args, t.args)); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(counts)
	if err == nil && t.after != nil {
		err = t.after(dir)
	}
	return parseCounts(string(text)), err
}

// parseCounts reads strace's table: % time, seconds, usecs/call, calls, errors if any, name. No table means no calls.
func parseCounts(table string) map[string]int {
	out := map[string]int{}
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 5 || f[len(f)-1] == "total" {
			continue
		}
		if n, err := strconv.Atoi(f[3]); err == nil {
			out[f[len(f)-1]] = n
		}
	}
	return out
}

// home returns an empty home directory, so that no program finds settings.
func (b *bench) home() string { return filepath.Join(b.scratch, "home") }

// environment returns the least that every program needs. No program finds settings or a repository above the tree.
func environment(home, dir string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "LC_ALL=C", "PWD=" + dir,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
}
