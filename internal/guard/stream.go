package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// Stream opens the regular file that e names, for reading from its beginning. It is Load for who does not want all of
// it in memory: the same checks, and no limit of size. Whoever gets the file closes it.
func (g *Guard) Stream(e Entry) (*os.File, error) {
	f, _, err := g.openEntry(e)
	return f, explain(e.Rel, err)
}

// block is how many bytes are read at once; between two of them a cancelled call ends.
const block = 256 << 10

// Hash returns the sha256 of the regular file that e names, in lower-case hexadecimal, and how many bytes it is of. The
// file is never in memory as a whole.
func (g *Guard) Hash(ctx context.Context, e Entry) (sum string, size int64, err error) {
	h := sha256.New()
	size, err = g.Each(ctx, e, func(b []byte) error {
		h.Write(b) // never fails
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// Each reads the regular file that e names in blocks of 256 KiB, the last of which may be shorter, and calls use for
// each of them until it fails. The bytes are lent for the call.
func (g *Guard) Each(ctx context.Context, e Entry, use func([]byte) error) (size int64, err error) {
	f, err := g.Stream(e)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	size, err = eachBlock(ctx, f, e.Rel, use)
	return size, explain(e.Rel, err)
}

// blocks are lent again and again: to make one costs more than to read a small file.
var blocks = sync.Pool{New: func() any { return new([block]byte) }}

func eachBlock(ctx context.Context, r io.Reader, path string, use func([]byte) error) (size int64, err error) {
	lent := blocks.Get().(*[block]byte)
	defer blocks.Put(lent)
	buf := lent[:]
	for {
		if ctx.Err() != nil {
			return size, cancelled(ctx, path)
		}
		n, err := io.ReadFull(r, buf)
		size += int64(n)
		if n > 0 {
			if err := use(buf[:n]); err != nil {
				return size, err
			}
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return size, nil
		default:
			return size, err
		}
	}
}
