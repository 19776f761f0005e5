//go:build race

package scenes

// watched is the factor by which the race detector increases memory.
const watched = 4
