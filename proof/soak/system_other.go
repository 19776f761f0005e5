//go:build !linux

package main

import (
	"errors"
	"time"
)

var errLinux = errors.New("on Linux only")

func shiftClock(time.Duration) error { return errLinux }

func untilChanged(string, <-chan struct{}) error { return errLinux }
