package vfs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// ErrNotRegular is the error of opening a FIFO, a device or a socket: nothing was opened.
var ErrNotRegular = errors.New("not a regular file")

// single refuses what is not one name: a path would be resolved by the system, through links that nobody judged.
func single(op, name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsFunc(name, parts) {
		return failed(op, name, fs.ErrInvalid)
	}
	return nil
}

func parts(r rune) bool { return r == 0 || r == '/' || r < 0x80 && os.IsPathSeparator(byte(r)) }

// pair refuses what is not two single names.
func pair(op, name, as string) error {
	if err := single(op, name); err != nil {
		return err
	}
	return single(op, as)
}

func failed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func failedPair(op, name, as string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: name, New: as, Err: err}
}

// errMaker is the error of a call about two directories or files, when another maker made the second.
var errMaker = errors.New("the other one is of another maker")

func (h How) String() string { return [...]string{"replace", "no replace", "exchange"}[h] }
