package workspace

import (
	"sync"

	"github.com/emend-dev/emend/api"
)

// maxLineCounts bounds how many files' counts LineCounts keeps, which takes about 2 MiB.
const maxLineCounts = 100_000

// LineCounts remembers how many lines the changes of the log added and removed, so that a list that is shown again reads no diffs. A
// record never changes, so what was counted once stays right. It keeps the counts in memory, and drops them all when there are too many.
type LineCounts struct {
	mu       sync.Mutex
	byRecord map[string][]api.LineCount // by the record's hash
	files    int
}

// Get returns what Put got for a record: one count for each of its files.
func (c *LineCounts) Get(record string) ([]api.LineCount, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts, ok := c.byRecord[record]
	return counts, ok
}

// Put remembers the counts of a record. Nobody may change them afterwards.
func (c *LineCounts) Put(record string, counts []api.LineCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byRecord == nil || c.files+len(counts) > maxLineCounts {
		c.byRecord, c.files = map[string][]api.LineCount{}, 0
	}
	c.byRecord[record] = counts
	c.files += len(counts)
}
