//go:build !unix

package commit

// openFileLimit returns how many files this process may have open.
func openFileLimit() int { return 1024 }
