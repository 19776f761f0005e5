package audit

import (
	"hash/maphash"
	"math"
	"slices"
	"sync"
)

// Index keeps in memory where each record of a log is, and a hash of every path, sha256, session and transaction that
// the record names. With it [Log.Query] reads only the records that have one of the wanted keys. The zero value is an
// empty index.
//
// The index represents a log only if every line is whole and in its place, and no end of a segment is in doubt.
// Otherwise queries read line by line. A record that the index leads to must be the one that was indexed.
type Index struct {
	mu       sync.Mutex
	head     Head // the index represents the log up to this record
	failedAt Head // head of a log that could not be indexed
	entries  []indexEntry
	keys     []uint32
}

// indexEntry is one record.
type indexEntry struct {
	seq     uint64
	h       uint64 // hash of the record's hash
	kind    Kind
	start   int64
	size    int
	segment int32 // number of its segment
	keysEnd int32 // end of its keys
}

// matches reports whether r is the record that was indexed.
func (m *indexEntry) matches(r *Record) bool {
	return r.Seq == m.seq && maphash.String(seed, r.H) == m.h
}

// maxKeys is the largest number of keys. An index of a log with more represents nothing.
var maxKeys = 8 << 20

// indexedFields are the endings of the names of the fields that are indexed: path and toPath; sha256, beforeSha256 and
// afterSha256; to, session and tx.
var indexedFields = []string{`ath":"`, `"to":"`, `256":"`, `"session":"`, `"tx":"`}

var seed = maphash.MakeSeed()

// Keys is a set of strings to look for. Strings can be added while a query runs.
type Keys map[uint32]struct{}

// Add adds a string, quoted as [FieldStrings] and [EncodeField] quote it.
func (k Keys) Add(quoted string) { k[uint32(maphash.String(seed, quoted))] = struct{}{} }

func (k Keys) matchAny(words []uint32) bool {
	for _, w := range words {
		if _, ok := k[w]; ok {
			return true
		}
	}
	return false
}

// UpdateIndex adds the new records of the log to an index.
func (l *Log) UpdateIndex(v *Index) { v.update(l, l.snapshot()) }

// update adds what is new in the log and returns all entries. ok is false if the log cannot be indexed.
func (v *Index) update(l *Log, s state) (lines []indexEntry, words []uint32, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.head != s.head && v.failedAt != s.head && !v.extend(l, s) {
		v.clear(s.head)
	}
	return v.entries, v.keys, v.head == s.head
}

// invalidate clears the index when the log does not have what it leads to.
func (v *Index) invalidate(head Head) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear(head)
}

func (v *Index) clear(head Head) { v.head, v.failedAt, v.entries, v.keys = Head{}, head, nil, nil }

// extend continues after the last indexed record, or begins again if the log does not have that record.
func (v *Index) extend(l *Log, s state) bool {
	i, from, again := 0, int64(0), false // again: the next record read is the last one indexed
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
		r, err := one.header()
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

// sharedKind returns the kind of r as a constant, so that entries do not keep lines in memory.
func sharedKind(r *Record) Kind {
	all := [...]Kind{Commit, Undo, Applied, Abort, Recovered, Denied, Failed, Purge, Rotate}
	if i := slices.Index(all[:], r.Kind); i >= 0 {
		return all[i]
	}
	return r.Kind
}
