//go:build amd64 || arm64

package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Open opens the layer of an earlier run, also of one that was interrupted: see [Layer.Usable].
func Open(dir string) (*Layer, error) {
	data, err := os.ReadFile(filepath.Join(dir, infoName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoLayer)
	}
	if err != nil {
		return nil, err
	}
	dir, err = real(dir)
	if err != nil {
		return nil, err
	}
	l := &Layer{Dir: dir}
	if err := json.Unmarshal(data, &l.Info); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, infoName), err)
	}
	if l.Version != 1 || l.Xattr != "user." && l.Xattr != "trusted." {
		return nil, fmt.Errorf("%s: the layer was made by another version of emend", dir)
	}
	return l, nil
}

// writeInfo replaces the layer's information in one rename.
func (l *Layer) writeInfo() error {
	data, err := json.Marshal(l.Info)
	if err != nil {
		return err
	}
	name := filepath.Join(l.Dir, infoName)
	if err := os.WriteFile(name+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Unmark removes the overlay's marks from the files of changes, so that they can be put into the directory as they are. It follows no
// link below the layer. Directories keep theirs, and which files were copies is noted before: Changes and Moved go on to work.
func (l *Layer) Unmark(changes []Change) error {
	upper, err := openDirAt(unix.AT_FDCWD, l.upper())
	if err != nil {
		return &os.PathError{Op: "open", Path: l.upper(), Err: err}
	}
	defer unix.Close(upper)
	if err := l.noteCopied(changes); err != nil {
		return err
	}
	for i := range changes {
		var paths []string
		switch c := &changes[i]; {
		case c.Inside != nil: // without marks it is still a new directory: one that was copied up has an origin
			paths = c.Inside.marked
		case c.Kind != Dir && c.Kind != Deleted:
			paths = []string{c.Path}
		}
		for _, p := range paths {
			if err := l.unmark(upper, p); err != nil {
				return &os.PathError{Op: "remove marks", Path: l.upper() + "/" + p, Err: err}
			}
		}
	}
	return nil
}

// noteCopied notes which files of changes are copies of what was in the directory. Without it, a file that somebody removes before the
// layer lands after all would look like a new one.
func (l *Layer) noteCopied(changes []Change) error {
	known := len(l.Copied)
	noted := func(p string) bool { _, ok := slices.BinarySearch(l.Copied[:known], p); return ok }
	for i := range changes {
		if c := &changes[i]; c.copied && !noted(c.Path) {
			l.Copied = append(l.Copied, c.Path)
		}
	}
	if len(l.Copied) == known {
		return nil
	}
	slices.Sort(l.Copied)
	return l.writeInfo()
}

func (l *Layer) unmark(upper int, p string) error {
	dir, err := unix.Openat2(upper, path.Dir(p), &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	file := fmt.Sprintf("/proc/self/fd/%d/%s", dir, path.Base(p))
	for name := range xattrs(file, "") {
		if !strings.HasPrefix(name, l.Xattr+"overlay.") {
			continue
		}
		err := unix.Lremovexattr(file, name)
		if err == unix.EACCES { // a user may not take attributes from a file that he may not write to
			var st unix.Stat_t
			if err = statAt(dir, path.Base(p), &st); err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
				err = unix.EACCES
			}
			if err == nil {
				err = unix.Fchmodat(dir, path.Base(p), st.Mode&0o7777|0o600, 0)
			}
			if err == nil {
				err = errors.Join(unix.Lremovexattr(file, name), unix.Fchmodat(dir, path.Base(p), st.Mode&0o7777, 0))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Keep makes the layer durable, so that it can be used after a restart of the machine. It writes out the whole file system.
func (l *Layer) Keep() error {
	f, err := os.Open(l.Dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return err
	}
	l.Synced = true
	if err := l.writeInfo(); err != nil {
		return err
	}
	return unix.Syncfs(int(f.Fd()))
}

// Discard removes the layer and its directory. It may be called again if it failed.
func (l *Layer) Discard() error {
	if err := l.removeFiles(); err != nil {
		return err
	}
	return os.Remove(l.Dir)
}

// removeFiles removes what a run made, the information last: it says that there is something to remove.
func (l *Layer) removeFiles() error {
	if l.Dir == "" {
		return nil
	}
	// In one step, so that nobody takes what is left of a layer for the layer.
	if err := os.Rename(l.upper(), filepath.Join(l.Dir, goneName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range []string{workName, goneName, markerName, infoName + ".new", infoName} {
		if err := removeAll(filepath.Join(l.Dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// removeAll is os.RemoveAll for trees with directories that their owner may not enter, as the kernel's work directory is.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			if info, err := d.Info(); err == nil && info.Mode()&0o700 != 0o700 {
				os.Chmod(p, 0o700)
			}
		}
		return nil
	})
	return os.RemoveAll(path)
}

func bootID() string {
	data, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data))
}
