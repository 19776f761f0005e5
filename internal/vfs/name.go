package vfs

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// ErrNotRegular is the error of opening a FIFO, a device or a socket. Nothing was opened.
var ErrNotRegular = errors.New("not a regular file")

// CheckName refuses what is not a single name: the system would resolve a path, through links that nobody judged.
func CheckName(op, name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsFunc(name, isSeparator) {
		return pathError(op, name, fs.ErrInvalid)
	}
	return nil
}

// isSeparator also knows the colon of Windows, behind which the name of a stream begins.
func isSeparator(r rune) bool {
	return r == 0 || r == '/' || r < 0x80 && os.IsPathSeparator(byte(r)) || r == ':' && runtime.GOOS == "windows"
}

// CheckNames is CheckName for a call with two names.
func CheckNames(op, name, as string) error {
	if err := CheckName(op, name); err != nil {
		return err
	}
	return CheckName(op, as)
}

// ErrOtherMaker is the error of a call on two directories or files that come from different implementations.
var ErrOtherMaker = errors.New("the other one is of another maker")

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func linkError(op, name, as string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: name, New: as, Err: err}
}

func (h RenameMode) String() string { return [...]string{"replace", "no replace", "exchange"}[h] }
