package audit

import (
	"time"
)

// Query selects what to read of the log. The zero value reads all of every record.
type Query struct {
	// Before leaves out this record and newer ones. 0 leaves out nothing.
	Before uint64
	// Until may leave out records that are more than a day newer. Clocks are set back now and then, but not by days.
	Until time.Time
	// Keys, unless nil, lets the query skip records that have none of the keys, wherever an index says so. It may be added to
	// while the query runs; what is before the record yielded last is then found by the new key too. A key that is removed may be
	// looked for still.
	Keys Keys
	// Need says how much of a record to decode, given its kind and its line. nil decodes all of each.
	Need func(k Kind, line []byte) Detail
	// Learn gets records that are read and left out, since they may say what became of older ones. [Walk.End] and [Walk.Undos]
	// know of those that are not read.
	Learn func(*Record)
}

// Detail says how much of a record is decoded. To decode all of one takes ten times as long as to check its hash.
type Detail int

// The details.
const (
	Full      Detail = iota
	WithActor        // the fields before ops, acts and ok
	Header           // number, time, kind and hashes only
)

// decode decodes a line as far as the query needs.
func (q *Query) decode(l line) (*Record, error) {
	if q.Need == nil {
		return l.record()
	}
	body, h, err := l.checked()
	if err != nil {
		return nil, err
	}
	r, ok := parseHeader(body)
	if !ok {
		return parse(l.text, h)
	}
	switch q.Need(r.Kind, l.text) {
	case Header:
		r.H, r.TS = h, timestamp(body)
		return r, nil
	case WithActor:
		return parse(withoutDetails(body, h), h)
	}
	return parse(l.text, h)
}
