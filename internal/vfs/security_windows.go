package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// privateDescriptor has the access lists of files and directories that are for their owner alone, as ssh asks of keys: the owner, the
// system and the administrators, who could take the right anyway.
var privateDescriptor = sync.OnceValues(func() (d [2]*windows.SECURITY_DESCRIPTOR, err error) {
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return d, err
	}
	for i, inherit := range []string{"", "OICI"} {
		text := "D:P"
		for _, who := range []string{me.User.Sid.String(), "SY", "BA"} {
			text += "(A;" + inherit + ";FA;;;" + who + ")"
		}
		if d[i], err = windows.SecurityDescriptorFromString(text); err != nil {
			return d, err
		}
	}
	return d, nil
})

// descriptorFor returns the access list for a new file, nil for the one that it inherits.
func descriptorFor(perm fs.FileMode, dir bool) (*windows.SECURITY_DESCRIPTOR, error) {
	if perm&0o077 != 0 {
		return nil, nil
	}
	both, err := privateDescriptor()
	if dir {
		return both[1], err
	}
	return both[0], err
}

// CopyAttributes keeps the access list, or fails. The other attributes, the time of creation and the streams are kept, or named.
func (f *osFile) CopyAttributes(from File) (lost []string, err error) {
	other, ok := from.(*osFile)
	if !ok {
		return nil, pathError("adopt", f.file.Name(), ErrOtherMaker)
	}
	err = other.use(func(from windows.Handle) error {
		return f.use(func(to windows.Handle) (err error) {
			lost, err = copyAttributes(from, to)
			return err
		})
	})
	return lost, pathError("adopt", f.file.Name(), systemError(err))
}

func copyAttributes(from, to windows.Handle) (lost []string, err error) {
	is, _, err := query(from)
	if err != nil {
		return nil, err
	}
	if is.Attributes&windows.FILE_ATTRIBUTE_ENCRYPTED != 0 {
		return nil, fmt.Errorf("it is encrypted, and its new content would not be: %w", fs.ErrPermission)
	}
	if lost, err = copyAccess(from, to); err != nil {
		return nil, err
	}
	streams, err := streamsOf(from)
	if err != nil {
		lost = append(lost, "streams, which cannot be listed")
	}
	for _, name := range streams {
		if copyStream(from, to, name) != nil {
			lost = append(lost, "stream "+name)
		}
	}
	for bit, what := range map[uint32]string{windows.FILE_ATTRIBUTE_COMPRESSED: "compression", windows.FILE_ATTRIBUTE_SPARSE_FILE: "sparseness"} {
		if is.Attributes&bit != 0 {
			lost = append(lost, what)
		}
	}
	const kept = windows.FILE_ATTRIBUTE_READONLY | windows.FILE_ATTRIBUTE_HIDDEN | windows.FILE_ATTRIBUTE_SYSTEM | windows.FILE_ATTRIBUTE_ARCHIVE |
		windows.FILE_ATTRIBUTE_NOT_CONTENT_INDEXED
	attributes := is.Attributes & kept
	if attributes == 0 {
		attributes = windows.FILE_ATTRIBUTE_NORMAL
	}
	return lost, setBasic(to, basicInfo{Created: is.Created, Attributes: attributes})
}

// basicInfo is FILE_BASIC_INFORMATION.
type basicInfo struct {
	Created, Accessed, Written, Changed int64
	Attributes, _                       uint32
}

// setBasic sets attributes, and the times that are not 0.
func setBasic(h windows.Handle, info basicInfo) error {
	var status windows.IO_STATUS_BLOCK
	return windows.NtSetInformationFile(h, &status, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), windows.FileBasicInformation)
}

