package commit

import (
	"errors"
	"io/fs"
	"sync"
	"syscall"

	"golang.org/x/sys/windows"
)

// Supported reports whether a commit is possible on this system at all.
const Supported = true

// The two owners that count on Windows, where an owner is no number.
const (
	trustedOwner = 0
	stranger     = 1
)

// ownerTrusted reports whether this process may use a store, or a repository to make a store in, that belongs to owner. A stranger's
// log must not decide what happens to one's files: everybody may make a directory at the top of a drive.
func ownerTrusted(owner, _ uint32) bool { return owner == trustedOwner }

func isReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, windows.ERROR_WRITE_PROTECT)
}

// giveToOwner does nothing: what an administrator makes belongs to the group of administrators.
func giveToOwner(store, top string) error { return nil }

// mayWrite opens the directory with the right to add files and directories.
func mayWrite(dir string) error {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return err
	}
	const addFile, addDirectory = 0x2, 0x4
	h, err := windows.CreateFile(path, addFile|addDirectory, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return &fs.PathError{Op: "write", Path: dir, Err: err}
	}
	return windows.CloseHandle(h)
}

// own are the accounts whose directories count as one's own: the user's, and, as for git, the group of administrators for those who
// are in it, since it owns what they make.
var own = sync.OnceValues(func() (out []*windows.SID, err error) {
	token := windows.GetCurrentProcessToken()
	me, err := token.GetTokenUser()
	if err != nil {
		return nil, err
	}
	out = append(out, me.User.Sid)
	if admins, err := windows.CreateWellKnownSid(windows.WinBuiltinAdministratorsSid); err == nil {
		groups, err := token.GetTokenGroups()
		if err != nil {
			return out, nil
		}
		for _, g := range groups.AllGroups() {
			if g.Sid.Equals(admins) {
				out = append(out, admins)
			}
		}
	}
	return out, nil
})

// ownerOf says whose a directory is. A file system without owners says that it is nobody's, or everybody's.
func ownerOf(dir string) (owner uint32, err error) {
	d, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return stranger, &fs.PathError{Op: "ask for the owner of", Path: dir, Err: err}
	}
	sid, _, err := d.Owner()
	if err != nil || sid == nil || sid.IsWellKnown(windows.WinWorldSid) {
		return trustedOwner, nil
	}
	mine, err := own()
	if err != nil {
		return stranger, err
	}
	for _, m := range mine {
		if sid.Equals(m) {
			return trustedOwner, nil
		}
	}
	return stranger, nil
}
