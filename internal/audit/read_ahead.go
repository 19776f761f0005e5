package audit

import (
	"bytes"
	"io"
	"runtime"

	"github.com/emend-dev/emend/internal/panics"
)

// blockSize is how many bytes of a segment one goroutine checks at a time. Tests make it smaller.
var blockSize int64 = 256 << 10

// checkedLine is a line, decoded. rec is nil if the line is bad.
type checkedLine struct {
	start int64
	size  int64 // bytes, with the newline
	rec   *Record
	err   error // not nil only for a record that this version cannot read
}

// block is a number of whole lines of a segment.
type block struct {
	start int64
	text  []byte
	lines []checkedLine
	err   error // from reading the block
	done  chan struct{}
}

// check decodes the lines of the block, and then frees its place among those that are checked at once.
func (b *block) check(work <-chan struct{}) {
	defer func() {
		<-work
		close(b.done)
	}()
	err := panics.Call(func() error {
		for at := 0; at < len(b.text); {
			n := bytes.IndexByte(b.text[at:], '\n') + 1
			l := line{text: b.text[at:], whole: n > 0}
			if l.whole {
				l.text = b.text[at : at+n-1]
			} else {
				n = len(l.text)
			}
			rec, err := nilIfBad(l.record())
			b.lines = append(b.lines, checkedLine{b.start + int64(at), int64(n), rec, err})
			at += n
		}
		return nil
	})
	if b.text = nil; err != nil {
		b.err = err
	}
}

// eachLine calls yield with each line of r between two offsets, in order, until it returns false. All processors decode
// lines ahead of it; what is decoded and not yet yielded is a few blocks for each processor, however long the segment is.
func eachLine(r io.ReaderAt, from, to int64, yield func(checkedLine) bool) error {
	blocks, stop := make(chan *block, runtime.GOMAXPROCS(0)), make(chan struct{})
	var reader panics.Group
	reader.Go(func() { readBlocks(r, from, to, blocks, stop) })
	defer func() {
		close(stop)
		for b := range blocks {
			<-b.done
		}
		reader.Wait()
	}()
	return takeBlocks(blocks, yield)
}

// readBlocks reads blocks and starts checking each, as many at once as there are processors. It ends when no goroutine
// that it started runs any more, but for blocks that were handed over.
func readBlocks(r io.ReaderAt, from, to int64, blocks chan<- *block, stop <-chan struct{}) {
	defer close(blocks)
	work := make(chan struct{}, cap(blocks))
	for at := from; at < to; {
		b := &block{start: at, done: make(chan struct{})}
		b.text, b.err = readLines(r, at, to)
		at += int64(len(b.text))
		if b.err != nil || len(b.text) == 0 {
			at = to
		}
		work <- struct{}{}
		panics.Go(func() { b.check(work) }, func(*panics.Value) {})
		select {
		case blocks <- b:
		case <-stop:
			<-b.done
			return
		}
	}
}

func takeBlocks(blocks <-chan *block, yield func(checkedLine) bool) error {
	for b := range blocks {
		<-b.done
		if b.err != nil {
			return b.err
		}
		for _, l := range b.lines {
			if !yield(l) {
				return nil
			}
		}
	}
	return nil
}

// readLines reads whole lines from an offset on: about a block, more if a line is longer, less at the end.
func readLines(r io.ReaderAt, at, to int64) ([]byte, error) {
	for size := blockSize; ; size *= 2 {
		buf := make([]byte, min(size, to-at))
		n, err := io.ReadFull(io.NewSectionReader(r, at, int64(len(buf))), buf)
		buf = buf[:n]
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			return buf, nil // the file was cut off meanwhile
		}
		if err != nil {
			return nil, err
		}
		if at+int64(n) == to {
			return buf, nil
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return buf[:i+1], nil
		}
	}
}
