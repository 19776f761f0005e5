//go:build !linux

package cli

// adoptOrphans does nothing: this system has no way to learn of processes that a command leaves behind.
func adoptOrphans() {}

func hasOrphans() bool { return false }