// copyAccess gives to the access list of from, as it is, with what is inherited in it. The owner can rarely be given; the access list
// decides who may do what.
func copyAccess(from, to windows.Handle) (lost []string, err error) {
	const what = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION
	was, err := windows.GetSecurityInfo(from, windows.SE_FILE_OBJECT, what)
	if err != nil {
		return nil, ignoreNoLists(err)
	}
	if is, err := windows.GetSecurityInfo(to, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION); err == nil && !sameOwner(was, is) {
		owner, _, _ := was.Owner()
		lost = append(lost, "owner "+accountOf(owner))
	}
	return lost, setAccess(to, was)
}

func setAccess(h windows.Handle, d *windows.SECURITY_DESCRIPTOR) error {
	what := windows.SECURITY_INFORMATION(windows.DACL_SECURITY_INFORMATION)
	if control, _, err := d.Control(); err == nil {
		switch {
		case control&windows.SE_DACL_PROTECTED != 0:
			what |= windows.PROTECTED_DACL_SECURITY_INFORMATION
		case control&windows.SE_DACL_AUTO_INHERITED != 0:
			const inherited = windows.SE_DACL_AUTO_INHERIT_REQ | windows.SE_DACL_AUTO_INHERITED
			d.SetControl(inherited, inherited) //nolint:errcheck // it is a mark for programs that show the list
			what |= windows.UNPROTECTED_DACL_SECURITY_INFORMATION
		}
	}
	return ignoreNoLists(windows.SetKernelObjectSecurity(h, what, d))
}

// ignoreNoLists ignores that a file system has no access lists.
func ignoreNoLists(err error) error {
	switch err {
	case windows.ERROR_NOT_SUPPORTED, windows.ERROR_INVALID_FUNCTION, windows.ERROR_CALL_NOT_IMPLEMENTED:
		return nil
	}
	return err
}

func sameOwner(a, b *windows.SECURITY_DESCRIPTOR) bool {
	one, _, err := a.Owner()
	two, _, err2 := b.Owner()
	return err != nil || err2 != nil || one == nil || two == nil || one.Equals(two)
}

