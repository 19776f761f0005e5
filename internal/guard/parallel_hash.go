package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/emend-dev/emend/internal/panics"
)

// parallelHash computes the SHA-256 of data that comes in parts. It hashes the parts of a large file while the next ones are
// read; they must not change until sum or stop has returned.
type parallelHash struct {
	hash  hash.Hash
	parts chan []byte // nil for a small file
	work  panics.Group
}

// parallelFrom is the size from which on hashing is worth a goroutine.
const parallelFrom = 1 << 20

func newParallelHash(size int64) *parallelHash {
	h := &parallelHash{hash: sha256.New()}
	if size >= parallelFrom {
		parts := make(chan []byte, 16)
		h.parts = parts
		h.work.Go(func() { h.run(parts) })
	}
	return h
}

func (h *parallelHash) run(parts <-chan []byte) {
	defer func() {
		for range parts { // after a panic: the reader must not wait for room
		}
	}()
	for b := range parts {
		h.hash.Write(b) // never fails
	}
}

func (h *parallelHash) add(b []byte) {
	if h.parts == nil {
		h.hash.Write(b)
		return
	}
	h.parts <- b
}

// stop waits until nothing is being hashed.
func (h *parallelHash) stop() {
	if h.parts != nil {
		close(h.parts)
		h.parts = nil
		h.work.Wait()
	}
}

func (h *parallelHash) sum() string {
	h.stop()
	return hex.EncodeToString(h.hash.Sum(nil))
}
