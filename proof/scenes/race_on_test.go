//go:build race

package scenes

// raceFactor is the factor by which the race detector increases memory.
const raceFactor = 4
