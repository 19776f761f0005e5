package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// inputLine is a line without its line feed, or both ends of one that is too long.
type inputLine struct {
	text []byte
	tail []byte // the end of a line that is too long; text is its beginning
	size int
}

// How much is kept of a line that is too long. The id of the message is in one of its ends.
const (
	headBytes = 64 << 10
	tailBytes = 1 << 10
)

// lineReader reads lines and never holds more than max bytes of one.
type lineReader struct {
	from *bufio.Reader
	max  int
}

func newLineReader(r io.Reader, most int) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, headBytes), most}
}

// next returns the next line. The last one needs no line feed.
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
	if excess := len(l.tail) - tailBytes; excess > 0 {
		l.tail = append(l.tail[:0], l.tail[excess:]...)
	}
}

// tooLong reports whether only the ends of the line are there.
func (l *inputLine) tooLong() bool { return l.tail != nil }
