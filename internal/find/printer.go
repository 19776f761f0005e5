package find

import (
	"bytes"
	"io"
	"sync"
)

// printBytes is how much is printed into one piece of memory.
const printBytes = 256 << 10

// printer writes, in order, what goroutines have printed. They do not wait for the writing, unless too much is queued.
type printer struct {
	w       io.Writer
	writing sync.Mutex // held while the queue is written
	failed  error

	mu    sync.Mutex
	queue [][]byte
	size  int
	free  [][]byte // memory to use again
}

// maxQueued is how many bytes may wait to be written.
const maxQueued = 8 << 20

// add queues texts, which belong to the printer from now on.
func (p *printer) add(texts [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, texts...)
	for _, text := range texts {
		p.size += len(text)
	}
}

// buffer returns memory to print into.
func (p *printer) buffer() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.free) - 1
	if last < 0 {
		return make([]byte, 0, printBytes+printBytes/64)
	}
	b := p.free[last]
	p.free = p.free[:last]
	return b
}

// flushReady writes what is queued, unless another goroutine does. It reports false if nothing more can be written.
func (p *printer) flushReady() bool {
	p.mu.Lock()
	full, empty := p.size > maxQueued, p.size == 0
	p.mu.Unlock()
	if full {
		p.writing.Lock()
	} else if empty || !p.writing.TryLock() {
		return true
	}
	defer p.writing.Unlock()
	for p.failed == nil {
		texts := p.takeQueue()
		if len(texts) == 0 {
			return true
		}
		for _, text := range texts {
			if p.failed == nil {
				_, p.failed = p.w.Write(text)
			}
		}
		p.reuse(texts)
	}
	return false
}

func (p *printer) takeQueue() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	texts := p.queue
	p.queue, p.size = nil, 0
	return texts
}

func (p *printer) reuse(texts [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range texts {
		if cap(text) >= printBytes {
			p.free = append(p.free, text[:0])
		}
	}
}

// flush writes what is left.
func (p *printer) flush() error {
	p.flushReady()
	return p.failed
}

// firstLines returns the part of texts that has the first n lines; all of it unless less is set.
func firstLines(texts [][]byte, n int, less bool) [][]byte {
	if !less {
		return texts
	}
	for i, text := range texts {
		end := 0
		for ; n > 0 && end < len(text); n-- {
			end += bytes.IndexByte(text[end:], '\n') + 1
		}
		texts[i] = text[:end]
	}
	return texts
}
