//go:build race

package growth

// raced says that the race detector watches, which allocates beside the jobs.
const raced = true
