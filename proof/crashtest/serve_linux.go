package main

import (
	"context"
	"os"
	"strconv"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// serve mounts a file system at dir with one file for each disk. The serving process must never access a file system on one of
// these disks: if the process is killed, the kernel closes its end first, and the access would wait for ever.
func serve(dir string, disks map[string]*disk) (*fuse.Server, error) {
	server, err := fs.Mount(dir, &diskDirectory{disks: disks}, &fs.Options{MountOptions: fuse.MountOptions{
		FsName:            "crashtest",
		DirectMountStrict: true,
		DisableSplice:     true,
		MaxWrite:          1 << 20,
		ExtraCapabilities: fuse.CAP_ASYNC_DIO, // allow several writes at a time, and a flush between them
	}})
	if err != nil {
		return nil, err
	}
	return server, closeOnExec("/dev/fuse")
}

// closeOnExec prevents children from inheriting the open device. A child with the device would keep the connection alive
// after this process is killed, and then wait for answers that never come.
func closeOnExec(dev string) error {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, d := range fds {
		fd, err := strconv.Atoi(d.Name())
		if err != nil {
			return err
		}
		if to, _ := os.Readlink("/proc/self/fd/" + d.Name()); to == dev {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// diskDirectory is the directory of the disks.
type diskDirectory struct {
	fs.Inode
	disks map[string]*disk
}

func (s *diskDirectory) OnAdd(ctx context.Context) {
	for name, d := range s.disks {
		s.AddChild(name, s.NewPersistentInode(ctx, &diskFile{disk: d}, fs.StableAttr{}), false)
	}
}

// diskFile is a disk as a file. It is opened for direct I/O, so that the kernel keeps no copy of it.
type diskFile struct {
	fs.Inode
	disk *disk
}

var (
	_ fs.NodeGetattrer = (*diskFile)(nil)
	_ fs.NodeSetattrer = (*diskFile)(nil)
	_ fs.NodeOpener    = (*diskFile)(nil)
	_ fs.NodeReader    = (*diskFile)(nil)
	_ fs.NodeWriter    = (*diskFile)(nil)
	_ fs.NodeFsyncer   = (*diskFile)(nil)
	_ fs.NodeAllocater = (*diskFile)(nil)
)

func (f *diskFile) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = 0o600, uint64(f.disk.size)
	return 0
}

// Setattr accepts new times, which the kernel may send, and ignores them.
func (f *diskFile) Setattr(ctx context.Context, h fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return f.Getattr(ctx, h, out)
}

func (f *diskFile) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (f *diskFile) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	dest = dest[:max(0, min(int64(len(dest)), f.disk.size-off))]
	f.disk.read(dest, off)
	return fuse.ReadResultData(dest), 0
}

func (f *diskFile) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	if off+int64(len(data)) > f.disk.size {
		return 0, syscall.ENOSPC
	}
	f.disk.write(data, off)
	return uint32(len(data)), 0
}

// Fsync handles a flush of the device.
func (f *diskFile) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	f.disk.flush()
	return 0
}

// Allocate handles a discard and a write of zeros.
func (f *diskFile) Allocate(_ context.Context, _ fs.FileHandle, off, size uint64, mode uint32) syscall.Errno {
	if mode&(unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_ZERO_RANGE) == 0 {
		return syscall.EOPNOTSUPP
	}
	f.disk.zero(int64(off), int64(size))
	return 0
}
