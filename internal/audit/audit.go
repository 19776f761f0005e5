// Package audit is the append-only log of a store. It records what was asked, decided and done, and an appended record
// is the commit point of a transaction. The log is JSON Lines in numbered segments; each record carries the hash of the
// record before it.
//
// It promises, to one process at a time (the caller holds the lock):
//
//   - A record that [Log.Append] acknowledged with sync survives a power cut. A record that it refused with [NotWritten] is not in the log, and does not count even if its bytes come back after a power cut. Only [Undecided] leaves this open.
//   - [Open] finds an append that was cut short. It is set aside, and costs no other record.
//   - [Verify] finds a record that was changed, removed or inserted later. It cannot find that the last records were cut off or that the whole log was rewritten, unless somebody kept a [Head] elsewhere.
//
// It does not promise that a record appended without sync survives a power cut. It takes no lock. It does not know what
// a transaction does: [Log.Pending] says which one may be unfinished, and no more.
package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// defaultSegmentSize is the largest size of a segment, unless a single record is larger.
const defaultSegmentSize = 64 << 20

// Options configure a log. The zero value is right except in tests.
type Options struct {
	SegmentSize int64            // maximum size of a segment in bytes; 64 MiB when zero
	Now         func() time.Time // the clock; time.Now when nil
}

// Log is an open log. Several goroutines may call its methods. The caller holds the lock of the store for those that
// write, for [Log.Refresh] and for [Log.Pending].
type Log struct {
	dir         vfs.Dir
	segmentSize int64 // maximum size of a segment
	now         func() time.Time

	mu     sync.Mutex
	state  state
	file   vfs.File // the last segment, open for appending; nil until it is needed
	fileID vfs.ID   // identity of the last segment
	// durable is the last record of which this process saw a successful sync.
	durable Head
	// mustLoad is set when the state must be read again before the next append.
	mustLoad bool
	// undecided refuses every further append.
	undecided *Undecided
	indexed   indexed
}

// state is what the log knows of its segments.
type state struct {
	segments    []int
	head        Head
	headSegment int   // number of the segment with the head; an empty segment may follow it
	headEnd     int64 // end of the head in that segment
	// nonePending is set when the records up to the head are known to leave no transaction open.
	nonePending bool
	goodEnd     int64 // end of the good part of the last segment: headEnd, or 0 if that segment is empty
	tornSize    int64 // number of bytes after goodEnd
	// damage refuses writes until [Log.Restart].
	damage *Corrupt
}

// lastSegment returns the number of the last segment, 0 if there is none.
func (s *state) lastSegment() int {
	if len(s.segments) == 0 {
		return 0
	}
	return s.segments[len(s.segments)-1]
}

// segmentsToHead returns the segments up to the one with the head.
func (s *state) segmentsToHead() []int {
	i, _ := slices.BinarySearch(s.segments, s.headSegment)
	return s.segments[:min(i+1, len(s.segments))]
}

// Open reads the end of the log in dir. It writes nothing; an empty directory is an empty log. A damaged log opens too,
// so that it can be read: [Log.Err] reports the damage.
func Open(dir vfs.Dir, o Options) (*Log, error) {
	l := &Log{dir: dir, segmentSize: o.SegmentSize, now: o.Now}
	if l.segmentSize == 0 {
		l.segmentSize = defaultSegmentSize
	}
	if l.now == nil {
		l.now = time.Now
	}
	if err := l.load(); err != nil {
		return nil, err
	}
	return l, nil
}

// Close closes the segment. The log can still be read, and Append opens the segment again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closeSegment()
}

func (l *Log) closeSegment() error {
	w := l.file
	l.file = nil
	if w == nil {
		return nil
	}
	return w.Close()
}

// Head returns the number and hash of the last record, zero for an empty log.
func (l *Log) Head() Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.head
}

// Err returns why the log accepts no records: a *[Corrupt], an *[Undecided] or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusal()
}

func (l *Log) refusal() error {
	switch {
	case l.undecided != nil:
		return l.undecided
	case l.state.damage != nil:
		return l.state.damage
	}
	return nil
}

// Reopen reads the log again. It also recovers a log that is undecided.
func (l *Log) Reopen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.undecided = nil
	return l.load()
}

// Refresh picks up what other processes appended. If nothing was appended it costs two stat calls.
func (l *Log) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.undecided != nil {
		return l.undecided
	}
	same, err := l.unchanged()
	if err != nil || same {
		return err
	}
	return l.load()
}

func (l *Log) unchanged() (bool, error) {
	n := l.state.lastSegment()
	if n == 0 || l.mustLoad {
		return false, nil
	}
	switch _, err := l.dir.Stat(segmentName(n + 1)); {
	case err == nil:
		return false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("the log: %w", err)
	}
	info, err := l.dir.Stat(segmentName(n))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("the log: %w", err)
	}
	// A torn end or a damage may be a record that somebody was writing when it was read, so it is read again.
	settled := l.state.tornSize == 0 && l.state.damage == nil
	return settled && info.ID == l.fileID && info.Size == l.state.goodEnd, nil
}

// load reads the ends of the segments, from the last one backwards, until one has a record.
func (l *Log) load() error {
	before, id := l.state, l.fileID
	l.state, l.fileID, l.mustLoad = state{}, vfs.ID{}, true
	if err := l.closeSegment(); err != nil {
		return fmt.Errorf("the log: %w", err)
	}
	segs, whole, err := segments(l.dir)
	if err != nil {
		return err
	}
	l.state.segments, l.indexed = segs, indexed{whole: whole, end: -1}
	for i := len(segs) - 1; i >= 0 && l.state.head.Seq == 0; i-- {
		if err := l.loadSegment(segs[i], i == len(segs)-1); err != nil {
			return err
		}
	}
	if l.fileID != id || l.state.head.Seq < before.head.Seq {
		l.durable = Head{}
	}
	l.mustLoad = false
	return nil
}

func (l *Log) loadSegment(n int, last bool) error {
	f, info, err := openSegment(l.dir, n)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := readTail(f, info.Size, segmentName(n))
	if err != nil {
		return err
	}
	l.state.head, l.state.headSegment, l.state.headEnd, l.state.nonePending = t.head, n, t.end, t.nonePending
	if last {
		l.state.goodEnd, l.state.tornSize, l.fileID = t.end, info.Size-t.end, info.ID
	}
	switch {
	case t.damage != nil:
		l.state.damage = t.damage
	case t.head.Seq == 0 && !last:
		// The next segment is only made when this one durably has its first record.
		l.state.damage = &Corrupt{Segment: segmentName(n), Line: 1, Why: "it is no whole record, and another segment follows"}
	}
	return nil
}

func (l *Log) snapshot() state {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// openLast returns the last segment, open for appending at the end of its good part.
func (l *Log) openLast() (vfs.File, error) {
	if l.file != nil {
		return l.file, nil
	}
	w, err := l.dir.Append(segmentName(l.state.lastSegment()), filePerm)
	if err != nil {
		return nil, err
	}
	info, err := w.Stat()
	if err == nil && (info.ID != l.fileID || info.Size != l.state.goodEnd+l.state.tornSize) {
		l.mustLoad, err = true, errOtherWriter
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	l.file = w
	return w, nil
}

// notWritten returns the error for a record of which no byte was written.
func (l *Log) notWritten(err error) error {
	if stuck := l.refusal(); stuck != nil {
		return stuck
	}
	return &NotWritten{Cause: err}
}
