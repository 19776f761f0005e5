package vfs

import "strings"

// InUseError is the error of a call that another program stands in the way of: it has the file open and does not share it.
// Only Windows knows this. The call waited for a while before it gave up.
type InUseError struct {
	// Programs names those that have the file open, "notepad.exe (process 4711)". It is empty if the system does not tell.
	Programs []string
	Err      error
}

func (e *InUseError) Error() string {
	if len(e.Programs) == 0 {
		return "another program has it open and does not share it"
	}
	return strings.Join(e.Programs, ", ") + " has it open and does not share it"
}

func (e *InUseError) Unwrap() error { return e.Err }

// ReplacesOpen reports whether a file in the directory can have a second name, and be replaced under the first while somebody has it
// open. Unix systems always replace. Of Windows, NTFS does since 2018; FAT, and every file system under Wine, does not.
func ReplacesOpen(d Dir) bool {
	asked, ok := d.(interface{ ReplacesOpen() bool })
	return !ok || asked.ReplacesOpen()
}

// UsersOf names the programs that have a file open, as far as the system tells.
func UsersOf(f File) []string {
	if told, ok := f.(interface{ Users() []string }); ok {
		return told.Users()
	}
	return nil
}
