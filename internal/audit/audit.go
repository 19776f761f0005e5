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

// segmentSize is how large a segment gets, unless a single record is larger.
const segmentSize = 64 << 20

// Options are what a log can be told. The zero value is right but for tests.
type Options struct {
	SegmentSize int64            // at most so many bytes a segment; 64 MiB when zero
	Now         func() time.Time // the clock
}

// Log is an open log. Its methods may be called from several goroutines; those that write, [Log.Refresh] and
// [Log.Pending] only while the caller holds the lock of the store.
type Log struct {
	dir  vfs.Dir
	size int64 // of a segment, at most
	now  func() time.Time

	mu    sync.Mutex
	state state
	w     vfs.File // the last segment, open for appending; nil until it is needed
	id    vfs.ID   // of the last segment
	// durable is the last record that this process saw a sync of.
	durable Head
	// stale: the state has to be read again before the next append.
	stale bool
	// stuck refuses every further append.
	stuck *Undecided
}

// state is what is known of the segments.
type state struct {
	segs []int
	head Head
	from int   // the segment with the head; an empty one may follow
	upTo int64 // the end of the head in there
	// settled is set when the head, and what is before it, is known to leave no transaction open.
	settled bool
	end     int64 // of the good part of the last segment: upTo, or 0 when that is an empty one
	torn    int64 // bytes after end
	// broken refuses writes until [Log.Restart].
	broken *Corrupt
}

// last is the number of the last segment, 0 when there is none.
func (s *state) last() int {
	if len(s.segs) == 0 {
		return 0
	}
	return s.segs[len(s.segs)-1]
}

// filled are the segments up to the one with the head.
func (s *state) filled() []int {
	i, _ := slices.BinarySearch(s.segs, s.from)
	return s.segs[:min(i+1, len(s.segs))]
}

// Open reads the end of the log in dir. It writes nothing, and an empty directory is an empty log. A damaged log
// opens too, to be read: [Log.Err] says so.
func Open(dir vfs.Dir, o Options) (*Log, error) {
	l := &Log{dir: dir, size: o.SegmentSize, now: o.Now}
	if l.size == 0 {
		l.size = segmentSize
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
	if err != nil || l.state.head.Seq > 0 || l.state.broken != nil {
		return l, err
	}
	err = l.settle(nil)
	if err == nil {
		err = l.begin(&Record{Kind: Rotate, OK: true})
	}
	if err != nil {
		return nil, errors.Join(l.refused(err), l.closeSegment())
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
	w := l.w
	l.w = nil
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
	return l.refuses()
}

func (l *Log) refuses() error {
	switch {
	case l.stuck != nil:
		return l.stuck
	case l.state.broken != nil:
		return l.state.broken
	}
	return nil
}

// Reopen reads the log anew, also one that takes no more records because nobody could say what it has.
func (l *Log) Reopen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stuck = nil
	return l.load()
}

// Refresh takes notice of what other processes appended. It costs two looks at names when they did not.
func (l *Log) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stuck != nil {
		return l.stuck
	}
	same, err := l.unchanged()
	if err != nil || same {
		return err
	}
	return l.load()
}

func (l *Log) unchanged() (bool, error) {
	n := l.state.last()
	if n == 0 || l.stale {
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
	settled := l.state.torn == 0 && l.state.broken == nil
	return settled && info.ID == l.id && info.Size == l.state.end, nil
}

// load reads the ends of the segments, from the last one on back, until one has a record.
func (l *Log) load() error {
	before, id := l.state, l.id
	l.state, l.id, l.stale = state{}, vfs.ID{}, true
	if err := l.closeSegment(); err != nil {
		return fmt.Errorf("the log: %w", err)
	}
	segs, err := segments(l.dir)
	if err != nil {
		return err
	}
	l.state.segs = segs
	for i := len(segs) - 1; i >= 0 && l.state.head.Seq == 0; i-- {
		if err := l.loadSegment(segs[i], i == len(segs)-1); err != nil {
			return err
		}
	}
	if l.id != id || l.state.head.Seq < before.head.Seq {
		l.durable = Head{}
	}
	l.stale = false
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
	l.state.head, l.state.from, l.state.upTo, l.state.settled = t.head, n, t.end, t.settled
	if last {
		l.state.end, l.state.torn, l.id = t.end, info.Size-t.end, info.ID
	}
	switch {
	case t.broken != nil:
		l.state.broken = t.broken
	case t.head.Seq == 0 && !last:
		// The next segment was made when this one had its first record, durably.
		l.state.broken = &Corrupt{Segment: segmentName(n), Line: 1, Why: "it is no whole record, and another segment follows"}
	}
	return nil
}

// Sync makes every record so far durable, also those that other processes appended without a sync. It is the first
// thing a recovery does.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refuses(); err != nil || l.state.last() == 0 {
		return err
	}
	w, err := l.segment()
	if err == nil {
		err = errors.Join(w.Datasync(), l.dir.Sync())
	}
	if err != nil {
		l.stuck = &Undecided{Cause: err}
		return l.stuck
	}
	l.durable = l.state.head
	return nil
}
