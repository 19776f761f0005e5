package pack

import (
	"encoding/binary"
	"io/fs"
	"time"
)

// bytes of the index: lists, each with its length first; numbers in the format of encoding/binary's varints.

func (p *Pack) appendIndex(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.Replaces)))
	for _, name := range p.Replaces {
		b = appendText(b, name)
	}
	b = binary.AppendUvarint(b, uint64(len(p.frames)))
	for _, f := range p.frames {
		b = appendNumbers(b, f.start, f.size, f.raw)
		b = append(b, f.sum[:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(p.Entries)))
	for i := range p.Entries {
		e := &p.Entries[i]
		b = appendText(b, e.Name)
		b = appendNumbers(b, int64(e.Mode), int64(e.UID), int64(e.GID), int64(e.Ino), e.ModTime.Unix(), int64(e.ModTime.Nanosecond()),
			e.Size, e.Stored, int64(e.frame), e.start)
		b = append(b, e.Sum[:]...)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendNumbers(b []byte, all ...int64) []byte {
	for _, n := range all {
		b = binary.AppendVarint(b, n)
	}
	return b
}

// parse reads what appendIndex wrote.
func parse(b []byte) (*Pack, error) {
	r := &indexReader{b: b}
	p := &Pack{}
	for range r.count() {
		p.Replaces = append(p.Replaces, r.text())
	}
	for range r.count() {
		f := frame{start: r.number(), size: r.number(), raw: r.number()}
		copy(f.sum[:], r.take(len(f.sum)))
		p.frames = append(p.frames, f)
	}
	for range r.count() {
		e := Entry{Name: r.text(), Mode: fs.FileMode(r.number()), UID: uint32(r.number()), GID: uint32(r.number()), Ino: uint64(r.number()),
			ModTime: time.Unix(r.number(), r.number()), Size: r.number(), Stored: r.number(), frame: int(r.number()), start: r.number()}
		copy(e.Sum[:], r.take(len(e.Sum)))
		p.Entries = append(p.Entries, e)
	}
	if r.bad || len(r.b) > 0 {
		return nil, damaged("its index cannot be read")
	}
	return p, nil
}

// indexReader reads an index. After the first mistake it is bad, and everything is zero.
type indexReader struct {
	b   []byte
	bad bool
}

func (r *indexReader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.b, r.bad = nil, true
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// count reads the length of a list. Each of its items takes a byte or more.
func (r *indexReader) count() int {
	n, size := binary.Uvarint(r.b)
	r.take(size)
	if size <= 0 || n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return 0
	}
	return int(n)
}

func (r *indexReader) number() int64 {
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.take(size)
	return n
}

func (r *indexReader) text() string { return string(r.take(r.count())) }
