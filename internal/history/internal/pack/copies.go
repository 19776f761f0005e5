package pack

import (
	"bytes"
	"encoding/binary"
)

// The contents of a frame are written as steps: a number n, twice, plus 1 for a copy. A copy takes n bytes from the position
// that follows; otherwise the n bytes themselves follow. A copy ends before the content begins that it is for.
//
// Copies are found by blocks: a table has, for the hash of each block of the earlier contents, where the block was last. At
// each position of a content the hash of the next block is looked up, and the copy extended in both directions. The hash
// rolls, so looking it up costs the same for each byte, and what a copy covers is only compared.

const (
	block     = 32
	tableBits = 17
	factor    = 0x9e3779b1 // any large odd number serves
)

// outFactor is what the first byte of a block has in its hash: factor to the power of block-1.
var outFactor = func() uint32 {
	p := uint32(1)
	for range block - 1 {
		p *= factor
	}
	return p
}()

// encoder writes the steps of one frame.
type encoder struct {
	raw   []byte
	steps []byte
	table []int32 // by hash, the position after the beginning of a block; 0 for none
	first int     // size of the first content
}

func (e *encoder) reset() {
	e.raw, e.steps, e.first = e.raw[:0], e.steps[:0], 0
	clear(e.table)
}

// add writes a content.
func (e *encoder) add(content []byte) {
	if e.table == nil {
		e.table = make([]int32, 1<<tableBits)
	}
	start := len(e.raw)
	if start == 0 {
		e.first = len(content)
	}
	e.raw = append(e.raw, content...)
	written := start // what is before it has its step
	if start > 0 {
		for at := start; at+block <= len(e.raw); {
			from, to, n := e.nextCopy(at, start, written)
			if n == 0 {
				break
			}
			e.write(e.raw[written:to])
			e.steps = binary.AppendUvarint(e.steps, uint64(n)<<1|1)
			e.steps = binary.AppendUvarint(e.steps, uint64(from))
			at = to + n
			written = at
		}
	}
	e.write(e.raw[written:])
	for at := start; at+block <= len(e.raw); at += block {
		e.table[slot(hash(e.raw[at:at+block]))] = int32(at + 1)
	}
}

func (e *encoder) write(p []byte) {
	if len(p) > 0 {
		e.steps = append(binary.AppendUvarint(e.steps, uint64(len(p))<<1), p...)
	}
}

// nextCopy finds the next copy at or after at: n bytes from from, before start, are also at to, after written. n is 0 if there
// is none.
func (e *encoder) nextCopy(at, start, written int) (from, to, n int) {
	raw := e.raw
	for h := hash(raw[at : at+block]); ; at++ {
		if from = int(e.table[slot(h)]) - 1; from >= 0 && bytes.Equal(raw[from:from+block], raw[at:at+block]) {
			n = block
			for at+n < len(raw) && from+n < start && raw[from+n] == raw[at+n] {
				n++
			}
			for at > written && from > 0 && raw[from-1] == raw[at-1] {
				from, at, n = from-1, at-1, n+1
			}
			return from, at, n
		}
		if at+block == len(raw) {
			return 0, 0, 0
		}
		h = (h-uint32(raw[at])*outFactor)*factor + uint32(raw[at+block])
	}
}

func hash(p []byte) (h uint32) {
	for _, c := range p {
		h = h*factor + uint32(c)
	}
	return h
}

// slot spreads hashes, which differ most in their low bits, over the table.
func slot(h uint32) uint32 { return h * 0x85ebca6b >> (32 - tableBits) }

// decode makes the size bytes that steps describe.
func decode(steps []byte, size int64) ([]byte, error) {
	out := make([]byte, 0, size)
	for len(steps) > 0 {
		n, used := binary.Uvarint(steps)
		if used <= 0 {
			return nil, damaged("a frame")
		}
		steps = steps[used:]
		isCopy := n&1 == 1
		n >>= 1
		if n > uint64(size)-uint64(len(out)) || !isCopy && n > uint64(len(steps)) {
			return nil, damaged("a frame")
		}
		if !isCopy {
			out, steps = append(out, steps[:n]...), steps[n:]
			continue
		}
		from, used := binary.Uvarint(steps)
		if used <= 0 || from > uint64(len(out)) || n > uint64(len(out))-from {
			return nil, damaged("a frame")
		}
		out, steps = append(out, out[from:from+n]...), steps[used:]
	}
	if int64(len(out)) != size {
		return nil, damaged("a frame")
	}
	return out, nil
}
