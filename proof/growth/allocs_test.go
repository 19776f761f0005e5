package growth

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// sizes double, so that they yield an exponent.
var sizes = []int{1 << 12, 1 << 13, 1 << 14, 1 << 15}

// TestAllocations checks the number of allocations and of bytes of every job, and their growth.
func TestAllocations(t *testing.T) {
	if raced {
		t.Skip("NOT RUN: allocations: the race detector allocates beside the jobs")
	}
	for _, j := range jobs {
		t.Run(j.name, func(t *testing.T) {
			var allocs, bytes []float64
			for _, n := range sizes {
				a, b := allocated(j.make(t, n))
				allocs, bytes = append(allocs, a), append(bytes, b)
			}
			last := len(sizes) - 1
			hold(t, "allocations: "+j.name, allocs[last])
			hold(t, "bytes: "+j.name, bytes[last])
			grow(t, "allocations", allocs)
			grow(t, "bytes", bytes)
		})
	}
}

// allocated returns what one call of f allocates, on one processor and without collections. It is the least of three, since the
// runtime itself allocates now and then.
func allocated(f func()) (allocs, bytes float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f() // initialize what is made once
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	allocs, bytes = math.Inf(1), math.Inf(1)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		allocs = min(allocs, float64(after.Mallocs-before.Mallocs))
		bytes = min(bytes, float64(after.TotalAlloc-before.TotalAlloc))
	}
	return allocs, bytes
}
