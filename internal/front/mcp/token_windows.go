package mcp

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

func openToken(file string) (*os.File, error) { return os.Open(file) }

// checkPrivate refuses a token that another account may read, as ssh does of keys: the system and the administrators may.
func checkPrivate(file string, f *os.File, info fs.FileInfo) error {
	refuse := func(why, hint string) error {
		return &fail.Error{Kind: fail.PermissionDenied, Msg: fmt.Sprintf("the token file %s %s", fail.Quote(file), why), Hint: hint}
	}
	if !info.Mode().IsRegular() {
		return refuse("is no regular file", "Name another with --token-file.")
	}
	who, err := vfs.OthersMayRead(f)
	if err != nil {
		return err
	}
	if who != "" {
		return refuse("can be read by "+who, "If nobody has read it, take the right away in its properties, under Security. Else make a new one with --new-token.")
	}
	return nil
}
