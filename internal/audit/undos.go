package audit

import (
	"bytes"
	"iter"
	"math"
)

// Reversals returns, the oldest first, what the log says after a record, or from its beginning, of changes that came to
// nothing or were taken back: undos, and records of what a crash or a failed sync undid. Lines of other kinds are passed over
// without a look at what they say, so it takes as long as to read the bytes. Not ok: the log does not have the record.
func (l *Log) Reversals(after Head) (records iter.Seq[*Record], ok bool) {
	s := l.snapshot()
	i, from := 0, int64(0)
	if after.Seq > 0 && after != s.head {
		at, ok := l.seek(s, func(r *Record) bool { return r.Seq >= after.Seq })
		if !ok || at.record.head() != after {
			return nil, false
		}
		i, from = at.index, at.end
	} else if after.Seq > 0 {
		i, from = len(s.segmentsToHead())-1, math.MaxInt64
	}
	return func(yield func(*Record) bool) {
		for n, at := i, from; n < len(s.segmentsToHead()); n, at = n+1, 0 {
			if !l.reversalsIn(s, n, at, yield) {
				return
			}
		}
	}, true
}

func (l *Log) reversalsIn(s state, i int, from int64, yield func(*Record) bool) bool {
	f, size, err := l.openCounted(s, i)
	if err != nil {
		return true // who reads it all says so
	}
	defer f.Close()
	for lines := newForwardLines(f, min(from, size), size); ; {
		one, more, err := lines.next()
		if err != nil || !more {
			return true
		}
		switch kindOf(one.text) {
		case Undo, Abort, Recovered:
		case Rotate:
			if !bytes.Contains(one.text, []byte(`,"void":"`)) {
				continue
			}
		default:
			continue
		}
		if r, err := one.record(); err == nil && !yield(r) {
			return false
		}
	}
}

// kindOf is what a line says of its kind.
func kindOf(text []byte) Kind {
	_, rest, _ := bytes.Cut(text[:min(len(text), 256)], []byte(`","kind":"`))
	k, _, _ := bytes.Cut(rest, []byte{'"'})
	return Kind(k)
}
