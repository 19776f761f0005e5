package commit

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// journaled are the file systems whose renames are atomic across a power cut; those in memory have nothing to lose.
var journaled = []string{"ext3", "ext4", "xfs", "btrfs", "bcachefs", "zfs", "jfs", "reiserfs", "tmpfs", "ramfs", "overlay"}

var network = []string{"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "coda", "ncpfs", "lustre", "gfs2", "ocfs2",
	"orangefs", "beegfs", "gpfs", "glusterfs", "fuse.sshfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.davfs2", "virtiofs"}

// magic are the file systems that need no look into the list of mounts: their number alone tells.
var magic = map[int64]string{unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs",
	unix.OVERLAYFS_SUPER_MAGIC: "overlay"}

var filesystems sync.Map // of mount to FS: it cannot change while the mount stays

// Filesystem tells what dir is on.
func Filesystem(dir string) (FS, error) {
	mount, _, err := station(dir)
	if err != nil {
		return FS{}, err
	}
	if is, ok := filesystems.Load(mount); ok {
		return is.(FS), nil
	}
	is, err := filesystem(dir)
	if err == nil {
		filesystems.Store(mount, is)
	}
	return is, err
}

func filesystem(dir string) (FS, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return FS{}, err
	}
	if name, ok := magic[int64(st.Type)]; ok {
		return FS{Type: name, Journal: slices.Contains(journaled, name)}, nil
	}
	var is unix.Stat_t
	if err := unix.Stat(dir, &is); err != nil {
		return FS{}, err
	}
	name := fmt.Sprintf("unknown (%#x)", st.Type)
	device, kind, err := mountOf(dir, unix.Major(is.Dev), unix.Minor(is.Dev))
	if err == nil && kind != "" {
		name = kind
	}
	fs := FS{Type: name, Journal: slices.Contains(journaled, name), Network: slices.Contains(network, name)}
	if name == "ext4" && !hasJournal(device) {
		fs.Type, fs.Journal = "ext4 without a journal", false
	}
	return fs, nil
}

// mountOf finds the device and the type of the file system with this device number.
func mountOf(dir string, major, minor uint32) (device, kind string, err error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	number := strconv.Itoa(int(major)) + ":" + strconv.Itoa(int(minor))
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw
		before, after, ok := strings.Cut(lines.Text(), " - ")
		fields, rest := strings.Fields(before), strings.Fields(after)
		if ok && len(fields) > 2 && len(rest) > 1 && fields[2] == number {
			device, kind = rest[1], rest[0]
		}
	}
	return device, kind, lines.Err()
}

// hasJournal reports whether an ext4 has its journal, as far as the kernel tells: it does for its own mounts only.
func hasJournal(device string) bool {
	name := filepath.Base(device)
	if real, err := filepath.EvalSymlinks(device); err == nil {
		name = filepath.Base(real)
	}
	task, err := os.ReadFile("/sys/fs/ext4/" + name + "/journal_task")
	if err != nil {
		return true // not to be seen from here, a container for example; to have one is the rule
	}
	return strings.TrimSpace(string(task)) != "<none>"
}
