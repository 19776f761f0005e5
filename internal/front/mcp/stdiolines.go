package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is what came up to a line feed, or the two ends of it when that is too much.
type inputLine struct {
	text []byte
	tail []byte // of a line that is too long, whose beginning is text
	size int
}

// The ends of a line that is too long: an id is in one of them.
const (
	headBytes = 64 << 10
	tailBytes = 1 << 10
)

// lines reads lines and holds no more of one than it may.
type lineReader struct {
	from *bufio.Reader
	max int
}

func newLineReader(r io.Reader, most int) *lineReader { return &lineReader{bufio.NewReaderSize(r, headBytes), most} }

// next returns the next line, without its line feed. The last one needs none.
func (l *lineReader) next() (inputLine, error) {
	var out inputLine
	for {
		part, err := l.from.ReadSlice('\n')
		out.add(part, l.max)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, out.size > 0:
			return out, nil
		default:
			return out, err
		}
	}
}

func (l *inputLine) add(part []byte, most int) {
	part = bytes.TrimSuffix(part, []byte("\n"))
	l.size += len(part)
	if l.size <= most {
		l.text = append(l.text, part...)
		return
	}
	if l.tail == nil {
		l.tail = bytes.Clone(l.text[max(len(l.text)-tailBytes, 0):])
		l.text = bytes.Clone(l.text[:min(len(l.text), headBytes)])
	}
	l.tail = append(l.tail, part...)
	if over := len(l.tail) - tailBytes; over > 0 {
		l.tail = append(l.tail[:0], l.tail[over:]...)
	}
}

// tooLong reports whether only the ends of the line are there.
func (l *inputLine) tooLong() bool { return l.tail != nil }
