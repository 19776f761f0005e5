package main

import (
	"bytes"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// shiftClock sets the clock of the machine by d.
func shiftClock(d time.Duration) error {
	now := unix.NsecToTimespec(time.Now().Add(d).UnixNano())
	return unix.ClockSettime(unix.CLOCK_REALTIME, &now)
}

// untilChanged waits until another file has the name, or the channel is closed.
func untilChanged(name string, ended <-chan struct{}) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, err := unix.InotifyAddWatch(fd, filepath.Dir(name), unix.IN_MOVED_TO|unix.IN_MOVED_FROM|unix.IN_DELETE); err != nil {
		return err
	}
	base, events := append([]byte(filepath.Base(name)), 0), make([]byte, 1<<16)
	for {
		unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 20)
		if n, err := unix.Read(fd, events); err == nil && bytes.Contains(events[:n], base) {
			return nil
		}
		select {
		case <-ended:
			return nil
		default:
		}
	}
}
