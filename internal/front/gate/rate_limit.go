package gate

import (
	"sync"
	"time"
)

// RateLimiter gives each caller a token bucket. A bucket holds as many tokens as come in two seconds, so that a caller may
// do twice as much at once after a pause. Callers whose bucket is full again are forgotten, so that many of them cost little.
type RateLimiter struct {
	perSecond float64
	now       func() time.Time

	mu      sync.Mutex
	callers map[string]*bucket
}

type bucket struct {
	tokens float64
	at     time.Time // when there were so many
}

// maxCallers limits the callers that are remembered.
const maxCallers = 4096

// NewRateLimiter returns a limiter of perSecond calls for each caller.
func NewRateLimiter(perSecond int) *RateLimiter {
	return &RateLimiter{perSecond: float64(perSecond), now: time.Now, callers: map[string]*bucket{}}
}

// Allow takes a token from a caller's bucket, and reports whether there was one.
func (r *RateLimiter) Allow(caller string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	b := r.callers[caller]
	if b == nil {
		if len(r.callers) >= maxCallers {
			r.forgetIdle(now)
		}
		b = &bucket{2 * r.perSecond, now}
		r.callers[caller] = b
	}
	b.tokens, b.at = r.tokens(b, now), now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

func (r *RateLimiter) tokens(b *bucket, now time.Time) float64 {
	return min(2*r.perSecond, b.tokens+r.perSecond*now.Sub(b.at).Seconds())
}

// forgetIdle drops the callers whose bucket is full. If too many are left, it drops all: that is generous for a moment, and
// keeps memory bounded.
func (r *RateLimiter) forgetIdle(now time.Time) {
	for caller, b := range r.callers {
		if r.tokens(b, now) >= 2*r.perSecond {
			delete(r.callers, caller)
		}
	}
	if len(r.callers) >= maxCallers {
		clear(r.callers)
	}
}

// Reset gives a caller a full bucket.
func (r *RateLimiter) Reset(caller string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.callers, caller)
}
