//go:build !unix

package cli

import "os"

// readerGone is not implemented here: the next write fails instead.
func readerGone(*os.File) bool { return false }
