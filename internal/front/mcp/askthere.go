package mcp

import (
	"context"
	"errors"
	"sync"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/fail"
)

// askThere asks the person who has a page open, whatever the revision of the protocol: the call waits.
func (r *askRound) askAtPage(ctx context.Context, q emend.Question) (by string, err error) {
	ws := r.s.workspace(q.Root)
	if ws == nil {
		return "", errors.New("the client cannot ask a person")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer cancelWhenClientGone(ctx, cancel)()
	patience := r.s.Wait
	if patience > 0 && !ws.AllowedBefore(q) {
		var leave func()
		if ctx, leave, err = r.beginWait(ctx); err != nil {
			return "", err
		}
		defer leave()
	}
	by, err = ws.AskThere(ctx, q, patience)
	if e, ok := errors.AsType[*fail.Error](err); ok && errors.Is(err, emend.ErrNobodyThere) {
		said := *e
		said.Msg = "this client cannot ask a person, since it offers no elicitation, and " + e.Msg
		err = &said
	}
	return by, err
}

// workspace is the one that has a root.
func (s *Server) workspace(root string) *emend.Workspace {
	for _, w := range s.Workspaces {
		if w.Root() == root {
			return w.Workspace
		}
	}
	return nil
}

// questions are those that wait for an answer.
type pendingQuestions struct {
	mu   sync.Mutex
	last int
	open map[int]pendingQuestion
}

type pendingQuestion struct {
	session string
	cancel    func()
}

// add takes up a question. What it returns is called when it is answered.
func (q *pendingQuestions) add(session string, drop func()) (answered func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	n := q.last
	q.open[n] = pendingQuestion{session, drop}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.open, n)
	}
}

// drop has the questions of a session over that ends: the library would wait for their answers first.
func (q *pendingQuestions) cancelSession(session string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.open {
		if p.session == session {
			p.cancel()
		}
	}
}
