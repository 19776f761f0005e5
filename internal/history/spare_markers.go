package history

import (
	"crypto/rand"
	"strings"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// maxSpares is how many markers are kept for the next transactions. In a process that runs many at once, one ends about
// as often as one begins.
const maxSpares = 8

// spareMarkers are markers of ended transactions, still locked, under names that are no transaction's. A process that
// makes one change after the other reuses them, since making and removing a file for each change costs more than two
// renames, and on some file systems far more. They are removed when the history is closed. A sweep removes those of a
// process that was killed.
type spareMarkers struct {
	mu   sync.Mutex
	used bool // a transaction has ended, so the next one is not the only one of this process
	free []marker
}

// reuse makes a spare marker that of s. It stays locked throughout, so that nobody takes it for a dead one.
func (s *Stage) reuse() bool {
	m, ok := s.h.spares.take()
	if !ok {
		return false
	}
	if err := s.h.staging.Rename(m.name, s.h.staging, s.name, vfs.NoReplace); err != nil {
		s.h.dropMarker(m)
		return false
	}
	s.h.alive.Delete(m.name)
	s.file = m.file
	return true
}

// keepMarker keeps the marker of s for another transaction.
func (s *Stage) keepMarker() bool {
	if !s.h.spares.wanted() {
		return false
	}
	m := marker{s.file, "spare-" + strings.ToLower(rand.Text()[:10])}
	s.h.alive.Store(m.name, true)
	if err := s.h.staging.Rename(s.name, s.h.staging, m.name, vfs.NoReplace); err != nil {
		s.h.alive.Delete(m.name)
		return false
	}
	s.h.spares.put(m)
	return true
}

// wanted reports whether to keep one more: the only transaction of a process leaves none.
func (s *spareMarkers) wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.used
	s.used = true
	return was && len(s.free) < maxSpares
}

func (s *spareMarkers) put(m marker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, m)
}

func (s *spareMarkers) take() (m marker, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free) - 1
	if n < 0 {
		return m, false
	}
	m, s.free = s.free[n], s.free[:n]
	return m, true
}

// dropSpareMarkers removes the spare markers.
func (h *History) dropSpareMarkers() {
	for {
		m, ok := h.spares.take()
		if !ok {
			return
		}
		h.dropMarker(m)
	}
}

// dropMarker removes a spare marker. A failure is not reported, since the next sweep removes it.
func (h *History) dropMarker(m marker) {
	defer h.alive.Delete(m.name)
	h.removeMarker(m) //nolint:errcheck // as said above
}
