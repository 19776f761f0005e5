package consent

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/board"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

// Waiting lists the calls that wait for a person, the oldest first.
func Waiting(_ context.Context, w *workspace.Workspace) ([]api.Waiting, error) {
	b, err := w.Board(false)
	if b == nil || err != nil {
		return nil, err
	}
	all, err := b.List(w.Paths().Prefix)
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	out := make([]api.Waiting, len(all))
	for i := range all {
		out[i] = waitingCall(w, &all[i])
	}
	return out, nil
}

// WaitingFor returns one of the calls that wait.
func WaitingFor(_ context.Context, w *workspace.Workspace, id string) (*api.Waiting, error) {
	_, q, err := findQuestion(w, id)
	if err != nil {
		return nil, err
	}
	return new(waitingCall(w, &q)), nil
}

// findQuestion finds a question that waits on the board. Without a board none does.
func findQuestion(w *workspace.Workspace, id string) (*board.Board, board.Question, error) {
	b, err := w.Board(false)
	if err != nil {
		return nil, board.Question{}, err
	}
	if b == nil {
		return nil, board.Question{}, notAnswered(id, board.ErrNotWaiting)
	}
	if id, err = wholeID(b, id, w.Paths().Prefix); err != nil {
		return nil, board.Question{}, err
	}
	q, err := b.Find(id, w.Paths().Prefix)
	if err != nil {
		return nil, q, notAnswered(id, err)
	}
	return b, q, nil
}

// wholeID returns the id of the one question that waits below prefix and that id abbreviates, or id if there is none.
func wholeID(b *board.Board, id, prefix string) (string, error) {
	if board.IsID(id) {
		return id, nil
	}
	all, err := b.List(prefix)
	if err != nil {
		return "", workspace.StoreError(err)
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].ID
	}
	switch fit := abbrev.Pick(names, id); len(fit) {
	case 0:
		return id, nil
	case 1:
		return fit[0], nil
	default:
		return "", &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s abbreviates %d calls that wait: %s", fail.Quote(id), len(fit), strings.Join(fit, ", ")),
			Hint: "Write more of the id."}
	}
}

// waitingCall turns a question of the board into what a person is shown. Another program than emend may have written it.
func waitingCall(w *workspace.Workspace, q *board.Question) api.Waiting {
	rel, err := filepath.Rel(filepath.FromSlash(w.Paths().Prefix), filepath.FromSlash(q.Prefix))
	if err != nil {
		rel = "."
	}
	return api.Waiting{ID: q.ID, Since: q.Since, Deadline: q.Deadline, Below: filepath.ToSlash(rel),
		ForSession: q.ForSession,
		Question:   api.Question{Root: q.Root, Actor: q.Actor, Paths: q.Paths, Diff: cutDiff(report.Escape(q.Diff)), Digest: q.Digest, PageOnly: q.PageOnly}}
}
