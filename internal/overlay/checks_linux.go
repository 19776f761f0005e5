//go:build amd64 || arm64

package overlay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// check finds what can be known to be in the way before anything is set up, and which kind of set-up to use.
func (r *run) check() error {
	if err := mountsBelow(r.o.Root); err != nil {
		return err
	}
	if err := layerFileSystem(r.o.Dir); err != nil {
		return err
	}
	r.mounts = hasSysAdmin()
	// Root of the machine has marks that users cannot forge. Root of a container has not, and neither has a user.
	if r.mounts && xattrWorks(r.o.Dir, "trusted.overlay.emend") == nil {
		r.layer.Xattr = "trusted."
		return nil
	}
	r.layer.Xattr = "user."
	if err := xattrWorks(r.o.Dir, "user.overlay.emend"); err != nil {
		return &Unsupported{Reason: "the file system of " + r.o.Dir + " keeps no extended attributes", Hint: "Put the store on ext4, xfs or btrfs.", Err: bare(err)}
	}
	return nil
}

func xattrWorks(dir, name string) error {
	if err := unix.Setxattr(dir, name, []byte("y"), 0); err != nil {
		return err
	}
	return unix.Removexattr(dir, name)
}

// hasSysAdmin reports whether this process may mount.
func hasSysAdmin() bool {
	var data [2]unix.CapUserData
	err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0])
	return err == nil && data[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}

// mountsBelow refuses a root with mounts below it: an overlay does not show them, and a user cannot even have it.
func mountsBelow(root string) error {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return &Unsupported{Reason: "there is no /proc to see mounts in", Err: err}
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		if at := unescapeMount(f[4]); at != root && below(at, root) {
			return &Unsupported{Reason: at + " is a mount of its own below " + root, Hint: "Unmount it, or run the command in a directory without mounts."}
		}
	}
	return nil
}

// unescapeMount replaces \ooo, as /proc writes spaces and the like.
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unfit are file systems that cannot have a layer, by what statfs calls them.
var unfit = map[int64]string{
	unix.OVERLAYFS_SUPER_MAGIC: "an overlay itself, as in many containers",
	unix.NFS_SUPER_MAGIC:       "a network file system",
	unix.SMB_SUPER_MAGIC:       "a network file system",
	unix.SMB2_SUPER_MAGIC:      "a network file system",
	unix.CIFS_SUPER_MAGIC:      "a network file system",
	unix.V9FS_MAGIC:            "shared by a host (9p)",
	unix.FUSE_SUPER_MAGIC:      "in user space (FUSE)",
	unix.MSDOS_SUPER_MAGIC:     "FAT",
	unix.EXFAT_SUPER_MAGIC:     "exFAT",
	unix.ECRYPTFS_SUPER_MAGIC:  "eCryptfs",
}

func layerFileSystem(dir string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return err
	}
	if what := unfit[int64(fs.Type)]; what != "" {
		return &Unsupported{Reason: "the file system of " + dir + " is " + what, Hint: "Put the store on ext4, xfs or btrfs."}
	}
	return nil
}

// findForeign looks for files of other users or groups: in a user namespace they cannot be changed. It stops in time, and begins at
// the top, level by level.
func findForeign(root, skip string, stop time.Time) error {
	uid, gid := uint32(os.Geteuid()), uint32(os.Getegid())
	var st unix.Stat_t
	if err := unix.Lstat(root, &st); err != nil {
		return err
	}
	if err := foreignOwner(root, &st, uid, gid); err != nil {
		return err
	}
	for level := []string{root}; len(level) > 0; {
		var next []string
		for _, dir := range level {
			entries, _ := os.ReadDir(dir) // what cannot be read cannot be changed either
			for _, e := range entries {
				if time.Now().After(stop) {
					return nil
				}
				path := filepath.Join(dir, e.Name())
				if path == skip || unix.Lstat(path, &st) != nil {
					continue
				}
				if err := foreignOwner(path, &st, uid, gid); err != nil {
					return err
				}
				if st.Mode&unix.S_IFMT == unix.S_IFDIR {
					next = append(next, path)
				}
			}
		}
		level = next
	}
	return nil
}

func foreignOwner(path string, st *unix.Stat_t, uid, gid uint32) error {
	var who, cure string
	switch {
	case st.Uid != uid:
		who, cure = fmt.Sprintf("user %d", st.Uid), fmt.Sprintf("chown %d", uid)
	case st.Gid != gid:
		who, cure = fmt.Sprintf("group %d", st.Gid), fmt.Sprintf("chgrp %d", gid)
	default:
		return nil
	}
	return &Unsupported{Reason: fmt.Sprintf("%s belongs to %s, and an overlay can change only files of user %d and group %d", path, who, uid, gid),
		Hint: fmt.Sprintf("Give it to yourself (%s), or run as root.", cure)}
}

// noNamespace words why the supervisor could not be started in a user namespace.
func noNamespace(err error) error {
	u := &Unsupported{Reason: "the system does not let users make namespaces", Err: bare(err)}
	switch {
	case AppArmor():
		u.Reason, u.Hint = appArmorReason, appArmorHint
	case errors.Is(err, syscall.ENOSPC):
		u.Hint = "Raise the sysctl user.max_user_namespaces."
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOSYS):
		u.Reason = "the kernel has no user namespaces"
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		u.Hint = "In a container, allow user namespaces (seccomp), or give it SYS_ADMIN; in a chroot there are none; on Debian see the sysctl kernel.unprivileged_userns_clone."
	}
	return u
}

const (
	appArmorReason = "AppArmor keeps this program from mounting in a user namespace"
	appArmorHint   = "Load an AppArmor profile with \"userns,\" for this program."
)

// AppArmor reports whether AppArmor restricts what programs without a profile do in user namespaces.
func AppArmor() bool {
	data, err := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
	return err == nil && strings.TrimSpace(string(data)) != "0"
}
