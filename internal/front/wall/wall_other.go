//go:build !linux

package wall

// Expected is false: this system has nothing of the kind.
const Expected = false

// Version returns 0: this system has no Landlock.
func Version() int { return 0 }

// Scope returns nothing: this system has no Landlock.
func Scope() []string { return nil }

// Up does nothing on this system.
func Up(_, _ []string) (up bool, err error) { return false, nil }
