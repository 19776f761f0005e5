package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// disk is a block device in memory: an image, and while it records, the stream of what was done to it.
// Its methods may be called from several goroutines at once.
type disk struct {
	size int64

	mu     sync.Mutex
	img    *image
	rec    bool
	stream []event
	rng    *rand.Rand
}

// event is one thing that happened to a disk: a write, or a flush, or a mark that the rig set.
type event struct {
	kind kind
	off  int64
	data []byte // what was written; nil for zeros
	n    int64  // how many bytes
	done *int   // write: how long the stream was when the disk answered
	mark mark
}

// covered reports whether the flush at index i of the stream makes the write e durable: it was answered before.
func (e event) covered(i int) bool { return e.done == nil || *e.done <= i }

type kind uint8

const (
	write kind = iota
	flush      // everything that was written before it is durable when the next event happens
	note
)

// mark says how far the writer is: so many transactions were begun, and so many answered with success.
type mark struct{ Begun, Acked int }

func newDisk(size int64) *disk {
	return &disk{size: size, img: new(image), rng: rand.New(rand.NewPCG(0, 0))}
}

// load gives the disk another content, and stops the recording.
func (d *disk) load(m *image) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.img, d.rec, d.stream = m, false, nil
}

// record begins to record, and returns the content at that moment.
func (d *disk) record() *image {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rec, d.stream = true, nil
	return d.img.clone()
}

// recorded ends the recording and returns it.
func (d *disk) recorded() []event {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.stream
	for i, e := range s {
		if e.done != nil {
			s[i].done = new(*e.done) // what is answered from now on changes nothing
		}
	}
	d.rec, d.stream = false, nil
	return s
}

func (d *disk) read(p []byte, off int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.img.read(p, off)
}

// write puts p at off. It is recorded piece by piece, since a power cut may keep some blocks of one write only.
// While it records the disk takes its time to answer, as real ones do: a flush that overtakes the answer does not
// make the write durable, and who did not wait for the answer before the flush has made a mistake.
func (d *disk) write(p []byte, off int64) {
	answer, wait := d.begin(p, off)
	time.Sleep(wait)
	d.mu.Lock()
	defer d.mu.Unlock()
	*answer = len(d.stream)
}

func (d *disk) begin(p []byte, off int64) (done *int, wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.img.write(p, off)
	done = new(math.MaxInt)
	if !d.rec {
		return done, 0
	}
	for len(p) > 0 {
		size := min(int64(len(p)), blockSize-off%blockSize)
		d.add(event{kind: write, off: off, data: bytes.Clone(p[:size]), n: size, done: done})
		p, off = p[size:], off+size
	}
	return done, d.delay()
}

// delay is how long a write takes: now and then so long that several flushes can overtake it.
func (d *disk) delay() time.Duration {
	if d.rng.IntN(5) > 0 {
		return time.Duration(d.rng.IntN(500)) * time.Microsecond
	}
	return time.Duration(15+d.rng.IntN(45)) * time.Millisecond
}

// zero makes n bytes at off zeros, as a discard does. It is one event, whatever its size.
func (d *disk) zero(off, n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.img.zero(off, n)
	d.add(event{kind: write, off: off, n: n})
}

func (d *disk) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.add(event{kind: flush})
}

// note marks the stream. What was answered before the mark must outlive every crash after it.
func (d *disk) note(m mark) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.add(event{kind: note, mark: m})
}

func (d *disk) add(e event) {
	if d.rec {
		d.stream = append(d.stream, e)
	}
}

// apply does e to m again.
func (e event) apply(m *image) {
	switch {
	case e.kind != write:
	case e.data == nil:
		m.zero(e.off, e.n)
	default:
		m.write(e.data, e.off)
	}
}

func (e event) overlaps(other event) bool { return e.off < other.off+other.n && other.off < e.off+e.n }
