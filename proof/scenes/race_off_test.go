//go:build !race

package scenes

const raceFactor = 1
