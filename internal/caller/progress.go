package caller

import (
	"context"
	"sync"
	"time"
)

type progressKey struct{}

// progressEvery is the shortest time between two reports, and before the first.
const progressEvery = 100 * time.Millisecond

// WithProgress has calls with the returned context report their progress to f, at most ten times a second and from one
// goroutine at a time. total is 0 while it is not known. f must return at once.
func WithProgress(ctx context.Context, f func(done, total int, what string)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Progress returns the function that a call reports its progress to, limited to ten calls a second. It returns nil if there was
// no [WithProgress].
func Progress(ctx context.Context) func(done, total int, what string) {
	f, _ := ctx.Value(progressKey{}).(func(done, total int, what string))
	if f == nil {
		return nil
	}
	var mu sync.Mutex
	last := time.Now()
	return func(done, total int, what string) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			f(done, total, what)
		}
	}
}
