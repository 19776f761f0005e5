package commit

import (
	"strings"

	"golang.org/x/sys/windows"
)

// Filesystem returns the file system that dir is on.
func Filesystem(dir string) (FS, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return FS{}, err
	}
	var volume, name [windows.MAX_PATH + 1]uint16
	if err := windows.GetVolumePathName(path, &volume[0], uint32(len(volume))); err != nil {
		return FS{}, err
	}
	if err := windows.GetVolumeInformation(&volume[0], nil, 0, nil, nil, nil, &name[0], uint32(len(name))); err != nil {
		return FS{}, err
	}
	kind := windows.UTF16ToString(name[:])
	network := windows.GetDriveType(&volume[0]) == windows.DRIVE_REMOTE || strings.HasPrefix(windows.UTF16ToString(volume[:]), `\\`)
	return FS{Type: kind, Journal: kind == "NTFS" || kind == "ReFS", Network: network}, nil
}
