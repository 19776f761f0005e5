//go:build !unix

package commit

// openFiles is how many files this process may have open.
func openFiles() int { return 1024 }
