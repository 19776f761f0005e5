package caller

import (
	"context"
	"sync"
	"time"
)

type progressKey struct{}

const progressEvery = 100 * time.Millisecond

// WithProgress has what is called with the context that it returns say how far it is, at most ten times a second and by one goroutine at
// a time. total is 0 while it is not known. f must return at once.
func WithProgress(ctx context.Context, f func(done, total int, what string)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Progress is what to call with the progress of a call, or nil when nobody asked.
func Progress(ctx context.Context) func(done, total int, what string) {
	f, _ := ctx.Value(progressKey{}).(func(done, total int, what string))
	if f == nil {
		return nil
	}
	var mu sync.Mutex
	last := time.Now() // what is done in less needs no progress
	return func(done, total int, what string) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			f(done, total, what)
		}
	}
}
