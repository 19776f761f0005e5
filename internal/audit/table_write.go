package audit

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/emend-dev/emend/internal/vfs"
)

// indexStep is how many bytes of a segment are without an index before it is extended.
var indexStep int64 = 1 << 20

// IndexEvery sets after how many bytes an index is extended, until the function that it returns is called. Only tests do that.
func IndexEvery(bytes int64) (restore func()) {
	was := indexStep
	indexStep = bytes
	return func() { indexStep = was }
}

// stepsAtOnce bounds the work of one append for the index.
const stepsAtOnce = 4

// indexed is what the log knows of its indexes.
type indexed struct {
	whole map[int]bool // the segments with a complete one, and those that are too short for one
	end   int64        // of the index of the last segment; -1 if unknown
	retry int64        // nothing is tried until the last segment is that long: the last attempt failed
}

// extendIndex extends the index after an append: that of the last segment if enough was appended, else the newest one that
// a full segment of some length lacks. The work is bounded. It fails without a word: what is not indexed is read, and a
// later append tries again.
func (l *Log) extendIndex() {
	x := &l.indexed
	if l.state.goodEnd < x.retry || l.state.damage != nil {
		return
	}
	n, err := l.toIndex()
	if err == nil && n > 0 {
		err = l.extendTable(n)
	}
	if err != nil {
		x.retry = l.state.goodEnd + indexStep
	}
}

// toIndex returns the segment whose index is to be extended, 0 if none is.
func (l *Log) toIndex() (int, error) {
	last, x := l.state.lastSegment(), &l.indexed
	if x.end < 0 && l.state.goodEnd >= indexStep {
		f, info, err := openSegment(l.dir, last)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		x.end = 0
		if t := openTable(l.dir, last, f, info.Size, growingSuffix); t != nil {
			x.end = t.end
			t.close()
		}
	}
	if l.state.goodEnd-max(0, x.end) >= indexStep && !x.whole[last] {
		return last, nil
	}
	for _, n := range slices.Backward(l.state.segments) {
		if n == last || x.whole[n] {
			continue
		}
		if info, err := l.dir.Stat(segmentName(n)); err != nil || info.Size >= indexStep {
			return n, err
		}
		x.whole[n] = true // it is read as fast
	}
	return 0, nil
}

// extendTable extends the index of segment n by some steps.
func (l *Log) extendTable(n int) error {
	f, info, err := openSegment(l.dir, n)
	if err != nil {
		return err
	}
	defer f.Close()
	size, last := info.Size, n == l.state.lastSegment()
	if last {
		size = min(size, l.state.goodEnd)
	} else {
		i, _ := slices.BinarySearch(l.state.segments, n)
		next, err := firstRecord(l.dir, l.state.segments[i+1])
		if err == nil {
			size, _, err = soundSize(f, size, next)
		}
		if err != nil {
			return err
		}
	}
	old := openTable(l.dir, n, f, size, growingSuffix)
	defer old.close()
	var b tableBuilder
	if err := b.read(f, size, old); err != nil {
		return err
	}
	b.complete = b.stuck || !last && b.end == size
	if err := b.replace(l.dir, n, old); err != nil {
		return err
	}
	if last {
		l.indexed.end = b.end
	}
	if b.complete {
		l.indexed.whole[n] = true
	}
	return nil
}

// tableBuilder collects what a table gets beside that of the one before it.
type tableBuilder struct {
	footer
	entries []entry
	added   []keyEntry
	stuck   bool // the next line does not continue the records before it
}

type keyEntry struct {
	key    indexKey
	record uint32
}

// read takes in the lines after those of old, as many as one append may.
func (b *tableBuilder) read(f io.ReaderAt, size int64, old *table) error {
	b.footer = footer{lastCommit: -1}
	if old != nil {
		b.footer = old.footer
	}
	from := b.end
	var keys []indexKey
	for lines := newForwardLines(f, from, size); b.end-from < stepsAtOnce*indexStep; {
		l, ok, err := lines.next()
		if err != nil || !ok {
			return err
		}
		r, err := l.header()
		if err != nil || (r.Kind == Rotate) != (l.start == 0) || b.records > 0 && !r.follows(b.head) {
			if _, err := nilIfBad(r, err); err != nil {
				return err
			}
			b.stuck = true
			return nil
		}
		keys = keysOf(r.Kind, l.text, keys)
		b.add(r, l, keys)
	}
	return nil
}

