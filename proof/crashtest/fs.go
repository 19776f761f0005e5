package main

import (
	"fmt"
	"strings"
)

// filesystem is one that crashes are explored on.
type filesystem struct {
	name string
	kind string // as mount calls it
	size int64
	mkfs []string // the device is put at the end
	fsck []string // run before every mount, as where there is no journal
	pkg  string   // where a person gets the programs
	// fsyncIsNarrow says that syncing one file need not make durable what happened in directories before.
	fsyncIsNarrow bool
}

const mib = 1 << 20

// Nothing is left for the kernel to do later, and nothing is discarded: both would only be noise in a recording.
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

// pick returns the file systems that a list of names means.
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
