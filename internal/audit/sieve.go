package audit

import (
	"hash/maphash"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// Sieve keeps in memory where each record of a log is, and of each a number for every path, hash, session and transaction that it
// names: with it [Log.Back] goes to the few records that have one of some, where it would read all. The zero value is empty. It
// has seen every line whole and in its place; of a log in which one is not, or the end of a segment is in doubt, it knows
// nothing, and that is read line by line. A record that it leads to has to be the one that it saw.
type Sieve struct {
	mu    sync.Mutex
	at    Head // it knows the log up to here
	off   Head // up to here it could not be taken in
	lines []sifted
	words []uint32
}

// sifted is one record.
type sifted struct {
	seq   uint64
	h     uint64 // of its hash
	kind  Kind
	start int64
	size  int
	seg   int32 // the number of its segment
	words int32 // where its words end
}

// is reports whether r is that record.
func (m *sifted) is(r *Record) bool { return r.Seq == m.seq && maphash.String(seed, r.H) == m.h }

// maxWords is how many words a sieve keeps at most; of a log that has more it knows nothing.
var maxWords = 8 << 20

// wordsOf are the fields whose strings count, by the ends of their names: path and toPath; sha256, beforeSha256 and afterSha256.
var wordsOf = []string{`ath":"`, `"to":"`, `256":"`, `"session":"`, `"tx":"`}

var seed = maphash.MakeSeed()

// Keys are strings of the log, quotes and all. More can be added while a walk goes on.
type Keys map[uint32]struct{}

// Add adds a string as [Field] writes it.
func (k Keys) Add(quoted string) { k[uint32(maphash.String(seed, quoted))] = struct{}{} }

func (k Keys) any(words []uint32) bool {
	for _, w := range words {
		if _, ok := k[w]; ok {
			return true
		}
	}
	return false
}

// Sift lets a sieve take in what is new.
func (l *Log) Sift(v *Sieve) { v.take(l, l.snapshot()) }

// take takes in what is new in the log, and returns all; not ok when it cannot be.
func (v *Sieve) take(l *Log, s state) (lines []sifted, words []uint32, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.at != s.head && v.off != s.head && !v.more(l, s) {
		v.drop(s.head)
	}
	return v.lines, v.words, v.at == s.head
}

// forget is for when the log has not what it led to.
func (v *Sieve) forget(head Head) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.drop(head)
}

func (v *Sieve) drop(head Head) { v.at, v.off, v.lines, v.words = Head{}, head, nil, nil }

// more goes on from where it ended last, or begins anew when the log does not have that.
func (v *Sieve) more(l *Log, s state) bool {
	i, from, again := 0, int64(0), false // again: the first record to come is the one that it knows last
	if v.at.Seq > 0 {
		at, ok := l.seek(s, func(r *Record) bool { return r.Seq >= v.at.Seq })
		switch {
		case !ok || at.top.head() != v.at:
			v.drop(Head{})
		case at.start == math.MaxInt64: // the first of the next segment
			i, again = at.seg+1, true
		default:
			i, from = at.seg, at.end
		}
	}
	for n := i; n < len(s.filled()); n, from, again = n+1, 0, false {
		if !v.segment(l, s, n, from, again) {
			return false
		}
	}
	return v.at == s.head
}

func (v *Sieve) segment(l *Log, s state, i int, from int64, again bool) bool {
	f, size, err := l.sized(s, i)
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := newForward(f, min(from, size), size); ; {
		one, more, err := lines.next()
		if err != nil || !more {
			return err == nil
		}
		r, err := marks.read(one)
		if err == nil && r.Kind == Rotate {
			r, err = one.record()
		}
		switch {
		case err != nil || r.unsure():
			return false
		case again:
			if again = false; r.head() != v.at {
				return false
			}
		case v.at.Seq > 0 && (r.Seq != v.at.Seq+1 || r.Prev != v.at.H) || len(v.words) > maxWords:
			return false
		default:
			v.line(r, one, s.filled()[i])
		}
	}
}

func (v *Sieve) line(r *Record, one line, seg int) {
	first := len(v.words)
	for _, field := range wordsOf {
		for quoted := range Strings(one.text, field) {
			w := uint32(maphash.Bytes(seed, quoted))
			if n := len(v.words); n == first || v.words[n-1] != w {
				v.words = append(v.words, w)
			}
		}
	}
	v.at = r.head()
	v.lines = append(v.lines, sifted{r.Seq, maphash.String(seed, r.H), kindOf(r), one.start, int(one.end - one.start), int32(seg), int32(len(v.words))})
}

// kindOf is the kind of r, as one string for all of a kind.
func kindOf(r *Record) Kind {
	all := [...]Kind{Commit, Undo, Applied, Abort, Recovered, Denied, Failed, Purge, Rotate}
	if i := slices.Index(all[:], r.Kind); i >= 0 {
		return all[i]
	}
	return r.Kind
}

// sifted is Back along a sieve; not ok, and nothing yielded, when that does not know the log.
func (l *Log) sifted(s state, q *Query, yield func(*Record, error) bool) (ok bool) {
	lines, words, ok := q.Sieve.take(l, s)
	if !ok {
		return false
	}
	open := segmentsOpen{dir: l.dir}
	defer open.close()
	for i := len(lines) - 1; i >= 0; i-- {
		first := int32(0)
		if i > 0 {
			first = lines[i-1].words
		}
		if m := &lines[i]; q.Always(m.kind) || q.Keys.any(words[first:m.words]) {
			r, err := open.read(m, q)
			if err != nil || !m.is(r) {
				q.Sieve.forget(s.head)
				l.rest(m.seq, q, yield)
				return true
			}
			if !yield(r, nil) {
				return true
			}
		}
	}
	return true
}

// rest goes on without a sieve, with the record of a number.
func (l *Log) rest(seq uint64, q *Query, yield func(*Record, error) bool) {
	for r, err := range l.Back(Query{Before: seq + 1, Much: q.Much}) {
		if (r == nil || r.Seq <= seq) && !yield(r, err) {
			return
		}
	}
}

// segmentsOpen is the segment that was read last, which mostly is read next.
type segmentsOpen struct {
	dir vfs.Dir
	n   int32
	f   vfs.File
}

func (o *segmentsOpen) close() {
	if o.f != nil {
		o.f.Close()
	}
}

func (o *segmentsOpen) read(m *sifted, q *Query) (*Record, error) {
	if o.n != m.seg {
		o.close()
		var err error
		if o.f, _, err = openSegment(o.dir, int(m.seg)); err != nil {
			o.f = nil
			return nil, err
		}
		o.n = m.seg
	}
	l := line{text: make([]byte, m.size), start: m.start, end: m.start + int64(m.size)}
	if _, err := io.ReadFull(io.NewSectionReader(o.f, m.start, int64(m.size)), l.text); err != nil {
		return nil, err
	}
	if l.whole = l.text[m.size-1] == '\n'; l.whole {
		l.text = l.text[:m.size-1]
	}
	return q.read(l)
}
