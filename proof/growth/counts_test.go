package growth

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the counts down anew")

const (
	file = "testdata/counts.txt"
	// slack is the factor by which a count may exceed the recorded one: other platforms, other collections.
	slack = 1.15
	// steepest is the largest allowed exponent. Work that doubles when its input doubles has 1.
	steepest = 1.05
)

// counts returns the recorded counts by key.
var counts = sync.OnceValues(func() (map[string]float64, error) {
	out := map[string]float64{}
	f, err := os.Open(file)
	if err != nil {
		return out, err
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		var n float64
		key, count, _ := strings.Cut(in.Text(), "\t")
		if _, err := fmt.Sscan(count, &n); err != nil {
			return out, fmt.Errorf("%s: %q: %w", file, in.Text(), err)
		}
		out[key] = n
	}
	return out, nil
})

// found has the counts of this run.
var found = map[string]float64{}

// hold compares a count with the recorded one.
func hold(t *testing.T, key string, got float64) {
	t.Helper()
	found[key] = got
	if *update {
		return
	}
	known, err := counts()
	check(t, err)
	want, ok := known[key]
	switch {
	case !ok:
		t.Errorf("%s: %g, and nothing is written down: go -C proof test ./growth -update", key, got)
	case got > want*slack+2:
		t.Errorf("%s: %g, which is more than the %g written down", key, got, want)
	case got < want/slack-2:
		t.Logf("%s: %g, down from %g; go -C proof test ./growth -update keeps it there", key, got, want)
	}
}

// grow checks that costs grow no faster than the input, which doubles from one to the next.
func grow(t *testing.T, what string, costs []float64) {
	t.Helper()
	e := exponent(costs)
	t.Logf("%s: %.0f, exponent %.3f", what, costs, e)
	if e > steepest {
		t.Errorf("%s: the exponent is %.3f, more than %.2f: %.0f for inputs that double", what, e, steepest, costs)
	}
}

// exponent is computed from the costs, and from what the first and the last doubling add to them, which excludes fixed costs.
// The lesser of the two counts.
func exponent(costs []float64) float64 {
	last := len(costs) - 1
	slope := func(a, b float64, doublings int) float64 { return math.Log2(max(b, 1)/max(a, 1)) / float64(doublings) }
	return min(slope(costs[0], costs[last], last), slope(costs[1]-costs[0], costs[last]-costs[last-1], last-1))
}

// only skips a test that takes long, unless everything is asked for.
func only(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("EMEND_GROWTH") != "all" {
		t.Skipf("NOT RUN: %s: with EMEND_GROWTH=all", what)
	}
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if code == 0 && *update {
		if err := write(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// write records the counts of this run. Counts that were not taken stay.
func write() error {
	known, err := counts()
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	maps.Copy(known, found)
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintf(&b, "%s\t%g\n", key, known[key])
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

func TestExponent(t *testing.T) {
	for want, costs := range map[float64][]float64{0: {5, 5, 5}, 1: {3, 6, 12}, 2: {10, 40, 160}} {
		if got := exponent(costs); math.Abs(got-want) > 1e-9 {
			t.Errorf("exponent(%v) = %f, want %f", costs, got, want)
		}
	}
}
