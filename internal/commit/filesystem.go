package commit

// FS is what is known of a file system before anything is tried on it.
type FS struct {
	Type    string // as the system calls it: "ext4", "nfs4", "fuse.sshfs"
	Journal bool   // a rename survives a power cut whole, or not at all
	Network bool   // other machines can change it, unseen by this one's kernel
}
