//go:build race

package commit

// slow is set under the race detector, which makes a sweep ten times as long; one goroutine has little to race.
const slow = true
