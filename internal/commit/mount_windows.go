package commit

import "github.com/emend-dev/emend/internal/vfs"

// mountAndOwner returns the volume that a directory is on, and whether it is one's own.
func mountAndOwner(dir string) (mount uint64, owner uint32, err error) {
	d, err := vfs.Open(dir)
	if err != nil {
		return 0, 0, err
	}
	defer d.Close()
	is, err := d.Stat(".")
	if err != nil {
		return 0, 0, err
	}
	owner, err = ownerOf(dir)
	return is.ID.Dev, owner, err
}
