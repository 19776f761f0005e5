package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// attach creates a block device from the file path. The device disappears when nothing has it open any more, neither the
// returned file nor a mount.
func attach(path string) (*os.File, error) {
	back, err := os.OpenFile(path, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		return nil, err
	}
	defer back.Close()
	ctl, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer ctl.Close()
	for range 50 { // another process may take the free one first
		dev, err := attachFree(ctl, back)
		if !errors.Is(err, unix.EBUSY) {
			return dev, err
		}
	}
	return nil, errors.New("no loop device stays free long enough")
}

func attachFree(ctl, back *os.File) (*os.File, error) {
	n, err := unix.IoctlRetInt(int(ctl.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		return nil, fmt.Errorf("find a free loop device: %w", err)
	}
	dev, err := os.OpenFile(fmt.Sprintf("/dev/loop%d", n), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	conf := unix.LoopConfig{Fd: uint32(back.Fd())}
	conf.Info.Flags = unix.LO_FLAGS_AUTOCLEAR | unix.LO_FLAGS_DIRECT_IO
	if err := unix.IoctlLoopConfigure(int(dev.Fd()), &conf); err != nil {
		dev.Close()
		return nil, fmt.Errorf("configure %s: %w", dev.Name(), err)
	}
	return dev, nil
}

// unmount unmounts dir. It waits for processes that still use it for a moment.
func unmount(dir string) error {
	var err error
	for range 100 {
		if err = unix.Unmount(dir, 0); !errors.Is(err, unix.EBUSY) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("unmount %s: %w", dir, err)
}
