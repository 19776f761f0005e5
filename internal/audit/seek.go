package audit

import (
	"io"
	"math"

	"github.com/emend-dev/emend/internal/vfs"
)

// bisectUntil is the distance at which a search stops halving and reads line by line. Tests make it smaller.
var bisectUntil int64 = 64 << 10

// position is where in the log a query begins.
type position struct {
	index      int     // index of the segment
	record     *Record // the query begins before this record
	start, end int64   // offsets of record, or math.MaxInt64 if it is the first one of the next segment
}

// seek finds the oldest record for which beyond holds. beyond must hold for all newer ones too.
func (l *Log) seek(s state, beyond func(*Record) bool) (position, bool) {
	segs := s.segmentsToHead()
	var next *Record
	i := len(segs) - 1
	for ; i > 0; i-- {
		first, err := firstRecord(l.dir, segs[i])
		if err != nil || first == nil {
			return position{}, false
		}
		if !beyond(first) {
			break
		}
		next = first
	}
	if i < 0 || next.doubtsPrevious() {
		return position{}, false
	}
	f, size, err := l.openCounted(s, i)
	if err != nil {
		return position{}, false
	}
	defer f.Close()
	at, ok := searchSegment(f, size, beyond)
	if at.index = i; ok && at.record == nil {
		at.record, at.start, at.end = next, math.MaxInt64, math.MaxInt64
	}
	return at, ok && at.record != nil
}

// searchSegment finds the first record of a segment for which beyond holds; the position has no record if there is
// none. ok is false if a line cannot be read.
func searchSegment(f io.ReaderAt, size int64, beyond func(*Record) bool) (position, bool) {
	low, high := int64(0), size // low is where a record begins that is not beyond, or the first
	for top := high; top-low > bisectUntil; {
		middle := low + (top-low)/2
		lines := newForwardLines(f, middle, size)
		if _, _, err := lines.next(); err != nil { // a part of one
			return position{}, false
		}
		l, ok, err := lines.next()
		if err != nil {
			return position{}, false
		}
		if !ok || l.start >= top {
			top = middle
			continue
		}
		r, err := l.header()
		if err != nil {
			return position{}, false
		}
		if beyond(r) {
			top = middle
		} else {
			low = l.start
		}
	}
	for lines := newForwardLines(f, low, size); ; {
		l, ok, err := lines.next()
		if err != nil || !ok {
			return position{}, err == nil
		}
		r, err := l.header()
		if err != nil {
			return position{}, false
		}
		if beyond(r) {
			return position{record: r, start: l.start, end: l.end}, true
		}
	}
}

// openCounted opens a segment and returns how many of its bytes count.
func (l *Log) openCounted(s state, i int) (vfs.File, int64, error) {
	segs := s.segmentsToHead()
	f, info, err := openSegment(l.dir, segs[i])
	if i == len(segs)-1 {
		return f, min(info.Size, s.headEnd), err
	}
	return f, info.Size, err
}

// doubtsPrevious reports whether r, the first record of a segment, says that the end of the segment before is in doubt.
func (r *Record) doubtsPrevious() bool {
	return r != nil && (r.restarts() || r.Void != "" || r.Since != "")
}
