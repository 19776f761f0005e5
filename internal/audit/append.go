package audit

import (
	"errors"
	"fmt"
	"io"

	"github.com/emend-dev/emend/internal/vfs"
)

// Append fills in the number, time and hashes of r and writes it as one line, in one write. With sync it returns when
// the line is durable: one sync of the file, and a few more whenever a segment is full. A torn tail is set aside first.
//
// The error is a *[NotWritten] if the log is as it was before, an *[Undecided] if nobody can know, and a *[Corrupt] if
// the log is damaged.
func (l *Log) Append(r *Record, sync bool) error { return l.AppendAll([]*Record{r}, sync) }

// AppendAll appends several records as Append does one, in one write and with one sync. After an error no caller may rely
// on any of them: all were refused, or nobody can know of any.
func (l *Log) AppendAll(all []*Record, sync bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range all {
		if err := l.prepare(r); err != nil {
			return err
		}
	}
	text, err := l.encodeNext(all)
	if err != nil {
		return &NotWritten{Cause: err}
	}
	if l.state.goodEnd == 0 || l.state.goodEnd+int64(len(text)) > l.segmentSize {
		if err := l.rotate(); err != nil {
			return l.notWritten(err)
		}
		if text, err = l.encodeNext(all); err != nil {
			return &NotWritten{Cause: err}
		}
	}
	err = l.write(all, text, sync)
	if err == nil && !all[len(all)-1].Kind.isCommit() { // else a transaction is under way, and its files are held
		l.extendIndex()
	}
	return err
}

// prepare refuses a record that cannot be appended, and makes the log ready for one that can.
func (l *Log) prepare(r *Record) error {
	if err := l.refusal(); err != nil {
		return err
	}
	if !isKnown(r.Kind) || r.Kind == Rotate {
		return &NotWritten{Cause: fmt.Errorf("a record of kind %q: %w", r.Kind, errReservedKind)}
	}
	if l.mustLoad {
		if err := l.load(); err != nil {
			return l.notWritten(err)
		}
	}
	if err := l.cutTorn(nil); err != nil {
		return l.notWritten(err)
	}
	return l.refusal()
}

// encodeNext fills in numbers, times and previous hashes of records and encodes them as the next lines.
func (l *Log) encodeNext(all []*Record) (text []byte, err error) {
	head, now := l.state.head, l.now().UTC()
	for _, r := range all {
		r.V, r.Seq, r.TS, r.Prev = versionOf(r), head.Seq+1, now, head.H
		line, err := encode(r)
		if err != nil {
			return nil, err
		}
		text, head = append(text, line...), r.head()
	}
	return text, nil
}

// write appends the lines of records to the last segment.
func (l *Log) write(all []*Record, text []byte, sync bool) error {
	w, err := l.openLast()
	if err != nil {
		return l.notWritten(err)
	}
	if err := writeAll(w, text); err != nil {
		return l.undoWrite(all, err, sync)
	}
	if sync {
		if err := w.Datasync(); err != nil {
			return l.voidRecords(all, err)
		}
		l.durable = all[len(all)-1].head()
	}
	l.state.advance(all, l.state.lastSegment(), l.state.goodEnd+int64(len(text)))
	return nil
}

// advance makes the last of some records, which ends at offset end of segment n, the head.
func (s *state) advance(all []*Record, n int, end int64) {
	s.head, s.headSegment, s.headEnd, s.goodEnd = all[len(all)-1].head(), n, end, end
	for _, r := range all {
		s.nonePending = r.leavesNonePending(s.nonePending)
	}
}

func writeAll(w io.Writer, text []byte) error {
	n, err := w.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	return err
}

// undoWrite cuts off the bytes of a write that failed. With sync the cut must be durable before the caller may hear
// that nothing was written, since the system may have begun to write the bytes out.
func (l *Log) undoWrite(all []*Record, cause error, sync bool) error {
	info, err := l.file.Stat()
	if err == nil && info.Size == l.state.goodEnd {
		return &NotWritten{Cause: cause}
	}
	if err := l.file.Truncate(l.state.goodEnd); err != nil {
		return l.voidRecords(all, cause)
	}
	if sync && l.file.Datasync() != nil {
		return l.voidRecords(all, cause)
	}
	return &NotWritten{Cause: cause}
}

