// Package pack is the format of a pack: many contents of a history in one file, with an index. It makes packs in memory and
// reads them through an [io.ReaderAt]; it opens no files and knows nothing about slots.
//
// A pack is a header, frames, the index and a footer. A frame has several contents, one after the other: what a content has
// in common with those before it in its frame is copied from there (see encode), and the rest is compressed. So the versions
// of a file take little more than their differences, and to read any of them costs one frame, which is bounded. Nothing in a
// frame refers to another one: a frame can be copied to another pack as it is.
//
// Every byte is under a checksum: the index under that of the footer, a frame under that of the index, and each content under
// one of its own. Whatever is damaged is an error, [ErrDamaged], and never other bytes.
package pack

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

const (
	header     = "emend pack 1\n"
	trailer    = "emndpack"
	footerSize = 8 + 8 + sha256.Size + int64(len(trailer))
)

// Bounds of a frame. A frame ends before the content with which it would be longer than maxFrame, or when maxNew bytes of it
// are not copies.
const (
	maxFrame = 8 << 20
	maxNew   = 1 << 20
	// MaxContent is the longest content that a pack takes.
	MaxContent = 4 << 20
)

// ErrDamaged says that a pack does not have the bytes that were written to it.
var ErrDamaged = errors.New("the pack is damaged")

func damaged(what string) error { return fmt.Errorf("%w: %s", ErrDamaged, what) }

// Entry describes one content.
type Entry struct {
	Name     string
	Mode     fs.FileMode // permissions
	UID, GID uint32
	Ino      uint64 // the inode number that the file had
	ModTime  time.Time
	Size     int64
	Stored   int64 // how many bytes the frame has only for this content, before they are compressed
	Sum      [sha256.Size]byte
	frame    int
	start    int64 // in the frame
}

// frame is a part of the file that is compressed as a whole.
type frame struct {
	start, size int64 // in the file
	raw         int64 // size of its contents
	sum         [sha256.Size]byte
}

// Pack is the index of a pack.
type Pack struct {
	// Replaces has the names of the packs whose contents are in this one: they are not needed any more.
	Replaces []string
	Entries  []Entry
	frames   []frame
}

// Read reads the index of a pack of size bytes.
func Read(r io.ReaderAt, size int64) (*Pack, error) {
	if size < int64(len(header))+footerSize {
		return nil, damaged("it is too short")
	}
	head, foot := make([]byte, len(header)), make([]byte, footerSize)
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if _, err := r.ReadAt(foot, size-footerSize); err != nil && err != io.EOF {
		return nil, err
	}
	start, length := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint64(foot[8:])
	rest := uint64(size - int64(len(header)) - footerSize)
	if string(head) != header || string(foot[footerSize-int64(len(trailer)):]) != trailer || length > rest || start != uint64(len(header))+rest-length {
		return nil, damaged("its beginning or its end")
	}
	index := make([]byte, length)
	if _, err := r.ReadAt(index, int64(start)); err != nil && err != io.EOF {
		return nil, err
	}
	if sha256.Sum256(index) != [sha256.Size]byte(foot[16:]) {
		return nil, damaged("its index")
	}
	p, err := parse(index)
	if err == nil && !p.sound(int64(start)) {
		err = damaged("its index contradicts itself")
	}
	return p, err
}

// sound reports whether the frames fill the file up to the index, and every content lies inside of its frame.
func (p *Pack) sound(index int64) bool {
	at := int64(len(header))
	for _, f := range p.frames {
		if f.start != at || f.size < 0 || f.size > index-at || f.raw < 0 || f.raw > maxFrame {
			return false
		}
		at += f.size
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.frame < 0 || e.frame >= len(p.frames) || e.start < 0 || e.Size < 0 || e.Size > p.frames[e.frame].raw-e.start {
			return false
		}
	}
	return at == index
}

// Frame returns the number of the frame that has an entry: entries of one frame are read at the cost of one.
func (e *Entry) Frame() int { return e.frame }

// ReadFrame reads a frame of the pack in r.
func (p *Pack) ReadFrame(r io.ReaderAt, n int) ([]byte, error) {
	f := p.frames[n]
	stored, err := f.read(r)
	if err != nil {
		return nil, err
	}
	if f.sum != sha256.Sum256(stored) {
		return nil, damaged("a frame")
	}
	z := flate.NewReader(bytes.NewReader(stored))
	steps, err := io.ReadAll(io.LimitReader(z, 2*maxFrame))
	if err != nil {
		return nil, damaged("a frame")
	}
	return decode(steps, f.raw)
}

func (f frame) read(r io.ReaderAt) ([]byte, error) {
	stored := make([]byte, f.size)
	if _, err := r.ReadAt(stored, f.start); err != nil && err != io.EOF {
		return nil, err
	}
	return stored, nil
}

// Content returns the content of an entry from its frame.
func (e *Entry) Content(frame []byte) ([]byte, error) {
	if e.start+e.Size > int64(len(frame)) {
		return nil, damaged("a content")
	}
	c := frame[e.start : e.start+e.Size : e.start+e.Size]
	if sha256.Sum256(c) != e.Sum {
		return nil, damaged("a content")
	}
	return c, nil
}

// CheckFrames reads the frames of the pack in r as they are stored: it costs little more than reading the file.
func (p *Pack) CheckFrames(r io.ReaderAt) error {
	for _, f := range p.frames {
		stored, err := f.read(r)
		if err != nil {
			return err
		}
		if f.sum != sha256.Sum256(stored) {
			return damaged("a frame")
		}
	}
	return nil
}

// Check reads the contents of the pack in r that are in the given frames.
func (p *Pack) Check(r io.ReaderAt, frames func(n int) bool) error {
	at, raw := -1, []byte(nil)
	for i := range p.Entries {
		e := &p.Entries[i]
		if !frames(e.frame) {
			continue
		}
		if e.frame != at {
			var err error
			if raw, err = p.ReadFrame(r, e.frame); err != nil {
				return err
			}
			at = e.frame
		}
		if _, err := e.Content(raw); err != nil {
			return err
		}
	}
	return nil
}
