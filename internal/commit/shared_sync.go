package commit

import (
	"sync"

	"github.com/emend-dev/emend/internal/panics"
)

// sharedSync syncs something for several callers. Those that ask while it is being synced share the next sync, which begins
// after the last of them has asked. A caller that is alone gets a sync of its own at once.
type sharedSync struct {
	mu      sync.Mutex
	running *syncRound // or the last one that ran
	next    *syncRound // nil if nobody waits
}

// syncRound is a sync for the callers that wait for it.
type syncRound struct {
	done chan struct{}
	err  error // set before done is closed
}

func (s *sharedSync) sync(do func() error) error {
	s.mu.Lock()
	r, before := s.next, s.running
	first := r == nil
	if first {
		r = &syncRound{done: make(chan struct{})}
		s.next = r
	}
	s.mu.Unlock()
	if !first {
		<-r.done
		return r.err
	}
	if before != nil {
		<-before.done
	}
	s.mu.Lock()
	s.running, s.next = r, nil // whoever comes now waits for another one
	s.mu.Unlock()
	r.err = panics.Call(do)
	close(r.done)
	return r.err
}
