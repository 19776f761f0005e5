package consent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/board"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	byPage     = "page"
	byTerminal = "terminal"
	BySession  = "page, for the session"
)

// maxWords is how much of a person's words is passed on, in bytes.
const maxWords = 2000

// Patient says every few seconds that a person is asked, to a client that would not wait for so long in silence.
func Patient(ctx context.Context, patience time.Duration) func(left time.Duration) {
	const every = 5 * time.Second
	tell, told := caller.Progress(ctx), 0
	return func(left time.Duration) {
		if n := int((patience - left) / every); tell != nil && n > told {
			told = n
			tell(n, 0, fmt.Sprintf("a person is asked; %d s are left", int(left/time.Second)))
		}
	}
}

// AnsweredBy is what a person said.
func AnsweredBy(w *workspace.Workspace, q api.Question, a board.Answer) (by string, err error) {
	switch {
	case a.Allowed && a.Session:
		w.Grants.Add(q)
		fallthrough
	case a.Allowed:
		if a.By == byTerminal {
			return byTerminal, nil
		}
		return byPage, nil
	}
	e := &fail.Error{Kind: fail.PermissionDenied, Msg: "a person was asked, and said no", Hint: "Do not send the same call again; do without it."}
	if reason := CutWords(a.Reason); reason != "" {
		e.Msg += fmt.Sprintf(": %q", reason)
		e.Hint = "Do not send the same call again; do what the person says."
	}
	return "", e
}

func NobodyThere(msg, hint string) error {
	return &fail.Error{Kind: fail.PermissionDenied, Cause: api.ErrNoPage, Msg: msg, Hint: "Leave the file as it is. " + hint}
}

func NoPage() error {
	return NobodyThere("no page is open on which a person could answer", `A person can open one with "emend ui" and answer there, when the call is sent again; or change the policy.`)
}

// Unanswered words why there is no answer.
func Unanswered(err error, patience time.Duration) error {
	e := &fail.Error{Kind: fail.PermissionDenied, Cause: err}
	switch {
	case errors.Is(err, board.ErrNoPage):
		return NoPage()
	case errors.Is(err, board.ErrTimeout):
		e.Msg = fmt.Sprintf("a person was asked at the page, and did not answer within %v; the question is withdrawn", patience)
		e.Hint = "Go on with something else, and say that it waits for a person; send the call again when one is there."
	case errors.Is(err, board.ErrPageClosed):
		e.Msg = "a person was asked at the page, which was closed before they answered; the question is withdrawn"
		e.Hint = "Leave the file as it is. A person can open " + `"emend ui"` + " again, and answer when the call is sent again."
	case errors.Is(err, board.ErrFull):
		e.Msg, e.Hint = "too many questions wait for a person already", "Try again when they are answered."
	case errors.Is(err, board.ErrTooLong):
		e.Msg = fmt.Sprintf("it is more than a person can be shown: a question has at most %d paths", board.MaxPaths)
		e.Hint = "Send it in parts."
	case errors.Is(err, board.ErrUnreadable):
		e.Msg, e.Hint = "what the store has for an answer cannot be read, and counts as a no", "Send the call again, to be asked about again."
	case errors.Is(err, context.Canceled):
		e.Msg, e.Hint = "the client left while a person was asked; the question is withdrawn", "Send the call again."
	default:
		e.Msg, e.Hint = "a person could not be asked: "+err.Error(), "Leave the file as it is; emend doctor says whether something is wrong with the store."
	}
	return e
}

func CutWords(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= maxWords {
		return s
	}
	return strings.ToValidUTF8(s[:maxWords], "") + "…"
}
