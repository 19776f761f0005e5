//go:build !unix && !windows

package mcp

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/emend-dev/emend/fail"
)

func openToken(file string) (*os.File, error) { return os.Open(file) }

// checkPrivate checks the type of the file only. This system has no mode bits, and the directory of the account
// protects the file.
func checkPrivate(file string, _ *os.File, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fail.Error{Kind: fail.PermissionDenied, Msg: fmt.Sprintf("the token file %s is no regular file", fail.Quote(file)),
		Hint: "Name another with --token-file."}
}
