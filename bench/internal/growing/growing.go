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

// Cost has the measurements of a program.
type Cost struct {
	Seconds   float64 // of the fastest run; +Inf if it was given up
	Processor float64 // seconds of processor time, of the run that took the least
	Peak      float64 // MB, the most of any run
}

// Time runs a program and returns what it costs. A run that is given up is the only one.
func (t *Timer) Time(p Program) (Cost, error) {
	out := Cost{Seconds: math.Inf(1), Processor: math.Inf(1)}
	said := filepath.Join(t.scratch, "said")
	for range t.Rounds {
		d, err := t.launcher.Run(launch.Order{Path: p.Args[0], Args: p.Args, Dir: p.Dir, Stdin: p.Stdin, Stdout: said, Stderr: said, Limit: t.Limit,
			Env: append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(t.scratch, "config"))})
		if err != nil {
			return out, err
		}
		if d.Slow {
			return Cost{Seconds: math.Inf(1), Processor: math.Inf(1)}, nil
		}
		if d.Exit != p.Exit {
			text, err := os.ReadFile(said)
			return out, errors.Join(fmt.Errorf("%s: it should end with %d, and ended with %d: %.2000s", p.Name, p.Exit, d.Exit, text), err)
		}
		out = Cost{min(out.Seconds, d.Took.Seconds()), min(out.Processor, d.CPU.Seconds()), max(out.Peak, float64(d.Peak)/1e6)}
		if p.After != nil {
			if err := p.After(); err != nil {
				return out, err
			}
		}
	}
	return out, nil
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

// Exponent prints how a cost grew from the size before, in sizes, to size i; nothing for the first.
func Exponent(before, cost float64, i int, sizes []int) string {
	if i == 0 || before == 0 || math.IsInf(cmp.Or(before, cost), 1) || math.IsInf(cost, 1) {
		return ""
	}
	return fmt.Sprintf("%.2f", Growth(before, cost, sizes[i-1], sizes[i]))
}

// Growth returns the exponent with which a cost grows from one size to another: 0 does not grow, 1 is linear.
func Growth(first, last float64, from, to int) float64 {
	return math.Log(last/first) / math.Log(float64(to)/float64(from))
}
