// Package panics carries a panic from the goroutine where it happened to the one that waits for it, or to a log. A panic
// that no goroutine recovers ends the process, and with it everybody's calls. One that is carried ends a call.
//
// Every goroutine that emend starts is started here, or recovers by itself. The package decides nothing about what a panic
// leaves behind.
package panics

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Value is a panic that was recovered. It is an error, for whoever returns it instead of panicking again.
type Value struct {
	Panic any
	Stack []byte // of the goroutine that panicked first
}

func (v *Value) Error() string { return fmt.Sprintf("a defect in emend: panic: %v", v.Panic) }

// Unwrap returns the error that was panicked with, if it was one.
func (v *Value) Unwrap() error {
	err, _ := v.Panic.(error)
	return err
}

// Recovered returns what recover returned with the stack of the panic, or nil for nil. Call it in the deferred function, where
// the stack still has the panic. A *Value stays as it is, so that a panic keeps its first stack however often it is carried.
func Recovered(p any) *Value {
	if p == nil {
		return nil
	}
	if v, ok := p.(*Value); ok {
		return v
	}
	return &Value{p, debug.Stack()}
}

// Call calls f and returns its error, or its panic as one.
func Call(f func() error) (err error) {
	defer func() {
		if v := Recovered(recover()); v != nil {
			err = v
		}
	}()
	return f()
}

// Group is a sync.WaitGroup whose goroutines may panic. The zero value is an empty group.
type Group struct {
	all   sync.WaitGroup
	first atomic.Pointer[Value]
}

// Go calls f in a goroutine.
func (g *Group) Go(f func()) {
	g.all.Go(func() {
		defer func() {
			if v := Recovered(recover()); v != nil {
				g.first.CompareAndSwap(nil, v)
			}
		}()
		f()
	})
}

// Wait waits for all goroutines of the group. If one panicked, Wait panics with the first [Value].
func (g *Group) Wait() {
	g.all.Wait()
	if v := g.first.Load(); v != nil {
		panic(v)
	}
}

// LogTo returns a function that logs a panic with its stack. what says what failed.
func LogTo(log *slog.Logger, what string) func(*Value) {
	return func(v *Value) { log.Error(what+" failed", "panic", v.Panic, "stack", string(v.Stack)) }
}

// Go calls f in a goroutine that nobody waits for. It calls failed with a panic.
func Go(f func(), failed func(*Value)) {
	go func() {
		defer func() {
			if v := Recovered(recover()); v != nil {
				failed(v)
			}
		}()
		f()
	}()
}
