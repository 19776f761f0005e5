//go:build amd64 || arm64

package overlay

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mount covers the root with the overlay, for this process and what it starts.
func (s *supervisor) mount() error {
	// Later mounts of the machine still arrive here; those made here do not leave.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		if AppArmor() {
			return &Unsupported{Reason: appArmorReason, Hint: appArmorHint, Err: err}
		}
		return &Unsupported{Reason: "the system does not let a mount namespace be set up", Err: err}
	}
	var err error
	if s.lower, err = unix.Open(s.Root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return &os.PathError{Op: "open", Path: s.Root, Err: err}
	}
	if s.upper, err = unix.Open(s.Dir+"/"+upperName, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return &os.PathError{Op: "open", Path: s.Dir, Err: err}
	}
	work, err := unix.Open(s.Dir+"/"+workName, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: s.Dir, Err: err}
	}
	defer unix.Close(work)
	if err := s.mountOverlay(); err != nil {
		return err
	}
	// The kernel makes these without any permissions, and find, grep -r and cp -a of the tree would fail at them.
	for _, name := range []string{"work", "work/incompat", "work/incompat/volatile", "work/incompat/volatile/dirty"} {
		unix.Fchmodat(work, name, 0o700, 0) //nolint:errcheck // then they do
	}
	var st unix.Stat_t
	if err := unix.Stat(s.Root, &st); err != nil {
		return err
	}
	s.dev = uint64(st.Dev)
	if err := s.tryOverlay(); err != nil {
		return err
	}
	s.coverLayer()
	return nil
}

// coverLayer puts a directory with nothing but the layer's information in the place of the layer, if the overlay shows it: the kernel lets
// nobody enter the layer's own directories through the overlay, and so find, grep -r, tar and cp -a of the whole tree would fail.
// Where it cannot be done, they do.
func (s *supervisor) coverLayer() {
	if !below(s.Dir, s.Root) || unix.Mount("tmpfs", s.Dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=700,size=64k") != nil {
		return
	}
	os.WriteFile(s.Dir+"/"+infoName, nil, 0o600)
	unix.Mount("", s.Dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "")
}

// mountOverlay uses no feature that leaves in the layer what cannot be read without the mount: no redirects (renamed
// directories; see rename_linux.go), no files without their data (metacopy), no hard links that are kept elsewhere (index).
func (s *supervisor) mountOverlay() error {
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,index=off", escapeOption(s.Root), escapeOption(s.Dir+"/"+upperName), escapeOption(s.Dir+"/"+workName))
	if s.Xattr == "trusted." {
		options += ",metacopy=off,redirect_dir=nofollow"
	} else {
		options += ",userxattr" // forbids metacopy and redirect_dir by itself
	}
	// volatile keeps the kernel from syncing the whole file system at the end. What is applied is synced then.
	err := unix.Mount("overlay", s.Root, "overlay", 0, options+",volatile")
	if err == unix.EINVAL {
		err = unix.Mount("overlay", s.Root, "overlay", 0, options) // before Linux 5.10
	}
	if err == nil {
		return nil
	}
	u := &Unsupported{Reason: "the kernel does not mount an overlay on " + s.Root, Err: err}
	switch err {
	case unix.ENODEV:
		u.Reason, u.Hint = "the kernel has no overlay file system", "Load the module overlay."
	case unix.EPERM, unix.EACCES:
		if AppArmor() {
			u.Reason, u.Hint = appArmorReason, appArmorHint
		} else if s.Users {
			u.Reason, u.Hint = "the kernel lets only root mount an overlay", "Linux 5.11 or newer lets users do so."
		}
	case unix.EINVAL:
		u.Hint = "Something may be mounted below it, it may be an overlay on an overlay itself, or the file system of the store is not fit for a layer. The kernel's log says more."
	case unix.ELOOP:
		u.Hint = "Put the store outside of the directory."
	case unix.ENOMEM, unix.ENOSPC:
		u.Hint = "The system is out of memory, or at its limit of mounts."
	}
	return u
}

