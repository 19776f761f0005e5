//go:build linux

package overlay

import "golang.org/x/sys/unix"

const (
	auditArch         = unix.AUDIT_ARCH_AARCH64
	renameWithoutDirs = -1 // arm64 has no rename without directories
)

var renameCalls = []uint32{unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}
