//go:build !planted

package plant

// Enabled reports whether the program has the bug. In this build it never does.
func Enabled(Bug) bool { return false }
