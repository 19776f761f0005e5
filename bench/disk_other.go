//go:build !linux

package main

import "runtime"

// settle does nothing, since not every system can sync a file system.
func settle(string) error { return nil }

// spread does nothing: it is for ext4.
func spread(string) error { return nil }

func fileSystem(string) string { return "an unknown file system" }

func kernel() string { return runtime.GOOS }
