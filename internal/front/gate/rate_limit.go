package gate

import (
	"sync"
	"time"
)

// Rate lets each caller do so much a second, and twice that at once after a pause. Callers that paused long enough are
// forgotten, so that many of them cost nothing.
type Rate struct {
	each float64 // a second
	now  func() time.Time

	mu      sync.Mutex
	callers map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

const manyCallers = 4096

// NewRate makes a rate of each a second.
func NewRate(each int) *Rate {
	return &Rate{each: float64(each), now: time.Now, callers: map[string]*bucket{}}
}

// Allow takes one from what a caller has left, if there is one.
func (r *Rate) Allow(caller string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	b := r.callers[caller]
	if b == nil {
		if len(r.callers) >= manyCallers {
			r.forget(now)
		}
		b = &bucket{2 * r.each, now}
		r.callers[caller] = b
	}
	b.left, b.at = r.filled(b, now), now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

func (r *Rate) filled(b *bucket, now time.Time) float64 {
	return min(2*r.each, b.left+r.each*now.Sub(b.at).Seconds())
}

// forget drops those whose bucket is full again: they are as good as new. Where that is nobody, all are.
func (r *Rate) forget(now time.Time) {
	for caller, b := range r.callers {
		if r.filled(b, now) >= 2*r.each {
			delete(r.callers, caller)
		}
	}
	if len(r.callers) >= manyCallers {
		clear(r.callers)
	}
}

// Pardon has a caller begin anew.
func (r *Rate) Pardon(caller string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.callers, caller)
}
