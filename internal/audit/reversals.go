package audit

import (
	"bytes"
	"iter"
	"math"
)

// Reversals returns, oldest first, the records after a given one, or all for the zero Head, that cancel changes: undos,
// and records of what a crash, an abort or a failed sync cancelled. Other lines are skipped without decoding, so this
// takes as long as reading the bytes. ok is false if the log does not have the record after.
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
