package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/internal/vfs"
)

const segmentSuffix = ".jsonl"

// filePerm keeps the log from other users: it has paths, and who worked on them.
const filePerm fs.FileMode = 0o600

func segmentName(n int) string { return fmt.Sprintf("%08d%s", n, segmentSuffix) }

// IsSegment reports whether a file of a log is a segment.
func IsSegment(name string) bool { return strings.HasSuffix(name, segmentSuffix) }

// segments lists the numbers of the segments in dir, in order, and those that have a complete index. It ignores any other
// file.
func segments(dir vfs.Dir) (segs []int, whole map[int]bool, err error) {
	names, err := dir.Names()
	if err != nil {
		return nil, nil, fmt.Errorf("the log: %w", err)
	}
	whole = map[int]bool{}
	for _, name := range names {
		digits, suffix, _ := strings.Cut(name, ".")
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || n <= 0:
		case name == segmentName(n):
			segs = append(segs, n)
		case "."+suffix == wholeSuffix:
			whole[n] = true
		}
	}
	slices.Sort(segs)
	return segs, whole, nil
}

// openSegment opens segment n for reading.
func openSegment(dir vfs.Dir, n int) (vfs.File, vfs.Info, error) {
	f, err := dir.Open(segmentName(n))
	if err != nil {
		return nil, vfs.Info{}, fmt.Errorf("the log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, vfs.Info{}, errors.Join(fmt.Errorf("the log: %w", err), f.Close())
	}
	return f, info, nil
}

// firstRecord returns the first record of segment n, nil if its line is not whole.
func firstRecord(dir vfs.Dir, n int) (*Record, error) {
	f, info, err := openSegment(dir, n)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, ok, err := newForwardLines(f, 0, info.Size).next()
	if err != nil || !ok {
		return nil, err
	}
	return nilIfBad(l.record())
}

// nilIfBad turns every error of a line except [Unsupported] into a nil record.
func nilIfBad(r *Record, err error) (*Record, error) {
	if u, ok := errors.AsType[*Unsupported](err); ok {
		return nil, u
	}
	return r, nil
}

// lineNumber returns the 1-based number of the line that contains offset.
func lineNumber(r io.ReaderAt, offset int64) int {
	f := newForwardLines(r, 0, offset+1)
	for {
		if _, ok, err := f.next(); !ok || err != nil {
			return max(1, f.number-1)
		}
	}
}
