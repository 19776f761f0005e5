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

// Print is [Search] that writes what it finds while it searches, and keeps none of it: path:line:text of a line, as
// [report.OneLine] has it, and of a search by path the paths. It returns how many matches it has written, and shows no lines around them.
func Print(ctx context.Context, g *guard.Guard, o Options, q Searching, w io.Writer) (int, Outcome, error) {
	s := &search{o: &o, most: q.Most, links: q.Mode == Paths, printer: &printer{w: w}}
	q.Context = 0
	if err := s.prepare(&q); err != nil {
		return 0, Outcome{}, err
	}
	_, out, err := s.run(ctx, g)
	if failed := s.printer.flush(); err == nil {
		err = failed
	}
	return s.count, out, err
}

// show prints a line that matches.
func (l *lines) show(at hit) {
	if len(l.head) == 0 {
		l.head = append(append(l.head, report.OneLine(join(l.dir, l.name))...), ':')
	}
	l.out = append(l.out, l.head...)
	l.out = strconv.AppendInt(l.out, int64(at.number), 10)
	l.out = append(l.out, ':')
	if len(at.line) <= shown && report.IsPlain(at.line) {
		l.out = append(l.out, at.line...)
	} else {
		l.out = append(l.out, report.OneLine(preview(at.line, at.col))...)
	}
	l.out = append(l.out, '\n')
	if l.spill != nil && len(l.out) >= enough {
		l.spill()
	}
}

// printer writes, in order, what goroutines have made. Who hands something over does not wait for it to be written, as
// long as not too much waits.
type printer struct {
	w       io.Writer
	writing sync.Mutex // is held while queue is being written
	failed  error

	mu    sync.Mutex
	queue [][]byte
	size  int
	free  [][]byte // memory to use again
}

const (
	// mostQueued is how much may wait to be written.
	mostQueued = 8 << 20
	// mostReused is how large memory may be to be used again.
	mostReused = 1 << 20
)

// put takes a text, which is the printer's from now on.
func (p *printer) put(text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, text)
	p.size += len(text)
}

// buffer is memory to print into.
func (p *printer) buffer() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.free) - 1
	if last < 0 {
		return nil
	}
	b := p.free[last]
	p.free = p.free[:last]
	return b
}

// write writes what waits, unless somebody is at it. It reports false when nothing more can be written.
func (p *printer) write() bool {
	p.mu.Lock()
	full, empty := p.size > mostQueued, p.size == 0
	p.mu.Unlock()
	if full {
		p.writing.Lock()
	} else if empty || !p.writing.TryLock() {
		return true
	}
	defer p.writing.Unlock()
	for p.failed == nil {
		texts := p.take()
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

func (p *printer) take() [][]byte {
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
		if cap(text) <= mostReused {
			p.free = append(p.free, text[:0])
		}
	}
}

// flush writes what is left.
func (p *printer) flush() error {
	p.write()
	return p.failed
}

// firstLines is the part of text that has its first n lines; all of it when none is to be left out.
func firstLines(text []byte, n int, less bool) []byte {
	if !less {
		return text
	}
	end := 0
	for range n {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}
	return text[:end]
}
