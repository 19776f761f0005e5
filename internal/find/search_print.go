package find

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"sync"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
)

// SearchTo is [Search] that writes matches while it searches, and keeps none of them: path:line:text of a line, escaped by
// [report.OneLine], and the paths in a search by path. It shows no lines around matches. It returns how many it wrote.
func SearchTo(ctx context.Context, g *guard.Guard, o Options, q SearchQuery, w io.Writer) (int, Summary, error) {
	s := &search{o: &o, limit: q.Limit, links: q.Mode == Paths, printer: &printer{w: w}}
	q.Context = 0
	if err := s.prepare(&q); err != nil {
		return 0, Summary{}, err
	}
	_, out, err := s.run(ctx, g)
	if failed := s.printer.flush(); err == nil {
		err = failed
	}
	return s.count, out, err
}

// print prints a line that matches.
func (l *lineScanner) print(at *lineMatch) {
	l.printHead(at.number)
	l.out = append(l.out, l.head...)
	if len(at.line) <= previewBytes && report.IsPlain(at.line) {
		l.out = append(l.out, at.line...)
	} else {
		l.out = append(l.out, report.OneLine(preview(at.line, at.col))...)
	}
	l.endLine()
}

// printHead makes head, path:line:, from the one before: they often differ in the last digit only.
func (l *lineScanner) printHead(n int) {
	if len(l.head) == 0 {
		l.head = append(append(l.head, report.OneLine(join(l.dir, l.name))...), ':')
		l.headPath, l.headLine = len(l.head), -10
	}
	if more := n - l.headLine; n%10 >= more {
		l.head[len(l.head)-2] += byte(more)
	} else {
		l.head = append(strconv.AppendInt(l.head[:l.headPath], int64(n), 10), ':')
	}
	l.headLine = n
}

// endLine ends a printed line.
func (l *lineScanner) endLine() {
	if l.out = append(l.out, '\n'); len(l.out) >= printBytes {
		l.texts = append(l.texts, l.out)
		if l.out = l.printer.buffer(); l.onFull != nil {
			l.onFull()
		}
	}
}

// printBytes is how much is printed into one piece of memory.
const printBytes = 256 << 10

// takePrinted returns what was printed. A small piece is copied into memory of its own size.
func (l *lineScanner) takePrinted() [][]byte {
	texts := l.texts
	l.texts = nil
	switch {
	case len(l.out) > printBytes/16:
		texts = append(texts, l.out)
		l.out = l.printer.buffer()
	case len(l.out) > 0:
		texts = append(texts, bytes.Clone(l.out))
		l.out = l.out[:0]
	}
	return texts
}

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
