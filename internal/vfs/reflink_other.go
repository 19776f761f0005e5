//go:build !linux

package vfs

import "errors"

// Reflink fails: this system has no such call.
func Reflink(to, from File) error { return errors.ErrUnsupported }
