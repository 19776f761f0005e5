package emend

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/wait"
)

// AllowRequest lets a call that waits happen.
type AllowRequest struct {
	ID      string `json:"id" jsonschema:"the question"`
	Session bool   `json:"session,omitempty" jsonschema:"and what the same rules ask about, until this session ends"`
	By      string `json:"-"` // where the person answers, for the log: "terminal", or "" for the page
}

// DenyRequest refuses a call that waits.
type DenyRequest struct {
	ID     string `json:"id" jsonschema:"the question"`
	Reason string `json:"reason,omitempty" jsonschema:"what the agent reads"`
	By     string `json:"-"` // as in AllowRequest
}

// AnsweredData is a question that a person answered.
type AnsweredData struct {
	ID      string `json:"id"`
	Allowed bool   `json:"allowed"`
	Session bool   `json:"session,omitempty"`
}

// Allow answers a call that waits with yes.
func (w *Workspace) Allow(ctx context.Context, r AllowRequest) (*Answer[AnsweredData], error) {
	return w.answer(ctx, r.ID, wait.Answer{Allowed: true, Session: r.Session, By: r.By})
}

// Deny answers it with no.
func (w *Workspace) Deny(ctx context.Context, r DenyRequest) (*Answer[AnsweredData], error) {
	return w.answer(ctx, r.ID, wait.Answer{Reason: cutWords(r.Reason), By: r.By})
}

// answer answers a call that waits, once.
func (w *Workspace) answer(ctx context.Context, id string, a wait.Answer) (*Answer[AnsweredData], error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	if ctx.Err() != nil {
		return nil, cannot(cancelled(ctx))
	}
	b, err := w.board(false)
	if err != nil {
		return nil, cannot(err)
	}
	q, err := question(b, id, w.keeper.way())
	if err == nil {
		q, err = b.Answer(id, w.keeper.way(), a)
	}
	if err != nil {
		return nil, cannot(notAnswered(id, err))
	}
	return found(AnsweredData{ID: q.ID, Allowed: a.Allowed, Session: a.Session}, answeredWords(q, a)), nil
}

// notAnswered is why a question could not be answered.
func notAnswered(id string, err error) error {
	e := &fail.Error{Kind: fail.NotFound, Cause: err, Hint: "Look at what waits now: emend waiting, or the page."}
	switch {
	case errors.Is(err, wait.ErrAnswered):
		e.Msg = fmt.Sprintf("the call %s was answered already", fail.Quote(id))
	case errors.Is(err, wait.ErrNone):
		e.Msg = fmt.Sprintf("no call %s waits: it was answered, withdrawn or expired", fail.Quote(id))
	case errors.Is(err, wait.ErrNoSession):
		e = &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Cause: err,
			Msg:  fmt.Sprintf("the call %s belongs to no session that more could be allowed to", fail.Quote(id)),
			Hint: "Allow it once."}
	default:
		return storeError(err)
	}
	return e
}

// answeredWords is an answer as a person reads it.
func answeredWords(q wait.Question, a wait.Answer) string {
	did := "Denied"
	if a.Allowed {
		did = "Allowed, this once"
	}
	if a.Session {
		did = "Allowed, with what the same rules ask about until the session ends"
	}
	var paths []string
	for _, p := range q.Paths[:min(len(q.Paths), 3)] {
		paths = append(paths, report.OneLine(p.Path))
	}
	if more := len(q.Paths) - len(paths); more > 0 {
		paths = append(paths, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s: %s of %s on %s.", did, report.OneLine(q.Actor.Tool), report.OneLine(whose(q.Actor)), strings.Join(paths, ", "))
}

func whose(a Actor) string {
	if a.Client == "" {
		return "an agent"
	}
	return a.Client
}
