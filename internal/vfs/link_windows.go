package vfs

import (
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf16"

	"golang.org/x/sys/windows"
)

// The layout of a symbolic link in REPARSE_DATA_BUFFER: tag, length, reserved; then offset and length of two texts, flags, and the texts.
const (
	reparseHeader = 8
	linkHeader    = 12
	relativeLink  = 1
	maxReparse    = 16 << 10
)

// readlink returns the target of the link that h has open itself.
func readlink(h windows.Handle) (string, error) {
	buf := make([]byte, maxReparse)
	var n uint32
	if err := windows.DeviceIoControl(h, windows.FSCTL_GET_REPARSE_POINT, nil, 0, &buf[0], uint32(len(buf)), &n, nil); err != nil {
		if err == windows.ERROR_NOT_A_REPARSE_POINT {
			return "", syscall.EINVAL
		}
		return "", err
	}
	if n < reparseHeader+linkHeader || binary.LittleEndian.Uint32(buf) != windows.IO_REPARSE_TAG_SYMLINK {
		return "", syscall.EINVAL
	}
	data := buf[reparseHeader:n]
	start, length := int(binary.LittleEndian.Uint16(data)), int(binary.LittleEndian.Uint16(data[2:]))
	text := data[linkHeader:]
	if start+length > len(text) {
		return "", syscall.EINVAL
	}
	units := make([]uint16, length/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(text[start+2*i:])
	}
	target := windows.UTF16ToString(units)
	if rest, ok := strings.CutPrefix(target, `\??\`); ok {
		target = rest
		if share, ok := strings.CutPrefix(rest, `UNC\`); ok {
			target = `\\` + share
		}
	}
	return target, nil
}

// Symlink makes a link to a file, or to a directory if that is what the target is now: Windows tells the two apart. It needs the right
// to make links, which a person has in developer mode.
func (d *osDir) Symlink(target, name string) error {
	if err := checkNewName("symlink", name); err != nil {
		return err
	}
	text := filepath.FromSlash(target)
	flags, native := uint32(relativeLink), text
	if filepath.IsAbs(text) {
		flags, native = 0, `\??\`+text
	}
	return pathError("symlink", name, systemError(d.use(func(dir windows.Handle) error {
		kind := uint32(windows.FILE_NON_DIRECTORY_FILE)
		if d.isDirectory(text) {
			kind = windows.FILE_DIRECTORY_FILE
		}
		h, err := opening{access: windows.FILE_WRITE_ATTRIBUTES | windows.DELETE, disposition: windows.FILE_CREATE, options: itself | kind}.openWaiting(dir, name)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(h)
		b := symlinkData(native, text, flags)
		var n uint32
		if err := windows.DeviceIoControl(h, windows.FSCTL_SET_REPARSE_POINT, &b[0], uint32(len(b)), nil, 0, &n, nil); err != nil {
			removeByHandle(h) //nolint:errcheck // the name is new: to leave it would give a failed call an effect
			return err
		}
		return nil
	})))
}

// isDirectory reports whether a target of one name below the directory is a directory. Of others it does not know.
func (d *osDir) isDirectory(target string) bool {
	is, err := d.Stat(target)
	return err == nil && is.Mode&fs.ModeDir != 0
}

func symlinkData(native, shown string, flags uint32) []byte {
	n, s := utf16.Encode([]rune(native)), utf16.Encode([]rune(shown))
	b := binary.LittleEndian.AppendUint32(nil, windows.IO_REPARSE_TAG_SYMLINK)
	b = binary.LittleEndian.AppendUint16(b, uint16(linkHeader+2*len(n)+2*len(s)))
	b = binary.LittleEndian.AppendUint16(b, 0)
	for _, number := range []int{0, 2 * len(n), 2 * len(n), 2 * len(s)} {
		b = binary.LittleEndian.AppendUint16(b, uint16(number))
	}
	b = binary.LittleEndian.AppendUint32(b, flags)
	for _, unit := range append(n, s...) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}