func (b *tableBuilder) add(r *Record, l line, keys []indexKey) {
	if b.records == 0 {
		b.firstSeq = r.Seq
	}
	if r.Kind.isCommit() {
		b.lastCommit = b.records
	}
	b.entries = append(b.entries, entry{l.start, r.Kind, printOf(r.H)})
	for _, k := range keys {
		b.added = append(b.added, keyEntry{k, uint32(b.records)})
	}
	b.records++
	b.keys += len(keys)
	b.head, b.last, b.end = r.head(), l.start, l.end
}

// replace writes the table of segment n beside the old one and puts it in its place.
func (b *tableBuilder) replace(dir vfs.Dir, n int, old *table) error {
	slices.SortFunc(b.added, func(a, c keyEntry) int { return cmp.Or(cmp.Compare(a.key, c.key), cmp.Compare(a.record, c.record)) })
	draft := tableName(n, draftSuffix)
	f, err := dir.Create(draft, filePerm)
	if errors.Is(err, fs.ErrExist) { // somebody was killed
		if err = dir.Remove(draft); err == nil {
			f, err = dir.Create(draft, filePerm)
		}
	}
	if err != nil {
		return err
	}
	if err = errors.Join(b.write(f, old), f.Close()); err == nil {
		suffix := growingSuffix
		if b.complete {
			suffix = wholeSuffix
		}
		err = dir.Rename(draft, dir, tableName(n, suffix), vfs.Replace)
	}
	if err != nil {
		dir.Remove(draft)
		if errors.Is(err, errTable) { // the old one is damaged: the next attempt begins anew
			dir.Remove(tableName(n, growingSuffix))
		}
		return err
	}
	if b.complete {
		dir.Remove(tableName(n, growingSuffix))
	}
	return nil
}

// write writes all pages: what the old table has, merged with what was added.
func (b *tableBuilder) write(to io.Writer, old *table) error {
	w := &pageWriter{w: bufio.NewWriterSize(to, readBlock), of: b.head}
	before, keys := 0, 0
	if old != nil {
		before, keys = old.records, old.keys
	}
	var cell []byte
	for i := range b.records {
		e := entry{}
		if i < before {
			var err error
			if e, err = old.entry(i); err != nil {
				return err
			}
		} else {
			e = b.entries[i-before]
		}
		cell = appendEntry(cell[:0], e)
		w.add(cell)
	}
	w.end()
	counts := [fanout]uint32{}
	put := func(k indexKey, record int) {
		counts[k>>fanoutShift]++
		cell = appendKey(cell[:0], k, record)
		w.add(cell)
	}
	added := b.added
	for i := range keys {
		k, record, err := old.key(i)
		if err != nil {
			return err
		}
		for ; len(added) > 0 && added[0].key < k; added = added[1:] {
			put(added[0].key, int(added[0].record))
		}
		put(k, record)
	}
	for _, a := range added {
		put(a.key, int(a.record))
	}
	w.end()
	for i := 1; i < fanout; i++ {
		counts[i] += counts[i-1]
	}
	b.counts = counts
	w.of = Head{}
	w.add(b.encode())
	w.end()
	return errors.Join(w.err, w.w.Flush())
}

// pageWriter writes pages.
type pageWriter struct {
	w      *bufio.Writer
	page   []byte
	number int
	of     Head
	err    error
}

// add adds a cell, to the next page if this one has no room for it.
func (w *pageWriter) add(cell []byte) {
	if len(w.page)+len(cell) > payload {
		w.end()
	}
	w.page = append(w.page, cell...)
}

// end ends a page, unless it is empty.
func (w *pageWriter) end() {
	if len(w.page) == 0 {
		return
	}
	w.page = append(w.page, make([]byte, payload-len(w.page))...)
	sum := checksum(w.page, w.number, w.of)
	_, err := w.w.Write(binary.LittleEndian.AppendUint32(w.page, sum))
	w.err = errors.Join(w.err, err)
	w.page, w.number = w.page[:0], w.number+1
}
