package consent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/board"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/workspace"
)

// knownMeans are the means by which an answer may say that it was given.
var knownMeans = []string{api.AnsweredByPage, api.AnsweredByTerminal, api.AnsweredByCommand, api.AnsweredByProgram, api.AnsweredByHub}

// maxReason is how many bytes of a person's reason are passed on.
const maxReason = 2000

// AskAtPage asks the person who has a page open, and waits at most patience for the answer. It refuses at once where no page
// is open. It asks nobody about what a person has allowed to the session already, which g has; nil is for a call without a
// session.
func AskAtPage(ctx context.Context, w *workspace.Workspace, q api.Question, patience time.Duration, g *Grants) (by string, err error) {
	if err := w.Enter(); err != nil {
		return "", err
	}
	defer w.Leave()
	if by, ok := g.Cover(q); ok {
		return by + forSession, nil
	}
	if patience <= 0 {
		return "", nobodyThere("calls do not wait for one here", "A person can have them wait, with ‹option wait› of emend serve.")
	}
	b, err := w.Board(false)
	if err != nil {
		return "", err
	}
	if b == nil {
		return "", noPage()
	}
	now := time.Now()
	a, err := b.Ask(ctx, board.Question{Since: now, Deadline: now.Add(patience), Prefix: w.Paths().Prefix, Root: q.Root, Actor: q.Actor,
		Paths: q.Paths, Diff: q.Diff, Digest: q.Digest, ForSession: g != nil, PageOnly: q.PageOnly}, reportWaiting(ctx, patience))
	if err != nil {
		return "", unanswered(err, patience)
	}
	return answeredBy(q, a, g)
}

// forSession follows, in the log, where a person allowed something for the rest of a session.
const forSession = ", for the session"

// OpenPage announces that a person sees the waiting calls, by some means, until close is called, the workspace is closed or the
// process ends.
func OpenPage(_ context.Context, w *workspace.Workspace, means string) (close func(), err error) {
	b, err := w.Board(true)
	if err != nil {
		return nil, err
	}
	if close, err = b.OpenPage(w.Paths().Prefix, means); err != nil {
		return nil, workspace.StoreError(err)
	}
	return close, nil
}

// reportWaiting returns a function that reports progress every few seconds while a person is asked: a client might give up
// after a long silence.
func reportWaiting(ctx context.Context, patience time.Duration) func(left time.Duration) {
	const every = 5 * time.Second
	report, reported := caller.Progress(ctx), 0
	return func(left time.Duration) {
		if n := int((patience - left) / every); report != nil && n > reported {
			reported = n
			report(n, 0, fmt.Sprintf("waiting for approval, %d s left", int(left/time.Second)))
		}
	}
}

// answeredBy returns where a person said yes, and adds a yes for the session to g. A no is an error.
func answeredBy(q api.Question, a board.Answer, g *Grants) (by string, err error) {
	if a.Allowed {
		if !slices.Contains(knownMeans, a.By) {
			a.By = api.AnsweredByProgram // it is not one of ours that wrote this
		}
		if a.Session && g != nil {
			g.add(q, a.By)
		}
		return a.By, nil
	}
	e := &fail.Error{Kind: fail.PermissionDenied, Msg: "a person denied it", Hint: "Do not send the same call again; do without it."}
	if reason := cutReason(a.Reason); reason != "" {
		e.Msg += fmt.Sprintf(": %q", reason)
		e.Hint = "Do not send the same call again; do what the person says."
	}
	return "", e
}

// nobodyThere returns a refusal that has [api.ErrNoPage] as its cause.
func nobodyThere(msg, hint string) error {
	return &fail.Error{Kind: fail.PermissionDenied, Cause: api.ErrNoPage, Msg: msg, Hint: "Leave the file as it is. " + hint}
}

func noPage() error {
	return nobodyThere("no page is open where a person could approve it", `A person can open one with "emend ui" and answer there, when the call is sent again; or change the policy.`)
}

// unanswered says why a question got no answer.
func unanswered(err error, patience time.Duration) error {
	e := &fail.Error{Kind: fail.PermissionDenied, Cause: err}
	switch {
	case errors.Is(err, board.ErrNoPage):
		return noPage()
	case errors.Is(err, board.ErrTimeout):
		e.Msg = fmt.Sprintf("nobody answered at the page within %v; the request was withdrawn", patience)
		e.Hint = "Go on with something else, and say that it waits for a person; send the call again when one is there."
	case errors.Is(err, board.ErrPageClosed):
		e.Msg = "the page was closed before anybody answered; the request was withdrawn"
		e.Hint = `Leave the file as it is. A person can open "emend ui" again, and answer when the call is sent again.`
	case errors.Is(err, board.ErrFull):
		e.Msg, e.Hint = "too many requests wait for approval already", "Try again when they are answered."
	case errors.Is(err, board.ErrTooLong):
		e.Msg = fmt.Sprintf("too many paths for one approval: at most %d", board.MaxPaths)
		e.Hint = "Send it in parts."
	case errors.Is(err, board.ErrPageOnly):
		e.Msg, e.Hint = "the answer is not from a page, and the policy takes no other", "Send the call again for a new approval."
	case errors.Is(err, board.ErrUnreadable):
		e.Msg, e.Hint = "the answer in the store cannot be read, and counts as a denial", "Send the call again for a new approval."
	case errors.Is(err, context.Canceled):
		e.Msg, e.Hint = "the client left while the call waited for approval; the request was withdrawn", "Send the call again."
	default:
		e.Msg, e.Hint = "approval could not be requested: "+err.Error(), "Leave the file as it is. ‹Run doctor›: it says whether something is wrong with the store."
	}
	return e
}

// cutReason cuts a person's reason to what is passed on.
func cutReason(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= maxReason {
		return s
	}
	return strings.ToValidUTF8(s[:maxReason], "") + "…"
}
