package consent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/report"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/board"
	"github.com/emend-dev/emend/internal/workspace"
)

// Allow answers a waiting call with yes.
func Allow(ctx context.Context, w *workspace.Workspace, r api.AllowRequest) (*api.Answer[api.AnsweredData], error) {
	return answer(ctx, w, r.ID, board.Answer{Allowed: true, Session: r.Session})
}

// Deny answers a waiting call with no.
func Deny(ctx context.Context, w *workspace.Workspace, r api.DenyRequest) (*api.Answer[api.AnsweredData], error) {
	return answer(ctx, w, r.ID, board.Answer{Reason: cutReason(r.Reason)})
}

// answer answers a waiting call. The first answer counts.
func answer(ctx context.Context, w *workspace.Workspace, id string, a board.Answer) (*api.Answer[api.AnsweredData], error) {
	if ctx.Err() != nil {
		return nil, caller.Cancelled(ctx)
	}
	b, found, err := findQuestion(w, id)
	if err != nil {
		return nil, err
	}
	a.By = caller.Answering(ctx)
	q, err := b.Answer(found.ID, w.Paths().Prefix, a)
	if err != nil {
		return nil, notAnswered(id, err)
	}
	return report.Found(api.AnsweredData{ID: q.ID, Allowed: a.Allowed, Session: a.Session}, nil, func() string { return answeredText(q, a) }), nil
}

// notAnswered says why a question could not be found or answered.
func notAnswered(id string, err error) error {
	e := &fail.Error{Kind: fail.NotFound, Cause: err, Hint: "To see what waits now, ‹run waiting›, or open the page."}
	switch {
	case errors.Is(err, board.ErrAnswered):
		e.Msg = fmt.Sprintf("the call %s was answered already", fail.Quote(id))
	case errors.Is(err, board.ErrNotWaiting):
		e.Msg = fmt.Sprintf("no call %s waits: it was answered, withdrawn or expired", fail.Quote(id))
	case errors.Is(err, board.ErrNoSession):
		e = &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Cause: err,
			Msg:  fmt.Sprintf("the call %s belongs to no session: what its client says of itself, any other client could say too", fail.Quote(id)),
			Hint: "Allow it once; or use a client with a revision of the protocol that has sessions, or standard input and output."}
	case errors.Is(err, board.ErrPageOnly):
		e = &fail.Error{Kind: fail.PermissionDenied, Cause: err,
			Msg:  "the policy that the call is under takes answers from a page only ([ask] answer = \"page\")",
			Hint: "Answer at the page. To open it, ‹run ui›."}
	default:
		return workspace.StoreError(err)
	}
	return e
}

// answeredText words an answer for a person.
func answeredText(q board.Question, a board.Answer) string {
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

func whose(a api.Actor) string {
	if a.Client == "" {
		return "an agent"
	}
	return a.Client
}
