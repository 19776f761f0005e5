package audit

import (
	"hash/maphash"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// Index keeps in memory where each record of a log is, and of each a number for every path, hash, session and transaction that it
// names: with it [Log.Back] goes to the few records that have one of some, where it would read all. The zero value is empty. It
// has seen every line whole and in its place; of a log in which one is not, or the end of a segment is in doubt, it knows
// nothing, and that is read line by line. A record that it leads to has to be the one that it saw.
type Index struct {
	mu       sync.Mutex
	head     Head // it knows the log up to here
	failedAt Head // up to here it could not be taken in
	entries  []indexEntry
	keys     []uint32
}

// indexEntry is one record.
type indexEntry struct {
	seq     uint64
	h       uint64 // of its hash
	kind    Kind
	start   int64
	size    int
	segment int32 // the number of its segment
	keysEnd int32 // where its words end
}

// matches reports whether r is that record.
func (m *indexEntry) matches(r *Record) bool {
	return r.Seq == m.seq && maphash.String(seed, r.H) == m.h
}

// maxKeys is how many words a sieve keeps at most; of a log that has more it knows nothing.
var maxKeys = 8 << 20

// indexedFields are the fields whose strings count, by the ends of their names: path and toPath; sha256, beforeSha256 and afterSha256.
var indexedFields = []string{`ath":"`, `"to":"`, `256":"`, `"session":"`, `"tx":"`}

var seed = maphash.MakeSeed()

// Keys are strings of the log, quotes and all. More can be added while a walk goes on.
type Keys map[uint32]struct{}

// Add adds a string as [Field] writes it.
func (k Keys) Add(quoted string) { k[uint32(maphash.String(seed, quoted))] = struct{}{} }

func (k Keys) matchAny(words []uint32) bool {
	for _, w := range words {
		if _, ok := k[w]; ok {
			return true
		}
	}
	return false
}

// UpdateIndex lets a sieve take in what is new.
func (l *Log) UpdateIndex(v *Index) { v.update(l, l.snapshot()) }

// update takes in what is new in the log, and returns all; not ok when it cannot be.
func (v *Index) update(l *Log, s state) (lines []indexEntry, words []uint32, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.head != s.head && v.failedAt != s.head && !v.extend(l, s) {
		v.clear(s.head)
	}
	return v.entries, v.keys, v.head == s.head
}

// invalidate is for when the log has not what it led to.
func (v *Index) invalidate(head Head) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear(head)
}

func (v *Index) clear(head Head) { v.head, v.failedAt, v.entries, v.keys = Head{}, head, nil, nil }

// extend goes on from where it ended last, or begins anew when the log does not have that.
func (v *Index) extend(l *Log, s state) bool {
	i, from, again := 0, int64(0), false // again: the first record to come is the one that it knows last
	if v.head.Seq > 0 {
		at, ok := l.seek(s, func(r *Record) bool { return r.Seq >= v.head.Seq })
		switch {
		case !ok || at.record.head() != v.head:
			v.clear(Head{})
		case at.start == math.MaxInt64: // the first of the next segment
			i, again = at.index+1, true
		default:
			i, from = at.index, at.end
		}
	}
	for n := i; n < len(s.segmentsToHead()); n, from, again = n+1, 0, false {
		if !v.addSegment(l, s, n, from, again) {
			return false
		}
	}
	return v.head == s.head
}

func (v *Index) addSegment(l *Log, s state, i int, from int64, again bool) bool {
	f, size, err := l.openCounted(s, i)
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := newForwardLines(f, min(from, size), size); ; {
		one, more, err := lines.next()
		if err != nil || !more {
			return err == nil
		}
		r, err := marks.decode(one)
		if err == nil && r.Kind == Rotate {
			r, err = one.record()
		}
		switch {
		case err != nil || r.doubtsPrevious():
			return false
		case again:
			if again = false; r.head() != v.head {
				return false
			}
		case v.head.Seq > 0 && (r.Seq != v.head.Seq+1 || r.Prev != v.head.H) || len(v.keys) > maxKeys:
			return false
		default:
			v.add(r, one, s.segmentsToHead()[i])
		}
	}
}

func (v *Index) add(r *Record, one line, seg int) {
	first := len(v.keys)
	for _, field := range indexedFields {
		for quoted := range FieldStrings(one.text, field) {
			w := uint32(maphash.Bytes(seed, quoted))
			if n := len(v.keys); n == first || v.keys[n-1] != w {
				v.keys = append(v.keys, w)
			}
		}
	}
	v.head = r.head()
	v.entries = append(v.entries, indexEntry{r.Seq, maphash.String(seed, r.H), sharedKind(r), one.start, int(one.end - one.start), int32(seg), int32(len(v.keys))})
}

// sharedKind is the kind of r, as one string for all of a kind.
func sharedKind(r *Record) Kind {
	all := [...]Kind{Commit, Undo, Applied, Abort, Recovered, Denied, Failed, Purge, Rotate}
	if i := slices.Index(all[:], r.Kind); i >= 0 {
		return all[i]
	}
	return r.Kind
}

// queryIndex is Back along a sieve; not ok, and nothing yielded, when that does not know the log.
func (l *Log) queryIndex(s state, q *Query, yield func(*Record, error) bool) (ok bool) {
	lines, words, ok := q.Index.update(l, s)
	if !ok {
		return false
	}
	open := segmentReader{dir: l.dir}
	defer open.close()
	for i := len(lines) - 1; i >= 0; i-- {
		first := int32(0)
		if i > 0 {
			first = lines[i-1].keysEnd
		}
		if m := &lines[i]; q.Always(m.kind) || q.Keys.matchAny(words[first:m.keysEnd]) {
			r, err := open.read(m, q)
			if err != nil || !m.matches(r) {
				q.Index.invalidate(s.head)
				l.queryFrom(m.seq, q, yield)
				return true
			}
			if !yield(r, nil) {
				return true
			}
		}
	}
	return true
}

// queryFrom goes on without a sieve, with the record of a number.
func (l *Log) queryFrom(seq uint64, q *Query, yield func(*Record, error) bool) {
	for r, err := range l.Query(Query{Before: seq + 1, Need: q.Need}) {
		if (r == nil || r.Seq <= seq) && !yield(r, err) {
			return
		}
	}
}

// segmentReader is the segment that was read last, which mostly is read next.
type segmentReader struct {
	dir vfs.Dir
	n   int32
	f   vfs.File
}

func (o *segmentReader) close() {
	if o.f != nil {
		o.f.Close()
	}
}

func (o *segmentReader) read(m *indexEntry, q *Query) (*Record, error) {
	if o.n != m.segment {
		o.close()
		var err error
		if o.f, _, err = openSegment(o.dir, int(m.segment)); err != nil {
			o.f = nil
			return nil, err
		}
		o.n = m.segment
	}
	l := line{text: make([]byte, m.size), start: m.start, end: m.start + int64(m.size)}
	if _, err := io.ReadFull(io.NewSectionReader(o.f, m.start, int64(m.size)), l.text); err != nil {
		return nil, err
	}
	if l.whole = l.text[m.size-1] == '\n'; l.whole {
		l.text = l.text[:m.size-1]
	}
	return q.decode(l)
}
