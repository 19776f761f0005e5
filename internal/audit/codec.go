package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A line ends with the hash of the rest of the line: hashPrefix, 64 hex digits, hashSuffix.
const (
	hashPrefix = `,"h":"`
	hashSuffix = `"}`
	hashedTail = len(hashPrefix) + 2*sha256.Size + len(hashSuffix)
)

var (
	errMalformed    = errors.New("it is no whole record")
	errHashMismatch = errors.New("it does not match its hash")
)

// encode sets r.H and returns the line, with its newline.
func encode(r *Record) ([]byte, error) {
	if bad, ok := invalidString(r); ok {
		return nil, fmt.Errorf("the log takes only valid UTF-8, and %.200q is not", bad)
	}
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	r.H = hash(body)
	return append(body, hashPrefix+r.H+hashSuffix+"\n"...), nil
}

// hash returns the hash of the line that consists of body and a closing brace.
func hash(body []byte) string {
	h := sha256.New()
	h.Write(body)
	h.Write([]byte{'}'})
	return hex.EncodeToString(h.Sum(nil))
}

// invalidString returns a string of r that is not valid UTF-8. JSON would replace the bad bytes silently.
func invalidString(r *Record) (string, bool) {
	all := []string{r.Prev, string(r.Kind), r.Tx, r.Idem, r.Request, r.Dialect, r.Actor.Client, r.Actor.Session, r.Actor.Agent,
		r.Actor.Tool, r.Actor.Call, r.Actor.Turn, r.PolicyHash, r.ErrorKind, r.Message, r.Void, r.Since}
	all = append(all, r.Undoes...)
	for _, p := range r.Parts {
		all = append(all, p.Entry, p.Path)
	}
	if r.Asked != nil {
		all = append(append(all, r.Asked.By), r.Asked.Paths...)
	}
	if s := r.Seen; s != nil {
		all = append(append(all, s.Command, s.Result), s.Others...)
	}
	if r.Dropped != nil {
		all = append(all, r.Dropped.Last, r.Dropped.Rule)
	}
	for _, o := range r.Ops {
		all = append(all, o.Operation, o.Path, o.ToPath, o.Before, o.After, o.Unasked, o.NoUndo)
		for _, h := range o.Hunks {
			all = append(all, h.Rung)
		}
		for _, k := range o.Keys {
			all = append(all, k.Kind)
		}
	}
	for _, a := range r.Acts {
		all = append(all, string(a.Do), a.Path, a.To, a.From)
		for _, i := range []*Ident{a.Old, a.New} {
			if i != nil {
				all = append(all, i.Sum)
			}
		}
	}
	for _, s := range all {
		if !utf8.ValidString(s) {
			return s, true
		}
	}
	return "", false
}

// decode reads a line without its newline. It checks the hash first, and never interprets a line that does not match
// its hash.
func decode(line []byte) (*Record, error) {
	body, h, ok := splitHash(line)
	if !ok {
		return nil, errMalformed
	}
	if hash(body) != h {
		return nil, errHashMismatch
	}
	return parse(line, h)
}

// ParseLine reads a line of a log, without its newline, if it matches its hash.
func ParseLine(line []byte) (*Record, error) { return decode(line) }

// parse reads a line whose hash is h.
func parse(line []byte, h string) (*Record, error) {
	r, ok := scanRecord(line)
	if !ok {
		r = new(Record)
		if err := json.Unmarshal(line, r); err != nil {
			return nil, errors.Join(errMalformed, err)
		}
	}
	if r.H != h {
		return nil, errMalformed
	}
	if r.V != versionOf(r) {
		return nil, &Unsupported{Seq: r.Seq, Version: r.V}
	}
	if !isKnown(r.Kind) || r.Seq == 0 {
		return nil, errMalformed
	}
	return r, nil
}

// parseHeader reads the first fields of a line, which link it into the chain, if they are written as [encode] writes
// them. To parse the whole line takes a hundred times as long.
func parseHeader(body []byte) (*Record, bool) {
	rest, ok := bytes.CutPrefix(body, []byte(`{"v":1,"seq":`))
	v := version
	if !ok {
		v = groupVersion
		rest, ok = bytes.CutPrefix(body, []byte(`{"v":3,"seq":`))
	}
	if !ok {
		v = dirVersion
		rest, ok = bytes.CutPrefix(body, []byte(`{"v":4,"seq":`))
	}
	number, rest, more := bytes.Cut(rest, []byte(`,"ts":"`))
	_, rest, dated := bytes.Cut(rest, []byte(`","prev":"`))
	prev, rest, chained := bytes.Cut(rest, []byte(`","kind":"`))
	kind, rest, ends := bytes.Cut(rest, []byte{'"'})
	seq, err := strconv.ParseUint(string(number), 10, 64)
	r := &Record{V: v, Seq: seq, Prev: string(prev), Kind: Kind(kind)}
	if rest, grouped := bytes.CutPrefix(rest, []byte(`,"group":`)); grouped && err == nil {
		digits, _, _ := bytes.Cut(rest, []byte{','})
		r.Group, err = strconv.Atoi(string(digits))
	}
	return r, ok && more && dated && chained && ends && err == nil && seq > 0 && v == versionOf(r) && isKnown(r.Kind) && (r.Prev == "" || isHash(r.Prev))
}

func isKnown(k Kind) bool {
	switch k {
	case Denied, Failed, Purge, Rotate, Drop:
		return true
	}
	return k.isCommit() || k.isEnd()
}

// splitHash splits a line into the part that is hashed, without its closing brace, and the hash.
func splitHash(line []byte) (body []byte, h string, ok bool) {
	if len(line) < hashedTail {
		return nil, "", false
	}
	body, end := line[:len(line)-hashedTail], string(line[len(line)-hashedTail:])
	h, lead := strings.CutPrefix(end, hashPrefix)
	h, tail := strings.CutSuffix(h, hashSuffix)
	return body, h, lead && tail && isHash(h)
}
