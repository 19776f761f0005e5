package vfstest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every combination is tried once, even if the questions depend on the answers.
func TestEnumerate(t *testing.T) {
	var found []string
	all, err := Enumerate(100, 1, func(choose func(int) int) error {
		a := choose(2)
		s := fmt.Sprint(a)
		if a == 1 {
			s += fmt.Sprint(choose(3))
		}
		found = append(found, s+fmt.Sprint(choose(2)))
		return nil
	})
	must(t, err)
	if want := []string{"00", "01", "100", "101", "110", "111", "120", "121"}; !all || !slices.Equal(found, want) {
		t.Errorf("%v %v, want %v", all, found, want)
	}
}

func TestEnumerateNothing(t *testing.T) {
	n := 0
	all, err := Enumerate(100, 1, func(func(int) int) error { n++; return nil })
	if !all || err != nil || n != 1 {
		t.Errorf("%v, %v, %d runs", all, err, n)
	}
}

// Beyond the limit all choices are random, not only the last ones.
func TestEnumerateTooMany(t *testing.T) {
	first, runs := map[int]bool{}, 0
	all, err := Enumerate(50, 1, func(choose func(int) int) error {
		runs++
		first[choose(2)] = true
		for range 20 {
			choose(2)
		}
		return nil
	})
	must(t, err)
	if all || runs != 100 || len(first) != 2 {
		t.Errorf("all %v, %d runs, the first was %v", all, runs, first)
	}
}

// A failure can be reproduced.
func TestReplay(t *testing.T) {
	bad := errors.New("bad")
	try := func(choose func(int) int) error {
		if choose(3) == 2 && choose(4) == 1 {
			return bad
		}
		return nil
	}
	_, err := Enumerate(100, 1, try)
	if !errors.Is(err, bad) || !strings.HasPrefix(err.Error(), "choices [2 1]: ") {
		t.Fatal(err)
	}
	if err := try(Replay(2, 1)); !errors.Is(err, bad) {
		t.Errorf("replayed: %v", err)
	}
	if err := try(Replay()); err != nil {
		t.Errorf("replayed nothing: %v", err)
	}
}
