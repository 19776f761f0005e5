package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"
)

// inOrder does n jobs on all processors and passes their results to take in order. It stops at the first error, of a job or of
// take.
func inOrder[T any](ctx context.Context, n int, do func(context.Context, int) (T, error), take func(int, T) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type result struct {
		value T
		err   error
	}
	workers := runtime.GOMAXPROCS(0)
	queue, free := make(chan chan result, 4*workers), make(chan bool, workers)
	go func() {
		defer close(queue)
		for i := 0; i < n && ctx.Err() == nil; i++ {
			done := make(chan result, 1)
			queue <- done
			free <- true
			go func() {
				defer func() { <-free }()
				v, err := do(ctx, i)
				done <- result{v, err}
			}()
		}
	}()
	var first error
	at := 0
	for done := range queue { // drain it: no job may continue after the return
		r := <-done
		if first == nil {
			if first = r.err; first == nil {
				first = take(at, r.value)
			}
			if first != nil {
				stop()
			}
		}
		at++
	}
	if first == nil {
		first = ctx.Err()
	}
	return first
}

// progress prints now and then how far a task is.
type progress struct {
	w     io.Writer
	what  string
	all   int
	start time.Time
	said  time.Time
}

func newProgress(w io.Writer, what string, all int) *progress {
	now := time.Now()
	return &progress{w: w, what: what, all: all, start: now, said: now}
}

func (p *progress) at(n int) {
	if now := time.Now(); now.Sub(p.said) > 10*time.Second || n == p.all {
		p.said = now
		fmt.Fprintf(p.w, "%s: %d of %d, %s\n", p.what, n, p.all, now.Sub(p.start).Round(time.Second))
	}
}
