package history

import (
	"crypto/rand"
	"strings"
	"sync"

	"github.com/emend-dev/emend/internal/vfs"
)

// maxSpares is how many markers are kept for the next transactions. In a process that has many in hand, one ends about as
// often as one begins.
const maxSpares = 8

// spareMarkers are markers of transactions that have ended, still locked, under names that are no transaction's. A process that
// makes one change after the other takes them again, since a file that is made and removed for each costs more than two
// renames, and on some file systems far more. They are removed with the end of the history; what a process leaves that was
// killed is nobody's to a sweep, which removes it.
type spareMarkers struct {
	mu   sync.Mutex
	used bool // a transaction has ended: the next one is not the only one of this process
	free []marker
}

// reuse makes a spare marker that of s. It stays locked all the while, so that nobody takes it for a dead one.
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

// wanted reports whether one more is worth keeping: the only transaction of a process leaves none.
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

// dropSpareMarkers removes what is kept.
func (h *History) dropSpareMarkers() {
	for {
		m, ok := h.spares.take()
		if !ok {
			return
		}
		h.dropMarker(m)
	}
}

// dropMarker removes a spare marker. That it fails is worth no error: the next sweep does it.
func (h *History) dropMarker(m marker) {
	h.staging.Remove(m.name)
	m.file.Close()
	h.alive.Delete(m.name)
}
