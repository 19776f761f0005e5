package commit

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// journaled lists the file systems whose renames are atomic across a power cut. Those in memory have nothing to lose.
var journaled = []string{"ext3", "ext4", "xfs", "btrfs", "bcachefs", "zfs", "jfs", "reiserfs", "tmpfs", "ramfs", "overlay"}

var network = []string{"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "coda", "ncpfs", "lustre", "gfs2", "ocfs2",
	"orangefs", "beegfs", "gpfs", "glusterfs", "fuse.sshfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.davfs2", "virtiofs"}

// typeByMagic has the file systems that the magic number alone identifies, without the list of mounts.
var typeByMagic = map[int64]string{unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs",
	unix.OVERLAYFS_SUPER_MAGIC: "overlay"}

// filesystems caches the FS of each mount. It cannot change while the mount exists.
var filesystems sync.Map

// Filesystem returns the file system that dir is on.
func Filesystem(dir string) (FS, error) {
	mount, _, err := mountAndOwner(dir)
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
	if name, ok := typeByMagic[int64(st.Type)]; ok {
		return FS{Type: name, Journal: slices.Contains(journaled, name)}, nil
	}
	var is unix.Stat_t
	if err := unix.Stat(dir, &is); err != nil {
		return FS{}, err
	}
	number := fmt.Sprintf("%d:%d", unix.Major(is.Dev), unix.Minor(is.Dev))
	if st.Type == unix.EXT4_SUPER_MAGIC {
		if journal, known := journalByDriver(number); known {
			return ext4(journal), nil
		}
	}
	name := fmt.Sprintf("unknown (%#x)", st.Type)
	device, kind, err := mountOf(number)
	if err == nil && kind != "" {
		name = kind
	}
	if name == "ext4" {
		return ext4(hasJournal(device)), nil
	}
	return FS{Type: name, Journal: slices.Contains(journaled, name), Network: slices.Contains(network, name)}, nil
}

func ext4(journal bool) FS {
	if !journal {
		return FS{Type: "ext4 without a journal"}
	}
	return FS{Type: "ext4", Journal: true}
}

// journalByDriver asks the ext4 driver about the device with this number, which is several times quicker than reading
// the list of mounts.
func journalByDriver(number string) (journal, known bool) {
	link, err := os.Readlink("/sys/dev/block/" + number)
	if err != nil {
		return false, false
	}
	task, err := journalTask(filepath.Base(link))
	return task != noJournalTask, err == nil
}

// mountOf returns the device and the type of the file system with this device number.
func mountOf(number string) (device, kind string, err error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", "", err
	}
	defer f.Close()
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

// hasJournal reports whether an ext4 has a journal, as far as the kernel tells: it does so only for its own mounts.
func hasJournal(device string) bool {
	name := filepath.Base(device)
	if real, err := filepath.EvalSymlinks(device); err == nil {
		name = filepath.Base(real)
	}
	task, err := journalTask(name)
	return err != nil || task != noJournalTask // invisible from here, in a container for example; nearly every ext4 has one
}

// noJournalTask stands for the journal's task where there is no journal.
const noJournalTask = "<none>"

// journalTask reads the number of the task that writes the journal of a device. It does not use os.File, which would
// start the runtime's poller.
func journalTask(device string) (string, error) {
	fd, err := unix.Open("/sys/fs/ext4/"+device+"/journal_task", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	var b [64]byte
	n, err := unix.Read(fd, b[:])
	return strings.TrimSpace(string(b[:max(0, n)])), err
}
