package emend

import (
	"context"
	"path/filepath"
	"time"

	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/wait"
)

// Waiting is a call that waits for a person to answer, as the store has it.
type Waiting struct {
	ID       string
	Since    time.Time
	Deadline time.Time // when it is refused without an answer
	Question Question
	// Below is where the workspace that asks lies in this one, which the paths of the question are relative to; "." for this one.
	Below string
}

// Waiting lists the calls that wait for a person, the oldest first.
func (w *Workspace) Waiting(ctx context.Context) ([]Waiting, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	b, err := w.board(false)
	if b == nil || err != nil {
		return nil, cannot(err)
	}
	all, err := b.List(w.keeper.way())
	if err != nil {
		return nil, cannot(storeError(err))
	}
	out := make([]Waiting, len(all))
	for i := range all {
		out[i] = w.waiting(&all[i])
	}
	return out, nil
}

// WaitingFor is one of the calls that wait.
func (w *Workspace) WaitingFor(ctx context.Context, id string) (*Waiting, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	b, err := w.board(false)
	if err != nil {
		return nil, cannot(err)
	}
	q, err := question(b, id, w.keeper.way())
	if err != nil {
		return nil, cannot(notAnswered(id, err))
	}
	return new(w.waiting(&q)), nil
}

// question is one that waits, also where there is no board yet.
func question(b *wait.Board, id, prefix string) (wait.Question, error) {
	if b == nil {
		return wait.Question{}, wait.ErrNone
	}
	return b.Find(id, prefix)
}

// waiting is what a file of the store says. Who wrote it may not be emend.
func (w *Workspace) waiting(q *wait.Question) Waiting {
	rel, err := filepath.Rel(filepath.FromSlash(w.keeper.way()), filepath.FromSlash(q.Prefix))
	if err != nil {
		rel = "."
	}
	return Waiting{ID: q.ID, Since: q.Since, Deadline: q.Deadline, Below: filepath.ToSlash(rel),
		Question: Question{Root: q.Root, Actor: q.Actor, Paths: q.Paths, Diff: bounded(report.Escape(q.Diff)), Digest: q.Digest}}
}
