//go:build !linux && !darwin && !windows

package vfs

import (
	"io/fs"
	"os"
	"reflect"
	"time"
)

func infoAt(_ *os.Root, _ string, fi fs.FileInfo) (Info, error) { return infoOf(nil, fi) }

// infoOf reads the identity from the system's stat, whatever its type: all have these fields.
func infoOf(_ *os.File, fi fs.FileInfo) (Info, error) {
	info := Info{Mode: fi.Mode(), Size: fi.Size(), ModTime: fi.ModTime(), Links: 1}
	st := reflect.Indirect(reflect.ValueOf(fi.Sys()))
	for name, field := range map[string]*uint64{"Dev": &info.ID.Dev, "Ino": &info.ID.Ino, "Nlink": &info.Links} {
		number(st, name, field)
	}
	return info, nil
}

func number(st reflect.Value, name string, to *uint64) {
	if st.Kind() != reflect.Struct {
		return
	}
	switch v := st.FieldByName(name); {
	case v.CanUint():
		*to = v.Uint()
	case v.CanInt():
		*to = uint64(v.Int())
	}
}

func touch(f *os.File, _ time.Time) error { return pathError("touch", f.Name(), ErrUnsupported) }

func tryLock(f *os.File) (bool, error) { return false, pathError("lock", f.Name(), ErrUnsupported) }
