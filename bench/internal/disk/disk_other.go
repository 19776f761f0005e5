//go:build !linux

package disk

import "runtime"

// Flush does nothing, since not every system can sync a file system.
func Flush(string) error { return nil }

// Spread does nothing: it is for ext4.
func Spread(string) error { return nil }

// FileSystem does not know.
func FileSystem(string) string { return "an unknown file system" }

// Kernel returns the name of the system.
func Kernel() string { return runtime.GOOS }
