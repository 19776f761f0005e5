package emend

import (
	"context"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/board"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/workspace"
)

// Allow answers a call that waits with yes.
func (w *Workspace) Allow(ctx context.Context, r api.AllowRequest) (*api.Answer[api.AnsweredData], error) {
	return consent.Answer(ctx, w.s, r.ID, board.Answer{Allowed: true, Session: r.Session, By: r.By})
}

// Deny answers it with no.
func (w *Workspace) Deny(ctx context.Context, r api.DenyRequest) (*api.Answer[api.AnsweredData], error) {
	return consent.Answer(ctx, w.s, r.ID, board.Answer{Reason: consent.CutWords(r.Reason), By: r.By})
}

// AskAtPage asks the person who has a page open, and waits for the answer until the deadline. It is a hook for [Asking].
// Where no page is open it refuses at once: errors.Is(err, ErrNobodyThere) then.
func (w *Host) AskAtPage(ctx context.Context, q api.Question, patience time.Duration) (by string, err error) {
	if err := w.s.Enter(); err != nil {
		return "", err
	}
	defer w.s.Calls.Done()
	if consent.AllowedBefore(w.s, q) {
		return consent.BySession, nil
	}
	if patience <= 0 {
		return "", consent.NobodyThere("calls do not wait for one here", "A person can have them wait: emend serve --wait 45s.")
	}
	b, err := w.s.Board(false)
	if err != nil {
		return "", err
	}
	if b == nil {
		return "", consent.NoPage()
	}
	now := time.Now()
	a, err := b.Ask(ctx, board.Question{Since: now, Deadline: now.Add(patience), Prefix: w.s.Keeper.Way(), Root: q.Root, Actor: q.Actor,
		Paths: q.Paths, Diff: q.Diff, Digest: q.Digest}, consent.Patient(ctx, patience))
	if err != nil {
		return "", consent.Unanswered(err, patience)
	}
	return consent.AnsweredBy(w.s, q, a)
}

// PageOpen says, until leave is called, the workspace is closed or the process ends, that a person has a page open that shows what
// waits. Who leaves one page for the next has not left: a page should linger for a moment before it says so.
func (w *Host) PageOpen() (leave func(), err error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	b, err := w.s.Board(true)
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	leave, err = b.OpenPage(w.s.Keeper.Way())
	if err != nil {
		return nil, outcome.Cannot(workspace.StoreError(err))
	}
	return leave, nil
}

// Waiting lists the calls that wait for a person, the oldest first.
func (w *Workspace) Waiting(ctx context.Context) ([]api.Waiting, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	b, err := w.s.Board(false)
	if b == nil || err != nil {
		return nil, outcome.Cannot(err)
	}
	all, err := b.List(w.s.Keeper.Way())
	if err != nil {
		return nil, outcome.Cannot(workspace.StoreError(err))
	}
	out := make([]api.Waiting, len(all))
	for i := range all {
		out[i] = consent.Waiting(w.s, &all[i])
	}
	return out, nil
}

// WaitingFor is one of the calls that wait.
func (w *Host) WaitingFor(ctx context.Context, id string) (*api.Waiting, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	b, err := w.s.Board(false)
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	q, err := consent.Question(b, id, w.s.Keeper.Way())
	if err != nil {
		return nil, outcome.Cannot(consent.NotAnswered(id, err))
	}
	return new(consent.Waiting(w.s, &q)), nil
}

// AllowedBefore reports whether a person has allowed, to the session that asks and until it ends, all that q is about.
func (w *Host) AllowedBefore(q api.Question) bool { return consent.AllowedBefore(w.s, q) }
