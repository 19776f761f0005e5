package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"

	"github.com/emend-dev/emend/internal/panics"
)

// Stream opens the regular file that e names, for reading from its beginning. It does the checks of Load, has no limit of
// size, and does not hold the file in memory. The caller closes it.
func (g *Guard) Stream(e Entry) (*os.File, error) {
	f, _, err := g.openEntry(e)
	return f, asRefusal(e.Rel, err)
}

// Hash returns the SHA-256 of the regular file that e names, in lower-case hexadecimal, and the file's size. It never holds
// the whole file in memory.
func (g *Guard) Hash(ctx context.Context, e Entry) (sum string, size int64, err error) {
	h := sha256.New()
	size, err = g.ReadBlocks(ctx, e, func(b []byte) error {
		h.Write(b) // never fails
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// ReadBlocks reads the regular file that e names in blocks of 256 KiB, the last of which may be shorter, and calls use for
// each until it fails. The bytes are valid during the call only.
func (g *Guard) ReadBlocks(ctx context.Context, e Entry, use func([]byte) error) (size int64, err error) {
	f, err := g.Stream(e)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	size, err = eachBlock(ctx, f, e.Rel, use)
	return size, asRefusal(e.Rel, err)
}

// blockPool reuses blocks: to allocate one costs more than to read a small file.
var blockPool = sync.Pool{New: func() any { return new([blockSize]byte) }}

// eachBlock calls use for one block after the other. It reads the blocks after the first ahead, in a goroutine that has ended
// when eachBlock returns.
func eachBlock(ctx context.Context, r io.Reader, path string, use func([]byte) error) (size int64, err error) {
	first := readBlock(ctx, r, path, blockPool.Get().(*[blockSize]byte))
	defer blockPool.Put(first.buf)
	if first.n > 0 {
		if err := use(first.buf[:first.n]); err != nil {
			return int64(first.n), err
		}
	}
	size, err = int64(first.n), first.err
	if err == nil {
		var more int64
		more, err = readAhead(ctx, r, path, use)
		size += more
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return size, err
}

// filledBlock is the result of one read.
type filledBlock struct {
	buf *[blockSize]byte
	n   int
	err error
}

func readBlock(ctx context.Context, r io.Reader, path string, buf *[blockSize]byte) filledBlock {
	if ctx.Err() != nil {
		return filledBlock{buf, 0, refuseCancelled(ctx, path)}
	}
	n := 0
	err := panics.Call(func() (err error) { n, err = io.ReadFull(r, buf[:]); return err })
	return filledBlock{buf, n, err}
}

// readAhead is eachBlock with two blocks: one is read while the other is used. Its error is never nil.
func readAhead(ctx context.Context, r io.Reader, path string, use func([]byte) error) (size int64, err error) {
	free, full := make(chan *[blockSize]byte, 2), make(chan filledBlock, 2)
	var reading panics.Group
	reading.Go(func() {
		for buf := range free {
			p := readBlock(ctx, r, path, buf)
			full <- p
			if p.err != nil {
				return
			}
		}
	})
	bufs := [2]*[blockSize]byte{blockPool.Get().(*[blockSize]byte), blockPool.Get().(*[blockSize]byte)}
	defer func() {
		close(free)
		reading.Wait()
		for _, buf := range bufs {
			blockPool.Put(buf)
		}
	}()
	for _, buf := range bufs {
		free <- buf
	}
	for {
		p := <-full
		size += int64(p.n)
		if p.n > 0 {
			if err := use(p.buf[:p.n]); err != nil {
				return size, err
			}
		}
		if p.err != nil {
			return size, p.err
		}
		free <- p.buf
	}
}
