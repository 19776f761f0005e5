package audit

import (
	"bytes"
	"iter"
	"time"
)

// FieldStrings returns the quoted values of the fields whose names end with field, such as `ath":"`. A match cannot lie
// inside a string, where quotes are escaped.
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

// stringEnd returns where the string ends that a line begins with.
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

// EncodeField returns a field as a line has it, so that a line without it can be skipped without decoding.
func EncodeField(name, value string) []byte {
	return append(append([]byte{'"'}, name...), appendQuoted([]byte(`":`), value)...)
}

// TxOf returns the transaction that a line names, "" for none.
func TxOf(line []byte) string {
	_, rest, _ := bytes.Cut(line, []byte(`,"tx":"`))
	tx, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(tx)
}

// timestamp returns the time in a line that [parseHeader] could read.
func timestamp(body []byte) (ts time.Time) {
	_, rest, _ := bytes.Cut(body, []byte(`,"ts":"`))
	text, _, _ := bytes.Cut(rest, []byte{'"'})
	if ts.UnmarshalText(text) != nil {
		return time.Time{}
	}
	return ts
}

// withoutDetails returns the line without ops, acts and what follows them. The patterns that end it cannot occur inside
// a string, where quotes are escaped.
func withoutDetails(body []byte, h string) []byte {
	for _, end := range []string{`,"ops":[`, `,"acts":[`, `,"ok":`} {
		if before, _, ok := bytes.Cut(body, []byte(end)); ok {
			body = before
			break
		}
	}
	return append(bytes.Clone(body), hashPrefix+h+hashSuffix...)
}
