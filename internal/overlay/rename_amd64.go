//go:build linux

package overlay

import "golang.org/x/sys/unix"

const (
	auditArch         = unix.AUDIT_ARCH_X86_64
	renameWithoutDirs = unix.SYS_RENAME
)

var renameCalls = []uint32{unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}
