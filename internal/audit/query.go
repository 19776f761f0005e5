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
	// Much says how much of a record is needed, by its kind and its line; nil is all of each.
	Much func(k Kind, line []byte) Part

	// Sieve, with neither Before nor Until, lets the walk leave out records that are not Always wanted, by their kind, and have
	// none of the Keys. It leaves out nothing of a log that the sieve cannot take in.
	Sieve  *Sieve
	Keys   Keys
	Always func(Kind) bool
}

// Part is how much of a record is read. To take in the whole of one takes ten times as long as to check its hash.
type Part int

// The parts.
const (
	Whole Part = iota
	Who        // not what was done, and what follows that in the line
	Mark       // the number, the time, the kind and the hashes
)

// read decodes a line as far as it is asked for.
func (q *Query) read(l line) (*Record, error) {
	if q.Much == nil {
		return l.record()
	}
	body, h, ok := cutHash(l.text)
	if !l.whole || !ok || hash(body) != h {
		return nil, errShape
	}
	r, ok := lead(body)
	if !ok {
		return parse(l.text, h)
	}
	switch q.Much(r.Kind, l.text) {
	case Mark:
		r.H, r.TS = h, stamp(body)
		return r, nil
	case Who:
		return parse(who(body, h), h)
	}
	return parse(l.text, h)
}

// stamp is the time of a line that [lead] could read.
func stamp(body []byte) (ts time.Time) {
	_, rest, _ := bytes.Cut(body, []byte(`,"ts":"`))
	text, _, _ := bytes.Cut(rest, []byte{'"'})
	if ts.UnmarshalText(text) != nil {
		return time.Time{}
	}
	return ts
}

// who is the line of a record up to what was done. What ends it there is in no string: a quote in one is escaped.
func who(body []byte, h string) []byte {
	for _, end := range []string{`,"ops":[`, `,"acts":[`, `,"ok":`} {
		if before, _, ok := bytes.Cut(body, []byte(end)); ok {
			body = before
			break
		}
	}
	return append(bytes.Clone(body), hashLead+h+hashEnd...)
}

// Strings are what the fields of a line have whose names end so, such as `ath":"`, with their quotes. In a string the quotes of a
// name would be escaped.
func Strings(line []byte, field string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			i := bytes.Index(line, []byte(field))
			if i < 0 {
				return
			}
			line = line[i+len(field)-1:]
			end := quoteEnd(line)
			if !yield(line[:end]) {
				return
			}
			line = line[end:]
		}
	}
}

// quoteEnd is where the string ends that a line begins with.
func quoteEnd(line []byte) int {
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

// Field is how a line has a field, so that one which has it not can be told without reading it.
func Field(name, value string) []byte {
	return append(append([]byte{'"'}, name...), quote([]byte(`":`), value)...)
}
