package audit

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/vfs"
)

// scanBlock is how many bytes are searched for a key at once.
const scanBlock = 1 << 20

// ByKey returns the newest commit or undo with the caller's key idem that was not reversed, nil if there is none. It
// searches the whole log, but decodes only lines that contain the key.
func (l *Log) ByKey(idem string) (*Record, error) {
	pattern := appendQuoted([]byte(`,"idem":`), idem)
	s := l.snapshot()
	segs := s.segmentsToHead()
	size := s.headEnd
	for i, n := range slices.Backward(segs) {
		r, err := keyInSegment(l.dir, segs[i:], size, s.headEnd, pattern, idem)
		if err != nil || r != nil {
			return r, inSegment(err, n)
		}
		size = math.MaxInt64
	}
	return nil, nil
}

// keyInSegment searches the first of segs, of which size bytes count. Of the last one of segs headEnd bytes count.
func keyInSegment(dir vfs.Dir, segs []int, size, upTo int64, pattern []byte, idem string) (*Record, error) {
	f, info, err := openSegment(dir, segs[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size = min(size, info.Size)
	places, err := findAll(f, size, pattern)
	if err != nil {
		return nil, err
	}
	for _, at := range slices.Backward(places) {
		r, end, err := recordAt(f, at, size)
		if err != nil {
			return nil, err
		}
		if r == nil || r.Idem != idem || !r.Kind.isCommit() {
			continue
		}
		if back, err := wasReversed(dir, segs, end, upTo, r); err != nil || !back {
			return r, err
		}
	}
	return nil, nil
}

// findAll returns the offsets at which pattern occurs in the first size bytes.
func findAll(r io.ReaderAt, size int64, pattern []byte) ([]int64, error) {
	var out []int64
	buf := make([]byte, scanBlock+len(pattern)-1)
	for from := int64(0); from < size; from += scanBlock {
		part := buf[:min(int64(len(buf)), size-from)]
		if _, err := io.ReadFull(io.NewSectionReader(r, from, size-from), part); err != nil {
			return nil, err
		}
		for at := 0; ; at++ {
			i := bytes.Index(part[at:], pattern)
			if i < 0 {
				break
			}
			at += i
			out = append(out, from+int64(at))
		}
	}
	return out, nil
}

// recordAt decodes the line around offset at, and returns where the line ends. The record is nil if the line is bad.
func recordAt(r io.ReaderAt, at, size int64) (*Record, int64, error) {
	before, _, err := newBackwardLines(r, at).next()
	if err != nil {
		return nil, 0, err
	}
	l, _, err := newForwardLines(r, before.start, size).next()
	if err != nil {
		return nil, 0, err
	}
	rec, err := nilIfBad(l.record())
	return rec, l.end, err
}

// wasReversed reports whether r, which ends at offset end of the first of segs, did not take effect: it was aborted or
// taken back by recovery, or its sync failed and the next segment declares it void.
func wasReversed(dir vfs.Dir, segs []int, end, upTo int64, r *Record) (bool, error) {
	w := &forwardWalk{dir: dir, segs: segs, end: upTo, last: r.head(), from: end}
	back := false
	var failed error
	w.yield = func(next *Record, err error) bool {
		if err != nil {
			_, failed = asCorrupt(err)
			return failed == nil
		}
		switch {
		case next.Void == r.H:
			back = true
		case next.Tx == r.Tx && next.Kind.isEnd():
			back = next.Kind == Abort || next.Kind == Recovered && !next.OK
		case next.Kind.isCommit():
		default:
			return true
		}
		return false
	}
	w.run()
	return back, failed
}

func inSegment(err error, n int) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("segment %s: %w", segmentName(n), err)
}