// voidRecords abandons a segment of which a sync failed: the system may report the next sync of it as a success with old
// bytes on disk. The first record of the next segment declares the first of the records void, and all after it. Until that
// record is durable, nobody knows whether they are in the log.
func (l *Log) voidRecords(all []*Record, cause error) error {
	since, err := l.lastDurable()
	if err == nil {
		err = l.beginSegment(&Record{Kind: Rotate, OK: true, Void: all[0].H, Since: since, Group: len(all) - 1})
	}
	if err != nil {
		l.undecided = &Undecided{Cause: errors.Join(cause, err)}
		return l.undecided
	}
	return &NotWritten{Cause: cause, Voided: true}
}

// lastDurable returns the last record known to be durable. That is at least the first record of its segment, which was
// synced when the segment began.
func (l *Log) lastDurable() (string, error) {
	if l.durable.Seq > 0 {
		return l.durable.String(), nil
	}
	first, err := firstRecord(l.dir, l.state.headSegment)
	if err != nil {
		return "", err
	}
	if first == nil {
		return "", fmt.Errorf("segment %s has no first record", segmentName(l.state.headSegment))
	}
	return first.head().String(), nil
}

// rotate begins a segment when the last one is full, or when it is empty, which is what a crash in this function
// leaves. The records of the full segment must be durable before the next segment continues them. If the sync fails,
// the next segment says from which record on the old one is in doubt.
func (l *Log) rotate() error {
	r := &Record{Kind: Rotate, OK: true}
	if l.state.head.Seq > 0 && !l.syncFull() {
		since, err := l.lastDurable()
		if err != nil {
			return err
		}
		r.Since = since
	}
	return l.beginSegment(r)
}

// syncFull syncs a full segment and reports whether that succeeded. It reports false for a segment that is followed by
// an empty one: a sync of it may have failed before.
func (l *Log) syncFull() bool {
	if l.state.goodEnd == 0 {
		return false
	}
	w, err := l.openLast()
	if err != nil || w.Datasync() != nil {
		return false
	}
	l.durable = l.state.head
	return true
}

// beginSegment makes the next segment, or uses the last one if that is empty, and makes it durable with r as its first
// record. After an error the segment is empty, or the state is read again before the next append.
func (l *Log) beginSegment(r *Record) error {
	n := l.state.lastSegment()
	if n == 0 || l.state.goodEnd > 0 || l.state.damage != nil {
		n++
	}
	text, err := l.encodeNext([]*Record{r})
	if err != nil {
		return err
	}
	l.mustLoad = true
	w, err := l.dir.Append(segmentName(n), filePerm)
	if err != nil {
		return err
	}
	info, err := l.writeFirst(w, text)
	if err != nil {
		return errors.Join(err, w.Close())
	}
	l.useSegment(n, w, info.ID, r, int64(len(text)))
	return nil
}

// writeFirst writes the first line of a segment and syncs file and directory.
func (l *Log) writeFirst(w vfs.File, text []byte) (vfs.Info, error) {
	info, err := w.Stat()
	if err == nil && info.Size > 0 {
		err = errOtherWriter
	}
	if err != nil {
		return info, err
	}
	if err = writeAll(w, text); err == nil {
		err = w.Datasync()
	}
	if err == nil {
		err = l.dir.Sync()
	}
	if err == nil {
		return info, nil
	}
	// A first record that is not known to be durable must not be continued.
	if cut := w.Truncate(0); cut != nil {
		err = errors.Join(err, cut)
		l.undecided = &Undecided{Cause: err}
	}
	return info, err
}

// useSegment makes a segment that has its first record the one to append to.
func (l *Log) useSegment(n int, w vfs.File, id vfs.ID, r *Record, end int64) {
	// The old segment was synced as far as needed, or is on record as in doubt, so an error of close adds nothing.
	_ = l.closeSegment()
	if n != l.state.lastSegment() {
		l.state.segments = append(l.state.segments[:len(l.state.segments):len(l.state.segments)], n)
	}
	l.file, l.fileID, l.mustLoad = w, id, false
	l.state.tornSize, l.state.damage = 0, nil
	l.state.advance([]*Record{r}, n, end)
	l.durable = r.head()
	l.indexed.end, l.indexed.retry = 0, 0
}

// Restart continues after a damage in a new segment, whose first record gives the reason. The damaged segment stays as
// it is, and [Verify] keeps reporting it.
func (l *Log) Restart(reason string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.undecided != nil {
		return l.undecided
	}
	if err := l.beginSegment(&Record{Kind: Rotate, Message: reason}); err != nil {
		return l.notWritten(err)
	}
	return nil
}

// Create opens the log in dir, and makes the first segment if there is none. It writes one record and syncs file and
// directory, so that a later append with sync costs a single sync of the file.
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

// Sync makes every record so far durable, including those that other processes appended without sync. Recovery does
// this first.
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
