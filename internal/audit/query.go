package audit

import (
	"bytes"
	"iter"
	"time"
)

// Query says what is read of the log. The zero value is all of all records.
type Query struct {
	// Before leaves out the record of this number and what is newer, but for what says how the newest transaction before
	// it ended: a reader who goes on at a number has to know. 0 leaves out nothing.
	Before uint64
	// Until may leave out what is more than a day newer, with the same exception: clocks are set back now and then, but not
	// by days.
	Until time.Time
	// Need says how much of a record is needed, by its kind and its line; nil is all of each.
	Need func(k Kind, line []byte) Detail

	// Index, with neither Before nor Until, lets the walk leave out records that are not Always wanted, by their kind, and have
	// none of the Keys. It leaves out nothing of a log that the sieve cannot take in.
	Index  *Index
	Keys   Keys
	Always func(Kind) bool
}

// Detail is how much of a record is read. To take in the whole of one takes ten times as long as to check its hash.
type Detail int

// The parts.
const (
	Full      Detail = iota
	WithActor        // not what was done, and what follows that in the line
	Header           // the number, the time, the kind and the hashes
)

// decode decodes a line as far as it is asked for.
func (q *Query) decode(l line) (*Record, error) {
	if q.Need == nil {
		return l.record()
	}
	body, h, ok := splitHash(l.text)
	if !l.whole || !ok || hash(body) != h {
		return nil, errMalformed
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

// timestamp is the time of a line that [lead] could read.
func timestamp(body []byte) (ts time.Time) {
	_, rest, _ := bytes.Cut(body, []byte(`,"ts":"`))
	text, _, _ := bytes.Cut(rest, []byte{'"'})
	if ts.UnmarshalText(text) != nil {
		return time.Time{}
	}
	return ts
}

// withoutDetails is the line of a record up to what was done. What ends it there is in no string: a quote in one is escaped.
func withoutDetails(body []byte, h string) []byte {
	for _, end := range []string{`,"ops":[`, `,"acts":[`, `,"ok":`} {
		if before, _, ok := bytes.Cut(body, []byte(end)); ok {
			body = before
			break
		}
	}
	return append(bytes.Clone(body), hashPrefix+h+hashSuffix...)
}

// FieldStrings are what the fields of a line have whose names end so, such as `ath":"`, with their quotes. In a string the quotes of a
// name would be escaped.
func FieldStrings(line []byte, field string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			i := bytes.Index(line, []byte(field))
			if i < 0 {
				return
			}
			line = line[i+len(field)-1:]
			end := stringEnd(line)
			if !yield(line[:end]) {
				return
			}
			line = line[end:]
		}
	}
}

// stringEnd is where the string ends that a line begins with.
func stringEnd(line []byte) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(line)
}

// EncodeField is how a line has a field, so that one which has it not can be told without reading it.
func EncodeField(name, value string) []byte {
	return append(append([]byte{'"'}, name...), appendQuoted([]byte(`":`), value)...)
}
