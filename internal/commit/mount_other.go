//go:build !unix && !windows

package commit

import (
	"os"
	"path/filepath"
	"strings"
)

// mountAndOwner returns the volume that a directory is on. It does not tell owners apart here.
func mountAndOwner(dir string) (mount uint64, owner uint32, err error) {
	if _, err := os.Stat(dir); err != nil {
		return 0, 0, err
	}
	for _, r := range strings.ToLower(filepath.VolumeName(dir)) {
		mount = mount*31 + uint64(r)
	}
	return mount, 0, nil
}
