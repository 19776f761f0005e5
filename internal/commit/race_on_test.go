//go:build race

package commit

// slow says that the race detector watches: it makes a sweep ten times as long, and one goroutine has little to race.
const slow = true
