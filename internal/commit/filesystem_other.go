//go:build !linux && !windows

package commit

// Filesystem returns the file system that dir is on, where the system tells.
func Filesystem(string) (FS, error) {
	return FS{Type: "not told apart on this system", Journal: true}, nil
}
