//go:build !race

package scenes

const watched = 1
