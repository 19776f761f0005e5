// Package audit is the append-only log of a store: what was asked, decided and done, and at the same time the commit
// point of every transaction. It is JSON Lines in numbered segments; each record has the hash of the one before.
//
// It promises, to one process at a time (the lock is the caller's):
//
//   - A record that [Log.Append] acknowledged with sync is there after a power cut. One that it refused with
//     [NotWritten] is not, and counts as never written if its bytes come back. Only [Undecided] leaves it open.
//   - An append that was cut short is found when the log is opened, set aside, and costs no other record.
//   - A record that is changed, taken out or put in later is found by [Verify]. The last ones can be cut off, and the
//     whole log be written anew: against that helps only a [Head] that somebody else kept.
//
// It does not promise that records appended without sync survive a power cut, it takes no lock, and it knows nothing
// of what a transaction does: [Log.Pending] says which one may be unfinished, and no more.
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

// defaultSegmentSize is how large a segment gets, unless a single record is larger.
const defaultSegmentSize = 64 << 20

// Options are what a log can be told. The zero value is right but for tests.
type Options struct {
	SegmentSize int64            // at most so many bytes a segment; 64 MiB when zero
	Now         func() time.Time // the clock
}

// Log is an open log. Its methods may be called from several goroutines; those that write, [Log.Refresh] and
// [Log.Pending] only while the caller holds the lock of the store.
type Log struct {
	dir         vfs.Dir
	segmentSize int64 // of a segment, at most
	now         func() time.Time

	mu     sync.Mutex
	state  state
	file   vfs.File // the last segment, open for appending; nil until it is needed
	fileID vfs.ID   // of the last segment
	// durable is the last record that this process saw a sync of.
	durable Head
	// mustLoad: the state has to be read again before the next append.
	mustLoad bool
	// undecided refuses every further append.
	undecided *Undecided
}

// state is what is known of the segments.
type state struct {
	segments    []int
	head        Head
	headSegment int   // the segment with the head; an empty one may follow
	headEnd     int64 // the end of the head in there
	// nonePending is set when the head, and what is before it, is known to leave no transaction open.
	nonePending bool
	goodEnd     int64 // of the good part of the last segment: upTo, or 0 when that is an empty one
	tornSize    int64 // bytes after end
	// damage refuses writes until [Log.Restart].
	damage *Corrupt
}

// lastSegment is the number of the last segment, 0 when there is none.
func (s *state) lastSegment() int {
	if len(s.segments) == 0 {
		return 0
	}
	return s.segments[len(s.segments)-1]
}

// segmentsToHead are the segments up to the one with the head.
func (s *state) segmentsToHead() []int {
	i, _ := slices.BinarySearch(s.segments, s.headSegment)
	return s.segments[:min(i+1, len(s.segments))]
}

// Open reads the end of the log in dir. It writes nothing, and an empty directory is an empty log. A damaged log
// opens too, to be read: [Log.Err] says so.
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

// Create is Open, and makes the first segment where there is none: it writes one record and syncs file and directory,
// so that a later append with sync is a single sync of the file.
func Create(dir vfs.Dir, o Options) (*Log, error) {
	l, err := Open(dir, o)
	if err != nil || l.state.head.Seq > 0 || l.state.damage != nil {
		return l, err
	}
	err = l.cutTorn(nil)
	if err == nil {
		err = l.beginSegment(&Record{Kind: Rotate, OK: true})
	}
	if err != nil {
		return nil, errors.Join(l.notWritten(err), l.closeSegment())
	}
	return l, nil
}

// Close closes the segment. The log can be read from, and Append opens the segment again.
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

// Head returns the last record's number and hash, zero for an empty log.
func (l *Log) Head() Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.head
}

// Err returns why the log takes no records: a *[Corrupt], an *[Undecided] or nil.
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

// Reopen reads the log anew, also one that takes no more records because nobody could say what it has.
func (l *Log) Reopen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.undecided = nil
	return l.load()
}

// Refresh takes notice of what other processes appended. It costs two looks at names when they did not.
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
	// A torn end, or a damage, may be no more than what was seen of a record while somebody was writing it.
	settled := l.state.tornSize == 0 && l.state.damage == nil
	return settled && info.ID == l.fileID && info.Size == l.state.goodEnd, nil
}

// load reads the ends of the segments, from the last one on back, until one has a record.
func (l *Log) load() error {
	before, id := l.state, l.fileID
	l.state, l.fileID, l.mustLoad = state{}, vfs.ID{}, true
	if err := l.closeSegment(); err != nil {
		return fmt.Errorf("the log: %w", err)
	}
	segs, err := segments(l.dir)
	if err != nil {
		return err
	}
	l.state.segments = segs
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
		// The next segment was made when this one had its first record, durably.
		l.state.damage = &Corrupt{Segment: segmentName(n), Line: 1, Why: "it is no whole record, and another segment follows"}
	}
	return nil
}

// Sync makes every record so far durable, also those that other processes appended without a sync. It is the first
// thing a recovery does.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refusal(); err != nil || l.state.lastSegment() == 0 {
		return err
	}
	w, err := l.openLast()
	if err == nil {
		err = errors.Join(w.Datasync(), l.dir.Sync())
	}
	if err != nil {
		l.undecided = &Undecided{Cause: err}
		return l.undecided
	}
	l.durable = l.state.head
	return nil
}
