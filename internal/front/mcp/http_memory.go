package mcp

import (
	"sync"
	"time"
)

// copiesOfBody is how many times the bytes of its body a request holds at most, of what lives at once: the body, what the SDK
// makes of it, the arguments, the new content and the diff. A create_file of 31 MiB was measured to hold 7.4 times as much.
const copiesOfBody = 8

// bodyMemory bounds the memory of the requests in hand, over all connections, by the bytes of their bodies. Large requests leave
// a part free for small ones, so that a few large ones do not keep everybody out.
type bodyMemory struct {
	max   int64 // for all
	large int64 // for requests of more than small bytes
	small int64

	mu    sync.Mutex
	held  int64
	freed chan struct{} // closed, and made anew, whenever something is given back
}

// newBodyMemory has room for two bodies of the largest size, and for small ones besides.
func newBodyMemory(maxBody int64) *bodyMemory {
	return &bodyMemory{max: (2*copiesOfBody + 2) * maxBody, large: 2 * copiesOfBody * maxBody, small: maxBody / 32, freed: make(chan struct{})}
}

// MemoryLimit returns how many bytes the server may hold of requests, and what it holds besides. The garbage collector is to keep
// to it: by itself it lets garbage grow to the size of what lives.
func (h *HTTP) MemoryLimit() int64 { return h.memory.max + 64<<20 }

// take waits for room for a body of n bytes, for as long as patience. It holds nothing meanwhile.
func (m *bodyMemory) take(n int64, patience time.Duration) bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		ok, freed := m.tryTake(n)
		if ok {
			return true
		}
		select {
		case <-freed:
		case <-late.C:
			return false
		}
	}
}

func (m *bodyMemory) tryTake(n int64) (ok bool, freed <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	limit := m.max
	if n > m.small {
		limit = m.large
	}
	if m.held+n*copiesOfBody > limit {
		return false, m.freed
	}
	m.held += n * copiesOfBody
	return true, nil
}

// give gives back the room for n bytes of a body.
func (m *bodyMemory) give(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held -= n * copiesOfBody
	close(m.freed)
	m.freed = make(chan struct{})
}

func (m *bodyMemory) inUse() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}
