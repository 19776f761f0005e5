package main

import (
	"hash/maphash"
	"maps"
)

const blockSize = 4096

// block is one block of a disk. It never changes once an image has it, so images can share it.
type block struct {
	data [blockSize]byte
	sum  uint64
}

// image is the content of a disk. Blocks that it does not have are all zeros. The zero image is an empty disk.
type image struct {
	blocks map[int64]*block
	sum    uint64 // of all blocks, in any order; two images with the same sum are equal
}

// clone returns a copy that can change independently. They share blocks.
func (m *image) clone() *image {
	return &image{blocks: maps.Clone(m.blocks), sum: m.sum}
}

// read fills p with the bytes at off.
func (m *image) read(p []byte, off int64) {
	for len(p) > 0 {
		n, from := off/blockSize, off%blockSize
		size := min(int64(len(p)), blockSize-from)
		if b := m.blocks[n]; b != nil {
			copy(p[:size], b.data[from:])
		} else {
			clear(p[:size])
		}
		p, off = p[size:], off+size
	}
}

// write writes p at off. It may span blocks.
func (m *image) write(p []byte, off int64) {
	for len(p) > 0 {
		n, from := off/blockSize, off%blockSize
		size := min(int64(len(p)), blockSize-from)
		b := new(block)
		if old := m.blocks[n]; old != nil && size < blockSize {
			b.data = old.data
		}
		copy(b.data[from:], p[:size])
		m.set(n, b)
		p, off = p[size:], off+size
	}
}

// zero clears n bytes at off.
func (m *image) zero(off, n int64) {
	for n > 0 {
		from := off % blockSize
		size := min(n, blockSize-from)
		if m.blocks[off/blockSize] != nil {
			m.write(make([]byte, size), off)
		}
		off, n = off+size, n-size
	}
}

var (
	sumSeed = maphash.MakeSeed()
	zeros   [blockSize]byte
)

// set gives block n the content of b. Blocks of zeros are not stored.
func (m *image) set(n int64, b *block) {
	if m.blocks == nil {
		m.blocks = map[int64]*block{}
	}
	if old := m.blocks[n]; old != nil {
		m.sum ^= old.sum
	}
	if b.data == zeros {
		delete(m.blocks, n)
		return
	}
	b.sum = maphash.Comparable(sumSeed, struct {
		n    int64
		data [blockSize]byte
	}{n, b.data})
	m.sum ^= b.sum
	m.blocks[n] = b
}
