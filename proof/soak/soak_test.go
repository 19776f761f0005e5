//go:build unix

package main

import (
	"os"
	"slices"
	"testing"
	"time"
)

// TestSoak is a slice of the soak. EMEND_SOAK=30m makes it longer, with all processes and sessions.
func TestSoak(t *testing.T) {
	c := config{during: 15 * time.Second, processes: 4, sessions: 20, killed: 0.1}
	if long := os.Getenv("EMEND_SOAK"); long != "" {
		d, err := time.ParseDuration(long)
		if err != nil {
			t.Fatal(err)
		}
		c = config{during: d, processes: 32, sessions: 200, killed: 0.08}
	}
	wrong, err := soak(t.Context(), c, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range summed(wrong) {
		t.Error(s)
	}
}

// TestGrowth checks that figures that grow are noticed, and those that only vary are not.
func TestGrowth(t *testing.T) {
	b := bound{"x", func(s sample) int64 { return s.memory }, 1, 0.15, 16}
	for _, tc := range []struct {
		name string
		at   func(i int) int64
		grew bool
	}{
		{"flat", func(int) int64 { return 100 }, false},
		{"it goes up and down", func(i int) int64 { return 100 + int64(i%3)*10 }, false},
		{"it grows at first only", func(i int) int64 { return min(int64(i)*40, 400) }, false},
		{"it goes up more towards the end, and comes back", func(i int) int64 { return 100 + int64(i%6*i) }, false},
		{"it grows all the time", func(i int) int64 { return 100 + int64(i)*4 }, true},
		{"it grows at the end", func(i int) int64 { return 100 + int64(i/36)*100 }, true},
	} {
		var all []sample
		for i := range samples {
			all = append(all, sample{memory: tc.at(i)})
		}
		if _, _, grew := b.judge(all); grew != tc.grew {
			t.Errorf("%s: grew is %v", tc.name, grew)
		}
	}
}

// TestSummed: complaints that differ in names and numbers only are counted, the most frequent first.
func TestSummed(t *testing.T) {
	got := summed([]string{`7: "f3" is gone`, `12: no answer`, `9: "g" is gone`, `3: "h" is gone`})
	if want := []string{`3 x: 7: "f3" is gone`, `1 x: 12: no answer`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
