package shrink

import (
	"slices"
	"testing"
)

func TestSlice(t *testing.T) {
	items := make([]int, 1000)
	for i := range items {
		items[i] = i
	}
	needs := []int{3, 500, 501, 999}
	bad := func(try []int) bool {
		for _, n := range needs {
			if !slices.Contains(try, n) {
				return false
			}
		}
		return true
	}
	if got := Slice(items, 10000, bad); !slices.Equal(got, needs) {
		t.Errorf("got %v, want %v", got, needs)
	}
	if got := Slice(items, 5, bad); !bad(got) {
		t.Errorf("a small budget lost the failure: %v", got)
	}
	if got := Slice(items[:1], 10, func([]int) bool { return true }); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
}
