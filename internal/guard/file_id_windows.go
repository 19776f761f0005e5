package guard

import (
	"io/fs"
	"os"
	"syscall"
)

const nonblock = 0

// fileID opens the file called name to ask for its volume, index and number of links, which Windows does not report with the
// rest. Only files and directories have an identity here.
func fileID(r *os.Root, name string, fi fs.FileInfo) (Identity, uint64, error) {
	if !fi.IsDir() && !fi.Mode().IsRegular() {
		return Identity{}, 1, nil
	}
	f, err := r.Open(name)
	if err != nil {
		return Identity{}, 0, err
	}
	defer f.Close()
	var by syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &by); err != nil {
		return Identity{}, 0, err
	}
	index := uint64(by.FileIndexHigh)<<32 | uint64(by.FileIndexLow)
	return Identity{Dev: uint64(by.VolumeSerialNumber), Ino: index}, uint64(by.NumberOfLinks), nil
}
