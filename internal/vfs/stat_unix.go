//go:build linux || darwin

package vfs

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

func infoOf(st *unix.Stat_t) Info {
	return Info{
		ID:         ID{Dev: uint64(st.Dev), Ino: st.Ino},
		Mode:       FileMode(uint32(st.Mode)),
		Size:       st.Size,
		ModTime:    time.Unix(st.Mtim.Unix()),
		ChangeTime: time.Unix(st.Ctim.Unix()),
		Links:      uint64(st.Nlink),
		UID:        st.Uid,
		GID:        st.Gid,
	}
}

// specialBits are the permission bits beyond the nine.
var specialBits = [...]struct {
	bit  uint32
	mode fs.FileMode
}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}}

// FileMode converts st_mode to an fs.FileMode.
func FileMode(st uint32) fs.FileMode {
	mode := fs.FileMode(st & 0o777)
	for _, s := range specialBits {
		if st&s.bit != 0 {
			mode |= s.mode
		}
	}
	return mode | fileType(st&unix.S_IFMT)
}

func fileType(format uint32) fs.FileMode {
	switch format {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	case unix.S_IFCHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular
}

// modeBits returns the permissions of mode as chmod takes them.
func modeBits(mode fs.FileMode) uint32 {
	bits := uint32(mode.Perm())
	for _, s := range specialBits {
		if mode&s.mode != 0 {
			bits |= s.bit
		}
	}
	return bits
}
