//go:build !linux

package wall

// Expected: nobody misses it on this system.
const Expected = false

// Version is 0: this system has no Landlock.
func Version() int { return 0 }

// Up does nothing on this system.
func Up(_, _ []string) (up bool, err error) { return false, nil }
