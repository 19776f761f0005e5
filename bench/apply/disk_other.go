//go:build !linux

package main

// fileSystem names the file system that dir is on.
func fileSystem(string) string { return "an unknown file system" }

// syncDir does nothing: not every system can.
func syncDir(string) error { return nil }
