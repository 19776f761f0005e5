package match

import (
	"runtime"
	"sync"

	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Lines lists for each of keys, which are folded and distinct, the lines of file that fold to it on rung r. Of a key
// with more than most lines it lists the first ones, and more than most of them.
func Lines(file *text.Lines, r patch.Rung, keys []string, most int) [][]int {
	sought, out := newLetters(), make([][]int, len(keys))
	for _, k := range keys {
		sought.add(k)
	}
	var joining sync.Mutex
	parts := map[int][][]int{} // by their first line
	inParts(file.Len(), func(from, to int) {
		at := make([][]int, len(keys))
		for i := from; i < to; i++ {
			if k := sought.find(Fold(r, file.Line(i))); k != 0 && len(at[k-1]) <= most {
				at[k-1] = append(at[k-1], i)
			}
		}
		joining.Lock()
		defer joining.Unlock()
		parts[from] = at
	})
	for from := 0; from < file.Len(); from += partSize(file.Len()) {
		for k, at := range parts[from] {
			out[k] = append(out[k], at...)
		}
	}
	return out
}

// partSize returns how many of n lines one processor takes at a time.
func partSize(n int) int { return max(1<<14, n/runtime.GOMAXPROCS(0)+1) }

// inParts calls work for all parts of n lines, on all processors at once.
func inParts(n int, work func(from, to int)) {
	var working panics.Group
	for from := 0; from < n; from += partSize(n) {
		working.Go(func() { work(from, min(from+partSize(n), n)) })
	}
	working.Wait()
}
