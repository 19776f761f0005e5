//go:build race

package scenes

// watched is how many times as much memory a program needs beside the race detector.
const watched = 4
