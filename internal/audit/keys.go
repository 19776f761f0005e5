package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
)

// KeyKind is what a record can be found by. The numbers are on disk: they never change, and a kind that is added gets the
// next one, up to 15.
type KeyKind byte

// The kinds of keys.
const (
	ByPath     KeyKind = iota + 1 // a path in the record, or a directory above one
	BySum                         // a sha256
	BySession                     // who asked
	ByAgent                       //
	ByClient                      //
	ByTool                        //
	ByTx                          // the transaction that the record decides or ends
	ByTxPrefix                    // how the name of the decided transaction begins: see [TxPrefix]
	ByUndone                      // a transaction that the record undoes, or a part of it
	ByIdem                        // the idempotency key
)

// indexKey is a kind in the upper four bits and 60 bits of a hash of a value. Two values with one key cost a look at a record
// that does not have the value.
type indexKey uint64

// keyOf returns the key of a value as a line spells it, without its quotes.
func keyOf(kind KeyKind, spelled []byte) indexKey {
	h := sha256.Sum256(spelled)
	return indexKey(kind)<<60 | indexKey(binary.BigEndian.Uint64(h[:])>>4)
}

// Keys is a set of keys to look for. Keys can be added and removed while a query runs.
type Keys map[indexKey]struct{}

// valueKey returns the key of a value.
func valueKey(kind KeyKind, value string) indexKey {
	return keyOf(kind, inner(appendQuoted(nil, value)))
}

// Add adds a value.
func (k Keys) Add(kind KeyKind, value string) { k[valueKey(kind, value)] = struct{}{} }

// Remove removes a value.
func (k Keys) Remove(kind KeyKind, value string) { delete(k, valueKey(kind, value)) }

// AddQuoted adds a value that is quoted as [EncodeField] quotes it.
func (k Keys) AddQuoted(kind KeyKind, quoted string) {
	k[keyOf(kind, inner([]byte(quoted)))] = struct{}{}
}

// inner returns a quoted string without its quotes.
func inner(quoted []byte) []byte { return quoted[1:max(1, len(quoted)-1)] }

// prefixLengths are those of the indexed beginnings of a transaction's name: month, day, hour and minute.
var prefixLengths = []int{6, 8, 11, 13}

// TxPrefix returns the longest indexed beginning of the beginning of a name; "" if that is shorter than six characters.
func TxPrefix(begins string) string {
	for _, n := range slices.Backward(prefixLengths) {
		if len(begins) >= n {
			return begins[:n]
		}
	}
	return ""
}

// valueFields are the endings of the names of the fields whose string is a key as it is.
var valueFields = []struct {
	field string
	kind  KeyKind
}{
	{`256":"`, BySum}, {`"session":"`, BySession}, {`"agent":"`, ByAgent}, {`"client":"`, ByClient}, {`"tool":"`, ByTool},
	{`"tx":"`, ByTx}, {`,"idem":"`, ByIdem},
}

// keysOf returns the keys of a line of a kind, each once.
func keysOf(k Kind, line []byte, out []indexKey) []indexKey {
	out = out[:0]
	for _, field := range []string{`ath":"`, `"to":"`} {
		for quoted := range FieldStrings(line, field) {
			out = appendPathKeys(out, inner(quoted))
		}
	}
	for _, f := range valueFields {
		for quoted := range FieldStrings(line, f.field) {
			value := inner(quoted)
			out = append(out, keyOf(f.kind, value))
			if f.kind == ByTx && k.isCommit() {
				for _, n := range prefixLengths {
					out = append(out, keyOf(ByTxPrefix, value[:min(n, len(value))]))
				}
			}
		}
	}
	for quoted := range listStrings(line, `"undoes":[`) {
		out = append(out, keyOf(ByUndone, inner(quoted)))
	}
	if k == Undo {
		for quoted := range FieldStrings(line, `"entry":"`) {
			out = append(out, keyOf(ByUndone, inner(quoted)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// appendPathKeys appends the keys of a path and of the directories above it.
func appendPathKeys(out []indexKey, path []byte) []indexKey {
	for end := len(path); end > 0; end = bytes.LastIndexByte(path[:end], '/') {
		out = append(out, keyOf(ByPath, path[:end]))
	}
	return out
}

// listStrings returns the quoted strings of the list that a field has.
func listStrings(line []byte, field string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		_, rest, _ := bytes.Cut(line, []byte(field))
		for len(rest) > 0 && rest[0] == '"' {
			end := stringEnd(rest)
			if !yield(rest[:end]) {
				return
			}
			rest = bytes.TrimPrefix(rest[end:], []byte{','})
		}
	}
}
