//go:build !linux

package confine

import "os/exec"

// Version returns 0: this system has no Landlock.
func Version() int { return 0 }

// Check returns an error: this system cannot confine a command.
func Check() error { return &Unsupported{"this needs Linux"} }

// Thread returns the error of Check.
func Thread([]string) error { return Check() }

// Start returns the error of Check, and starts nothing.
func Start(*exec.Cmd, []string) error { return Check() }
