package guard

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

func birthTime(_ *os.File, is fs.FileInfo) (time.Time, bool) {
	st, ok := is.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(st.Birthtimespec.Unix()), true
}

func changeTime(is fs.FileInfo) time.Time {
	st, ok := is.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(st.Ctimespec.Unix())
}
