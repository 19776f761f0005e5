package vfs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"slices"
)

// DirSum tells whether what is in a directory, at any depth, has changed, without reading a file: it sums the names, and of each its
// mode and inode, the size and modification time of a file, and the target of a link. Whoever writes to a file and sets its time and
// size back is not seen, nor is a change of owners or attributes alone. The name, times and mode of the directory itself do not count.
type DirSum struct {
	Files int   // what is no directory
	Bytes int64 // in regular files
	h     hash.Hash
}

// NewDirSum returns the sum of an empty directory.
func NewDirSum() *DirSum { return &DirSum{h: sha256.New()} }

// Add adds a name. The names of a directory come in the order of their bytes, and what is in one comes right after it. path is from
// the top, with slashes; link is the target of a symbolic link.
func (s *DirSum) Add(path string, is Info, link string) {
	if is.Mode.IsDir() {
		fmt.Fprintf(s.h, "%q %d %d\n", path, is.Mode, is.ID.Ino)
		return
	}
	s.Files++
	if is.Mode.IsRegular() {
		s.Bytes += is.Size
	}
	fmt.Fprintf(s.h, "%q %d %d %d %d %q\n", path, is.Mode, is.ID.Ino, is.Size, is.ModTime.UnixNano(), link)
}

// String returns the sum of what was added, in hex.
func (s *DirSum) String() string { return hex.EncodeToString(s.h.Sum(nil)) }

// SumDir sums what is in an open directory. It follows no link and stays on the mount.
func SumDir(d Dir) (*DirSum, error) {
	s := NewDirSum()
	return s, Inside(d, func(path string, is Info, link string) { s.Add(path, is, link) })
}

// Inside calls each for every name in an open directory, at any depth: in the order of their bytes, and what is in a directory right
// after it. path is from the directory, with slashes; link is the target of a symbolic link. It follows no link and stays on the mount.
func Inside(d Dir, each func(path string, is Info, link string)) error { return inside(d, "", each) }

func inside(d Dir, prefix string, each func(string, Info, string)) error {
	names, err := d.Names()
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		is, err := d.Stat(name)
		if err != nil {
			return err
		}
		link := ""
		if is.Mode&fs.ModeSymlink != 0 {
			if link, err = d.Readlink(name); err != nil {
				return err
			}
		}
		each(prefix+name, is, link)
		if !is.Mode.IsDir() {
			continue
		}
		below, err := d.Dir(name)
		if err != nil {
			return err
		}
		err = inside(below, prefix+name+"/", each)
		below.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// RemoveTree removes the directory called name in d, and all that is in it. It follows no link and stays on the mount. What is gone
// already is no error.
func RemoveTree(d Dir, name string) error {
	below, err := d.Dir(name)
	if err != nil {
		return ignoreMissing(err)
	}
	defer below.Close()
	names, err := below.Names()
	if err != nil {
		return ignoreMissing(err)
	}
	for _, n := range names {
		is, err := below.Stat(n)
		switch {
		case err != nil:
		case is.Mode.IsDir():
			err = RemoveTree(below, n)
		default:
			err = below.Remove(n)
		}
		if ignoreMissing(err) != nil {
			return err
		}
	}
	return ignoreMissing(d.RemoveDir(name))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
