package mcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/emend-dev/emend/fail"
)

// defaultCalls run at once when the configuration says nothing else. For each of them, waitingPerCall more may wait.
const (
	defaultCalls   = 64
	waitingPerCall = 16
)

// maxUnsent bounds the bytes of answers that clients have not read yet. Beyond it no new call starts.
const maxUnsent = 256 << 20

// callLimit bounds the calls in hand, over all transports. A fixed number runs, a fixed number waits, and any further
// call is refused because the server is busy.
type callLimit struct {
	slots  chan struct{} // one for each call that runs
	max    int           // calls that run or wait, at most
	unsent atomic.Int64  // bytes of answers that HTTP clients have not read yet

	mu     sync.Mutex
	inHand int // calls that run or wait
	closed bool
	idle   chan struct{} // closed once the limit is closed and no call is in hand
}

func newCallLimit(calls int) *callLimit {
	return &callLimit{slots: make(chan struct{}, calls), max: calls * (1 + waitingPerCall), idle: make(chan struct{})}
}

// enter waits until a call may run. The caller must call leave at the end of the call.
func (l *callLimit) enter(ctx context.Context) (leave func(), err error) {
	if err := l.acquire(); err != nil {
		return nil, err
	}
	select {
	case l.slots <- struct{}{}:
		leave = func() { <-l.slots; l.release() }
		if unsent := l.unsent.Load(); unsent > maxUnsent {
			leave()
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit,
				Msg:  fmt.Sprintf("the server is busy: %d bytes of answers are not read by those who asked; nothing was changed", unsent),
				Hint: "Call again in a second, and read the answers."}
		}
		return leave, nil
	case <-ctx.Done():
		l.release()
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Msg: "cancelled while it waited for its turn; nothing was changed"}
	}
}

func (l *callLimit) acquire() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Msg: "the server is stopping, and takes no more calls; nothing was changed",
			Hint: "Call again when it is back."}
	case l.inHand >= l.max:
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit,
			Msg:  fmt.Sprintf("the server is busy: %d calls run and %d wait; nothing was changed", cap(l.slots), l.max-cap(l.slots)),
			Hint: "Call again in a second, with fewer calls at once."}
	}
	l.inHand++
	return nil
}

func (l *callLimit) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inHand--
	l.signalIdle()
}

// close refuses all further calls. The returned channel is closed when the last call in hand has left.
func (l *callLimit) close() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.signalIdle()
	}
	return l.idle
}

func (l *callLimit) signalIdle() {
	if l.closed && l.inHand == 0 {
		close(l.idle)
	}
}

// counts returns how many calls run and how many wait.
func (l *callLimit) counts() (running, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	running = len(l.slots)
	return running, max(0, l.inHand-running)
}
