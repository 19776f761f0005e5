//go:build unix

package mcp

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/emend-dev/emend/fail"
)

// openToken does not block on a named pipe.
func openToken(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// checkPrivate refuses a token that another account may have read or written.
func checkPrivate(file string, _ *os.File, info fs.FileInfo) error {
	refuse := func(why, hint string) error {
		return &fail.Error{Kind: fail.PermissionDenied, Msg: fmt.Sprintf("the token file %s %s", fail.Quote(file), why), Hint: hint}
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	switch uid := os.Geteuid(); {
	case !info.Mode().IsRegular():
		return refuse("is no regular file", "Name another with --token-file.")
	case ok && int(sys.Uid) != uid && sys.Uid != 0:
		return refuse("belongs to somebody else", "Name one of your own with --token-file.")
	case info.Mode().Perm()&0o077 != 0:
		return refuse(fmt.Sprintf("can be read by others (mode %04o)", info.Mode().Perm()),
			"If nobody has read it, run: chmod 600 "+fail.Quote(file)+". Else make a new one with --new-token.")
	}
	return nil
}
