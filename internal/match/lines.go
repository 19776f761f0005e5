package match

import (
	"runtime"
	"sync"

	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Lines lists for every one of keys, which are folded and all different, which lines of file fold to it on rung r: the
// first ones of those that are more than most, but at least one more than that.
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
			if k := sought.of(Fold(r, file.Line(i))); k != 0 && len(at[k-1]) <= most {
				at[k-1] = append(at[k-1], i)
			}
		}
		joining.Lock()
		defer joining.Unlock()
		parts[from] = at
	})
	for from := 0; from < file.Len(); from += part(file.Len()) {
		for k, at := range parts[from] {
			out[k] = append(out[k], at...)
		}
	}
	return out
}

// part is how many of n lines a processor takes at a time.
func part(n int) int { return max(1<<14, n/runtime.GOMAXPROCS(0)+1) }

// inParts does the work on n lines with all processors at once.
func inParts(n int, work func(from, to int)) {
	var working sync.WaitGroup
	for from := 0; from < n; from += part(n) {
		working.Go(func() { work(from, min(from+part(n), n)) })
	}
	working.Wait()
}
