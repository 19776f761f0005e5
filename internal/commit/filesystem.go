package commit

// FS is what is known of a file system before anything is tried on it.
type FS struct {
	Type    string // name as the system has it: "ext4", "nfs4", "fuse.sshfs"
	Journal bool   // across a power cut a rename happens whole or not at all
	Network bool   // other machines can change it without this kernel seeing it
}
