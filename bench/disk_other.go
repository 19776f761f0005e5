//go:build !linux

package main

import "runtime"

// flushDisk does nothing, since not every system can sync a file system.
func flushDisk(string) error { return nil }

// spreadDirectories does nothing: it is for ext4.
func spreadDirectories(string) error { return nil }

func fileSystem(string) string { return "an unknown file system" }

func kernel() string { return runtime.GOOS }
