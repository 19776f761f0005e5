package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// answersHere reports whether a person at a terminal can be shown what waits, and answer.
func (a *app) answersHere() bool { return a.atTerminal() && a.ttyErr && !a.json && !a.quiet }

// answerAll shows each call that waits, and sends the answer that a person types. It reports whether the person goes on: not after
// Ctrl-C or q.
func (a *app) answerAll(ctx context.Context, ws *emend.Workspace, all []api.Waiting) (more bool, err error) {
	for i := range all {
		if more, err := a.answerOne(ctx, ws, &all[i]); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// answerOne shows one call, and reports whether the person goes on. An answer that comes too late is said, and is no error.
func (a *app) answerOne(ctx context.Context, ws *emend.Workspace, w *api.Waiting) (more bool, err error) {
	if _, err := fmt.Fprintf(a.out, "%s\n\n", a.waitingText(w)); err != nil {
		return false, err
	}
	if w.Question.PageOnly {
		_, err := fmt.Fprintln(a.out, "Answer at the page that emend ui shows; the policy takes no other answer.")
		return err == nil, err
	}
	prompt := "Allow it? y: once, n: refuse, Enter: leave it, q: end [y/n/q] "
	if w.ForSession {
		prompt = "Allow it? y: once, s: for the session, n: refuse, Enter: leave it, q: end [y/s/n/q] "
	}
	var answer *api.Answer[api.AnsweredData]
	for answer == nil {
		line, err := a.askLine(prompt)
		if errors.Is(err, fail.CommandFailed) {
			return false, nil // Ctrl-C
		}
		if err != nil {
			return false, err
		}
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case word == "":
			return true, nil
		case word == "q":
			return false, nil
		case word == "y" || word == "yes":
			answer, err = ws.Allow(ctx, api.AllowRequest{ID: w.ID})
		case word == "s" && w.ForSession:
			answer, err = ws.Allow(ctx, api.AllowRequest{ID: w.ID, Session: true})
		case word == "n" || word == "no":
			reason, askErr := a.askLine("Why? The agent reads it; Enter for no reason: ")
			if askErr != nil {
				return false, nil //nolint:nilerr // Ctrl-C: the call waits still
			}
			answer, err = ws.Deny(ctx, api.DenyRequest{ID: w.ID, Reason: strings.TrimSpace(reason)})
		default:
			continue
		}
		if r, ok := errors.AsType[*emend.Refusal](err); ok {
			a.explainRefusal(r)
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	_, err = fmt.Fprintf(a.out, "%s\n\n", report.Escape(answer.Result().Text()))
	return err == nil, err
}
