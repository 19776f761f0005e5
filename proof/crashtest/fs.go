package main

import (
	"fmt"
	"strings"
)

// filesystem is a file system that is tested.
type filesystem struct {
	name string
	kind string // name for mount
	size int64
	mkfs []string // the device is appended
	fsck []string // run before every mount, where there is no journal
	pkg  string   // package that has the programs
	// fsyncIsNarrow: syncing a file need not make earlier changes of directories durable.
	fsyncIsNarrow bool
}

const mib = 1 << 20

// No lazy initialization and no discards: both would only be noise in a recording.
var filesystems = []filesystem{
	{name: "ext4", kind: "ext4", size: 64 * mib, pkg: "e2fsprogs",
		mkfs: []string{"mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"}},
	{name: "xfs", kind: "xfs", size: 320 * mib, pkg: "xfsprogs",
		mkfs: []string{"mkfs.xfs", "-q", "-f", "-K"}},
	{name: "btrfs", kind: "btrfs", size: 128 * mib, pkg: "btrfs-progs", fsyncIsNarrow: true,
		mkfs: []string{"mkfs.btrfs", "-q", "-f", "-K"}},
	{name: "ext4-nojournal", kind: "ext4", size: 64 * mib, pkg: "e2fsprogs", fsyncIsNarrow: true,
		mkfs: []string{"mkfs.ext4", "-q", "-F", "-b", "4096", "-O", "^has_journal", "-E", "lazy_itable_init=0,nodiscard"},
		fsck: []string{"e2fsck", "-y"}},
	{name: "ext2", kind: "ext2", size: 64 * mib, pkg: "e2fsprogs", fsyncIsNarrow: true,
		mkfs: []string{"mkfs.ext2", "-q", "-F", "-b", "4096", "-E", "nodiscard"},
		fsck: []string{"e2fsck", "-y"}},
}

// pick returns the file systems of a list of names.
func pick(names string) ([]filesystem, error) {
	var out []filesystem
	for name := range strings.SplitSeq(names, ",") {
		f, err := named(name)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func named(name string) (filesystem, error) {
	for _, f := range filesystems {
		if f.name == name {
			return f, nil
		}
	}
	return filesystem{}, fmt.Errorf("-fs: no file system is called %q here", name)
}