func accountOf(sid *windows.SID) string {
	account, domain, _, err := sid.LookupAccount("")
	if err != nil {
		return sid.String()
	}
	return domain + `\` + account
}

var createPrivateObjectSecurityEx = windows.NewLazySystemDLL("advapi32.dll").NewProc("CreatePrivateObjectSecurityEx")
var destroyPrivateObjectSecurity = windows.NewLazySystemDLL("advapi32.dll").NewProc("DestroyPrivateObjectSecurity")

// DefaultAttributes gives the file the access list that a file inherits which is made in dir. The file was made elsewhere, and a rename
// keeps its list.
func (f *osFile) DefaultAttributes(dir Dir, perm fs.FileMode) error {
	d, ok := dir.(*osDir)
	if !ok {
		return pathError("inherit", f.file.Name(), ErrOtherMaker)
	}
	err := d.use(func(dir windows.Handle) error {
		return f.use(func(h windows.Handle) error { return inheritAccess(dir, h) })
	})
	if err == nil {
		err = f.Chmod(perm)
	}
	return pathError("inherit", f.file.Name(), systemError(err))
}

func inheritAccess(dir, h windows.Handle) error {
	const what = windows.OWNER_SECURITY_INFORMATION | windows.GROUP_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION
	parent, err := windows.GetSecurityInfo(dir, windows.SE_FILE_OBJECT, what)
	if err != nil {
		return ignoreNoLists(err)
	}
	var token windows.Token
	if err := windows.OpenProcessToken(windows.CurrentProcess(), windows.TOKEN_QUERY, &token); err != nil {
		return err
	}
	defer token.Close()
	mapping := [4]uint32{windows.FILE_GENERIC_READ, windows.FILE_GENERIC_WRITE, windows.FILE_GENERIC_EXECUTE, 0x1F01FF}
	var made *windows.SECURITY_DESCRIPTOR
	const inheritList = 1 // SEF_DACL_AUTO_INHERIT
	ok, _, err := createPrivateObjectSecurityEx.Call(uintptr(unsafe.Pointer(parent)), 0, uintptr(unsafe.Pointer(&made)), 0, 0, inheritList,
		uintptr(token), uintptr(unsafe.Pointer(&mapping)))
	if ok == 0 || made == nil {
		if errors.Is(err, syscall.Errno(0)) {
			return nil
		}
		return ignoreNoLists(err)
	}
	defer destroyPrivateObjectSecurity.Call(uintptr(unsafe.Pointer(&made)))
	return setAccess(h, made)
}

// streamsOf lists the named streams of a file, ":name:$DATA".
func streamsOf(h windows.Handle) (names []string, err error) {
	buf := make([]uint64, 4<<10) // aligned as the kernel wants it
	b := unsafe.Slice((*byte)(unsafe.Pointer(&buf[0])), 8*len(buf))
	var status windows.IO_STATUS_BLOCK
	if err := windows.NtQueryInformationFile(h, &status, &b[0], uint32(len(b)), classStreams); err != nil {
		if isUnknown(err) {
			return nil, nil // a file system, or a system, without streams
		}
		return nil, err
	}
	b = b[:min(uintptr(len(b)), status.Information)]
	const header = 24 // offset of the next, length of the name, size, room
	for len(b) > header {
		next := *(*uint32)(unsafe.Pointer(&b[0]))
		length := *(*uint32)(unsafe.Pointer(&b[4]))
		if header+int(length) > len(b) {
			break
		}
		if length > 0 {
			name := windows.UTF16ToString(unsafe.Slice((*uint16)(unsafe.Pointer(&b[header])), length/2))
			if !strings.HasPrefix(name, "::") { // the content
				names = append(names, name)
			}
		}
		if next == 0 || int(next) > len(b) {
			break
		}
		b = b[next:]
	}
	return names, nil
}

// maxStream is the largest stream that is copied. What marks a file as downloaded has some hundred bytes.
const maxStream = 1 << 20

func copyStream(from, to windows.Handle, name string) error {
	in, err := opening{access: windows.FILE_GENERIC_READ}.openWaiting(from, name)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(in)
	is, _, err := query(in)
	if err != nil {
		return err
	}
	if is.Size > maxStream {
		return fs.ErrInvalid
	}
	out, err := opening{access: windows.FILE_GENERIC_WRITE, disposition: windows.FILE_OPEN_IF}.openWaiting(to, name)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(out)
	b := make([]byte, is.Size+1)
	var n, m uint32
	if err := windows.ReadFile(in, b, &n, nil); err != nil && err != windows.ERROR_HANDLE_EOF {
		return err
	}
	return windows.WriteFile(out, b[:n], &m, nil)
}

// OthersMayRead names an account that may read an open file, beside the caller, the system and the administrators; "" if there is none,
// and if the file system has no access lists.
func OthersMayRead(f *os.File) (who string, err error) {
	err = withHandle(f, func(h windows.Handle) (err error) { who, err = othersMayRead(h); return err })
	return who, err
}

func othersMayRead(h windows.Handle) (string, error) {
	d, err := windows.GetSecurityInfo(h, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return "", ignoreNoLists(err)
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", err
	}
	list, _, err := d.DACL()
	if err != nil || list == nil {
		return "everybody", nil // no list allows everything
	}
	for i := range uint32(list.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &ace); err != nil {
			return "", err
		}
		const reads = windows.FILE_READ_DATA | windows.GENERIC_READ | windows.GENERIC_ALL | windows.WRITE_DAC | windows.WRITE_OWNER
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || ace.Mask&reads == 0 || ace.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 {
			continue
		}
		sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart))
		if !sid.Equals(me.User.Sid) && !sid.IsWellKnown(windows.WinLocalSystemSid) && !sid.IsWellKnown(windows.WinBuiltinAdministratorsSid) &&
			!sid.IsWellKnown(windows.WinCreatorOwnerSid) && !sid.IsWellKnown(windows.WinCreatorOwnerRightsSid) {
			return accountOf(sid), nil
		}
	}
	return "", nil
}
