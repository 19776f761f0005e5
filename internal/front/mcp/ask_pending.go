package mcp

import (
	"context"
	"sync"

	"github.com/emend-dev/emend/fail"
)

// beginWait registers that a call waits for a person. The context that it returns ends with the client's session. Only
// a part of the calls that may run at once may wait, so that unanswered questions never block all others.
func (r *askRound) beginWait(ctx context.Context) (_ context.Context, end func(), err error) {
	select {
	case r.s.askSlots <- struct{}{}:
	default:
		return nil, nil, &fail.Error{Msg: "too many requests wait for approval already", Hint: "Try again when they are answered."}
	}
	ctx, cancel := context.WithCancel(ctx)
	remove := r.s.pending.add(r.req.Session.ID(), cancel)
	return ctx, func() { remove(); cancel(); <-r.s.askSlots }, nil
}

// pendingQuestions are the questions that wait for an answer.
type pendingQuestions struct {
	mu  sync.Mutex
	all map[*pendingQuestion]struct{}
}

type pendingQuestion struct {
	session string
	cancel  func()
}

func (p *pendingQuestions) add(session string, cancel func()) (remove func()) {
	q := &pendingQuestion{session, cancel}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[q] = struct{}{}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.all, q)
	}
}

// cancelSession cancels the questions of a session that ends. The SDK would wait for their answers first. Calls without a
// session have nothing in common, and nobody ends them together.
func (p *pendingQuestions) cancelSession(session string) {
	if session == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for q := range p.all {
		if q.session == session {
			q.cancel()
		}
	}
}
