package mcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/emend-dev/emend/internal/fail"
)

// defaultCalls are how many calls run at once when nobody says otherwise; for each, so many more may wait.
const (
	defaultCalls = 64
	waitingPerCall  = 16
)

// maxOwed is how many bytes of answers may wait for those who asked, before nobody else is answered.
const maxUnsent = 256 << 20

// limit bounds the calls in hand, over all transports: so many run, so many wait for their turn, and whoever comes then
// is told that the server is busy.
type callLimit struct {
	slots chan struct{} // one for each call that runs
	max  int           // that run or wait
	unsent  atomic.Int64  // bytes of answers that clients of HTTP have not taken yet

	mu     sync.Mutex
	inHand   int // that run or wait
	closed bool
	idle   chan struct{} // closed when no call is in hand and none will be
}

func newCallLimit(calls int) *callLimit {
	return &callLimit{slots: make(chan struct{}, calls), max: calls * (1 + waitingPerCall), idle: make(chan struct{})}
}

// enter waits for the turn of a call. What it returns is called at the end of the call.
func (l *callLimit) enter(ctx context.Context) (leave func(), err error) {
	if err := l.acquire(); err != nil {
		return nil, err
	}
	select {
	case l.slots <- struct{}{}:
		leave = func() { <-l.slots; l.release() }
		if owed := l.unsent.Load(); owed > maxUnsent {
			leave()
			return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit,
				Msg:  fmt.Sprintf("the server is busy: %d bytes of answers are not read by those who asked; nothing was changed", owed),
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

// close lets no more calls in. The channel is closed when the last one has left.
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

// counts are how many calls run, and how many wait.
func (l *callLimit) counts() (running, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	running = len(l.slots)
	return running, max(0, l.inHand-running)
}
