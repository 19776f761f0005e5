package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"github.com/emend-dev/emend/internal/vfs"
)

// scanBlock is how many bytes are searched for a key at once.
const scanBlock = 1 << 20

// ByKey returns the newest commit or undo with the caller's key idem that was not reversed, nil if there is none. It asks
// the index of each segment, and searches what that does not cover, where it decodes only lines that contain the key.
func (l *Log) ByKey(idem string) (*Record, error) {
	s := l.snapshot()
	segs := s.segmentsToHead()
	size := s.headEnd
	for i, n := range slices.Backward(segs) {
		k := &keySearch{dir: l.dir, segs: segs[i:], headEnd: s.headEnd, idem: idem}
		r, err := k.segment(n, size)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil // dropped meanwhile, with all before it
		}
		if err != nil || r != nil {
			return r, inSegment(err, n)
		}
		size = math.MaxInt64
	}
	return nil, nil
}

// keySearch searches the first of segs. Of the last one headEnd bytes count.
type keySearch struct {
	dir     vfs.Dir
	segs    []int
	headEnd int64
	idem    string
	f       vfs.File
	size    int64
}

func (k *keySearch) segment(n int, size int64) (*Record, error) {
	f, info, err := openSegment(k.dir, n)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	k.f, k.size = f, min(size, info.Size)
	floor := int64(0)
	var starts []int64
	if t := openTable(k.dir, n, f, info.Size, wholeSuffix, growingSuffix); t != nil {
		floor, starts = t.startsOf(valueKey(ByIdem, k.idem), k.size)
		t.close()
	}
	later, err := findAll(f, floor, k.size, appendQuoted([]byte(`,"idem":`), k.idem))
	if err != nil {
		return nil, err
	}
	for _, at := range slices.Backward(append(starts, later...)) {
		if r, err := k.at(at); err != nil || r != nil {
			return r, err
		}
	}
	return nil, nil
}

// startsOf returns where the records with a key begin, oldest first, and up to where in the segment that are all; 0 if the
// table cannot say.
func (t *table) startsOf(k indexKey, size int64) (covered int64, starts []int64) {
	n, ok := t.until(size)
	end, err := t.start(n)
	if !ok || err != nil {
		return 0, nil
	}
	found, err := t.find(k, 0, n)
	for _, i := range found {
		at, broken := t.start(i)
		if err = cmp.Or(err, broken); err == nil {
			starts = append(starts, at)
		}
	}
	if err != nil {
		return 0, nil
	}
	return end, starts
}

// at returns the record around an offset, nil unless it is the one that is looked for.
func (k *keySearch) at(offset int64) (*Record, error) {
	r, end, err := recordAt(k.f, offset, k.size)
	if err != nil || r == nil || r.Idem != k.idem || !r.Kind.isCommit() {
		return nil, err
	}
	if back, err := wasReversed(k.dir, k.segs, end, k.headEnd, r); err != nil || back {
		return nil, err
	}
	return r, nil
}

// findAll returns the offsets at which pattern occurs between two places.
func findAll(r io.ReaderAt, floor, size int64, pattern []byte) ([]int64, error) {
	var out []int64
	buf := make([]byte, max(0, min(scanBlock, size-floor))+int64(len(pattern))-1) // most segments have nothing to search
	for from := floor; from < size; from += scanBlock {
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
	before, _, err := newBackwardLines(r, 0, at+1).next()
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
	groupEnd := r.groupEnd()
	back := false
	var failed error
	w.yield = func(next *Record, err error) bool {
		if err != nil {
			_, failed = asCorrupt(err)
			return failed == nil
		}
		switch {
		case next.Void != "" && next.Seq <= r.Seq:
			back = true
		case next.Tx == r.Tx && next.Kind.isEnd():
			back = next.Kind == Abort || next.Kind == Recovered && !next.OK
		case next.Kind.isCommit() && next.Seq > groupEnd:
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