// escapeOption protects what separates options and directories.
func escapeOption(path string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`, `:`, `\:`).Replace(path)
}

// tryOverlay makes, renames and removes a directory at the top: what fails here fails in the command.
func (s *supervisor) tryOverlay() error {
	a := fmt.Sprintf("%s/.emend-try-%d", s.Root, os.Getpid())
	b := a + "-renamed"
	err := unix.Mkdir(a, 0o700)
	if err == nil {
		if err = unix.Rename(a, b); err != nil {
			b = a
		}
		err = errors.Join(err, unix.Rmdir(b))
	}
	if err == nil || errors.Is(err, unix.EACCES) { // a directory that the user cannot write to either way
		return nil
	}
	u := &Unsupported{Reason: "nothing can be made in the overlay on " + s.Root, Err: bare(err)}
	if errors.Is(err, unix.EOVERFLOW) {
		u.Reason = s.Root + " belongs to another user or group, and an overlay can change only your own files"
		u.Hint = "Give it to yourself and your group, or run as root."
	}
	return u
}

// seal makes the overlay read-only. The kernel refuses that as long as a file in it is open for writing, or mapped for writing; it
// gives files free shortly after their processes end, so one refusal proves nothing.
func (s *supervisor) seal() {
	for range 20 {
		err := unix.Mount("", s.Root, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
		if err == nil {
			s.Sealed = len(s.Left) == 0
			return
		}
		if err != syscall.EBUSY {
			s.Left = append(s.Left, Process{os.Getpid(), "the supervisor cannot seal the layer: " + err.Error(), ""})
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// dirInos returns the inodes of the lower directories that the overlay had in view, for each directory that is in the layer
// and not only there. It returns nothing where the layer is on another file system: the overlay has inodes of its own then.
func (s *supervisor) dirInos() map[string]uint64 {
	var low, up unix.Stat_t
	if unix.Fstat(s.lower, &low) != nil || unix.Fstat(s.upper, &up) != nil || low.Dev != up.Dev {
		return nil
	}
	out := map[string]uint64{}
	s.addDirInos(out, ".")
	return out
}

func (s *supervisor) addDirInos(out map[string]uint64, rel string) {
	fd, err := unix.Openat(s.upper, rel, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), rel)
	entries, _ := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		path := join(rel, e.Name())
		var st unix.Stat_t
		if !e.IsDir() || s.isNew(path) || unix.Lstat(s.Root+"/"+path, &st) != nil {
			continue
		}
		out[path] = st.Ino
		s.addDirInos(out, path)
	}
}

// isNew reports whether the layer's directory has nothing of the same name below it, as far as the overlay knows: each that is copied up
// says that it has an origin.
func (s *supervisor) isNew(rel string) bool {
	_, err := unix.Lgetxattr(fmt.Sprintf("/proc/self/fd/%d/%s", s.upper, rel), s.Xattr+"overlay.origin", nil)
	return err != nil || s.isOpaque(rel)
}

// isOpaque reports whether the layer's directory hides that of the same name below.
func (s *supervisor) isOpaque(rel string) bool {
	var b [1]byte
	n, err := unix.Lgetxattr(fmt.Sprintf("/proc/self/fd/%d/%s", s.upper, rel), s.Xattr+"overlay.opaque", b[:])
	return err == nil && n == 1 && b[0] == 'y'
}

// join joins slash paths; "." is the top.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// LayerOf returns the directory of the layer that covers dir for this process, which is the command of a run then, or was started by
// it; "" if there is none.
func LayerOf(dir string) string {
	dir, err := real(dir)
	var fs unix.Statfs_t
	if err != nil || unix.Statfs(dir, &fs) != nil || fs.Type != unix.OVERLAYFS_SUPER_MAGIC {
		return ""
	}
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	layer := "" // of the last mount that has dir: a later one covers it
	for line := range strings.Lines(string(data)) {
		mount, super, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(super)
		if len(m) < 5 || len(s) < 3 || !below(dir, unescapeMount(m[4])) {
			continue
		}
		layer = ""
		for option := range strings.SplitSeq(s[2], ",") {
			if upper, ok := strings.CutPrefix(option, "upperdir="); ok && s[0] == "overlay" {
				layer = strings.TrimSuffix(unescapeMount(upper), "/"+upperName)
			}
		}
	}
	if _, err := os.Stat(layer + "/" + infoName); layer == "" || err != nil {
		return "" // somebody else's overlay
	}
	return layer
}
