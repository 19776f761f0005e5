package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// disk is a block device in memory: an image and, while it records, the stream of events. Its methods may be called from
// several goroutines at once.
type disk struct {
	size int64

	mu     sync.Mutex
	img    *image
	rec    bool
	stream []event
	rng    *rand.Rand
}

// event is a write, a flush, or a mark that the test set.
type event struct {
	kind kind
	off  int64
	data []byte // nil for zeros
	n    int64  // in bytes
	done *int   // write: length of the stream when the disk answered
	mark mark
}

// covered reports whether the flush at index i of the stream makes the write e durable: the disk had answered e before.
func (e event) covered(i int) bool { return e.done == nil || *e.done <= i }

type kind uint8

const (
	write kind = iota
	flush      // makes everything that was answered before durable, from the next event on
	note
)

// mark is the progress of the writer: the numbers of transactions that were begun and that were acknowledged.
type mark struct{ Begun, Acked int }

func newDisk(size int64) *disk {
	return &disk{size: size, img: new(image), rng: rand.New(rand.NewPCG(0, 0))}
}

// load replaces the content of the disk, and stops the recording.
func (d *disk) load(m *image) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.img, d.rec, d.stream = m, false, nil
}

// record starts a recording, and returns the content at that moment.
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
			s[i].done = new(*e.done) // later answers change nothing
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

// write writes p at off. It records each block as an event, since a power cut may keep some blocks of a write only. While it
// records, the disk delays its answer, as real disks do. A flush that overtakes the answer does not make the write durable: a
// writer that flushes without waiting for the answer has a bug.
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

// delay returns the duration of a write. Now and then it is long enough for several flushes to overtake it.
func (d *disk) delay() time.Duration {
	if d.rng.IntN(5) > 0 {
		return time.Duration(d.rng.IntN(500)) * time.Microsecond
	}
	return time.Duration(15+d.rng.IntN(45)) * time.Millisecond
}

// zero clears n bytes at off, as a discard does. It is one event, whatever its size.
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

// note adds a mark. What was acknowledged before the mark must survive every later crash.
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

// apply applies e to m.
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
