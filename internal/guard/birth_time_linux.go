package guard

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func birthTime(f *os.File, _ fs.FileInfo) (time.Time, bool) {
	var st unix.Statx_t
	err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &st)
	return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec)), err == nil && st.Mask&unix.STATX_BTIME != 0
}
