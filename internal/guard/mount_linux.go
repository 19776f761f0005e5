package guard

import "golang.org/x/sys/unix"

// mountOf returns the number of the mount that has the file called name in the open directory fd. ok is false if the kernel,
// before 5.8, does not report it or the sandbox does not allow the call.
func mountOf(fd int, name string) (mount uint64, ok bool, err error) {
	var st unix.Statx_t
	_, err = retryInterrupted(func() (int, error) {
		return 0, unix.Statx(fd, name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &st)
	})
	if err == unix.ENOSYS || err == unix.EPERM {
		return 0, false, nil
	}
	return st.Mnt_id, st.Mask&unix.STATX_MNT_ID != 0, err
}

func (d linuxHandle) mount(name string) (uint64, error) {
	mount, ok, err := mountOf(d.fd, name)
	if ok || err != nil {
		return mount, err
	}
	return deviceOf(d, name)
}

func (s portableHandle) mount(name string) (uint64, error) {
	f, err := s.root.Open(".")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	mount, ok, err := mountOf(int(f.Fd()), name)
	if ok || err != nil {
		return mount, err
	}
	return deviceOf(s, name)
}
