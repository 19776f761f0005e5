//go:build race

package growth

// raced: the race detector allocates as well.
const raced = true
