// Package growing times programs on inputs of growing sizes. Each runs as a process of its own; the fastest of some rounds counts.
package growing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/emend-dev/emend/bench/internal/launch"
)

// Program is a program to time.
type Program struct {
	Name  string // in the table
	Args  []string
	Dir   string
	Stdin string       // a file, or "" for none
	Exit  int          // its exit code
	After func() error // runs after each round, untimed, if it is not nil
}

// Timer times programs.
type Timer struct {
	Rounds   int
	Limit    time.Duration // a run that takes longer is given up
	scratch  string
	launcher *launch.Launcher
}

// Start builds and starts the small process that runs the programs. It writes into the directory scratch.
func (t *Timer) Start(ctx context.Context, scratch string) error {
	t.scratch = scratch
	launcher := filepath.Join(scratch, "launch")
	if said, err := exec.CommandContext(ctx, "go", "build", "-o", launcher, "github.com/emend-dev/emend/bench/launch").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, said)
	}
	var err error
	t.launcher, err = launch.Start(ctx, launcher)
	return err
}

// End stops the process.
func (t *Timer) End() error { return t.launcher.End() }

// Time returns the fastest run of a program in seconds, and its peak in MB. A run that is given up is the only one, and has no
// end.
func (t *Timer) Time(p Program) (took, peak float64, err error) {
	took = math.Inf(1)
	said := filepath.Join(t.scratch, "said")
	for range t.Rounds {
		d, err := t.launcher.Run(launch.Order{Path: p.Args[0], Args: p.Args, Dir: p.Dir, Stdin: p.Stdin, Stdout: said, Stderr: said, Limit: t.Limit,
			Env: append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(t.scratch, "config"))})
		if err != nil {
			return 0, 0, err
		}
		if d.Slow {
			return math.Inf(1), 0, nil
		}
		if d.Exit != p.Exit {
			text, err := os.ReadFile(said)
			return 0, 0, errors.Join(fmt.Errorf("%s: it should end with %d, and ended with %d: %.2000s", p.Name, p.Exit, d.Exit, text), err)
		}
		took, peak = min(took, d.Took.Seconds()), max(peak, float64(d.Peak)/1e6)
		if p.After != nil {
			if err := p.After(); err != nil {
				return 0, 0, err
			}
		}
	}
	return took, peak, nil
}

// Seconds prints a time for a table.
func Seconds(s float64) string {
	switch {
	case math.IsInf(s, 1):
		return "given up"
	case s > 10:
		return fmt.Sprintf("%.1f", s)
	}
	return fmt.Sprintf("%.3f", s)
}

// Exponent prints how the time grew from the size before, in sizes, to size i; nothing for the first.
func Exponent(before, took float64, i int, sizes []int) string {
	if i == 0 || before == 0 || math.IsInf(cmp.Or(before, took), 1) || math.IsInf(took, 1) {
		return ""
	}
	return fmt.Sprintf("%.2f", math.Log(took/before)/math.Log(float64(sizes[i])/float64(sizes[i-1])))
}
