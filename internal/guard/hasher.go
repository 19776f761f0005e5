package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// hasher is the sha256 of what comes in parts. The parts of a large file are hashed beside their reading; until
// the sum is taken, or the hasher stopped, they must stay as they are.
type hasher struct {
	hash  hash.Hash
	parts chan []byte // nil where the file is small
	done  chan struct{}
}

// beside is the size from which on hashing is worth a goroutine.
const beside = 1 << 20

func newHasher(size int64) *hasher {
	h := &hasher{hash: sha256.New()}
	if size >= beside {
		h.parts, h.done = make(chan []byte, 16), make(chan struct{})
		go h.run()
	}
	return h
}

func (h *hasher) run() {
	defer close(h.done)
	for b := range h.parts {
		h.hash.Write(b) // never fails
	}
}

func (h *hasher) add(b []byte) {
	if h.parts == nil {
		h.hash.Write(b)
		return
	}
	h.parts <- b
}

// stop waits until nothing is being hashed.
func (h *hasher) stop() {
	if h.parts != nil {
		close(h.parts)
		<-h.done
		h.parts = nil
	}
}

func (h *hasher) sum() string {
	h.stop()
	return hex.EncodeToString(h.hash.Sum(nil))
}
