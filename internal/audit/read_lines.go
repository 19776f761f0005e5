package audit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// readBlock is how many bytes of a segment are read at once. firstBlock is how many are read first from the end, since
// a caller mostly wants only the last record.
const (
	readBlock  = 64 << 10
	firstBlock = 4 << 10
)

// line is one line of a segment. It is whole if it has its newline, which text leaves out.
type line struct {
	text       []byte // valid until the next line is read
	start, end int64
	whole      bool
}

// record decodes the line. A caller needs to tell only [Unsupported] from other errors.
func (l line) record() (*Record, error) {
	if !l.whole {
		return nil, errMalformed
	}
	return decode(l.text)
}

// header decodes the number, the time, the kind and the hashes of a line. To decode all of it takes ten times as long.
func (l line) header() (*Record, error) {
	body, h, err := l.checked()
	if err != nil {
		return nil, err
	}
	r, ok := parseHeader(body)
	if !ok {
		return parse(l.text, h)
	}
	r.H, r.TS = h, timestamp(body)
	return r, nil
}

// checked returns what the hash of a line covers, and the hash, if they match.
func (l line) checked() (body []byte, h string, err error) {
	body, h, ok := splitHash(l.text)
	if !l.whole || !ok || hash(body) != h {
		return nil, "", errMalformed
	}
	return body, h, nil
}

// backwardLines reads lines from the last to the first, in time linear in the bytes read.
type backwardLines struct {
	r        io.ReaderAt
	buf      []byte // bytes from start on that were read and not yet returned
	start    int64
	floor    int64 // where a line begins, the last one to be returned
	nextRead int64 // number of bytes to read next
}

// newBackwardLines reads the lines between two places.
func newBackwardLines(r io.ReaderAt, floor, end int64) *backwardLines {
	return &backwardLines{r: r, floor: floor, start: end, nextRead: firstBlock}
}

// next returns the line before the last one returned. ok is false at the floor.
func (b *backwardLines) next() (l line, ok bool, err error) {
	searched := 1 // skip the newline that ends the last line
	for {
		if i := bytes.LastIndexByte(b.buf[:max(0, len(b.buf)-searched)], '\n'); i >= 0 {
			return b.handOut(i + 1), true, nil
		}
		if b.start <= b.floor {
			l = b.handOut(0)
			return l, l.end > l.start, nil
		}
		searched = max(1, len(b.buf))
		if err := b.readMore(); err != nil {
			return line{}, false, err
		}
	}
}

// handOut returns the bytes of the buffer from i on as a line.
func (b *backwardLines) handOut(i int) line {
	l := line{start: b.start + int64(i), end: b.start + int64(len(b.buf))}
	l.text, l.whole = bytes.CutSuffix(b.buf[i:], []byte{'\n'})
	b.buf = b.buf[:i]
	return l
}

// readMore at least doubles the buffer, so that a line of any length is copied a constant number of times.
func (b *backwardLines) readMore() error {
	n := min(b.start-b.floor, max(b.nextRead, int64(len(b.buf))))
	b.nextRead = min(2*b.nextRead, readBlock)
	buf := make([]byte, n+int64(len(b.buf)))
	if _, err := io.ReadFull(io.NewSectionReader(b.r, b.start-n, n), buf[:n]); err != nil {
		return err
	}
	copy(buf[n:], b.buf)
	b.buf, b.start = buf, b.start-n
	return nil
}

// forwardLines reads lines from the first to the last.
type forwardLines struct {
	r      *bufio.Reader
	offset int64
	number int // 1-based number of the line last read
}

func newForwardLines(r io.ReaderAt, from, to int64) *forwardLines {
	return &forwardLines{r: bufio.NewReaderSize(io.NewSectionReader(r, from, to-from), readBlock), offset: from}
}

// next returns the next line. ok is false at the end.
func (f *forwardLines) next() (l line, ok bool, err error) {
	text, err := f.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		text = bytes.Clone(text)
		var rest []byte
		rest, err = f.r.ReadBytes('\n')
		text = append(text, rest...)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return line{}, false, err
	}
	l = line{start: f.offset, end: f.offset + int64(len(text))}
	l.text, l.whole = bytes.CutSuffix(text, []byte{'\n'})
	f.offset, f.number = l.end, f.number+1
	return l, l.end > l.start, nil
}
