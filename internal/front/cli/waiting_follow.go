package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// pollInterval is how often followWaiting looks for new calls.
const pollInterval = 200 * time.Millisecond

// followWaiting marks a person as present, and shows each call as it comes, until Ctrl-C or until the reader of
// standard output has gone. At a terminal it takes the answers.
func (a *app) followWaiting(ctx context.Context, notify bool) error {
	ctx, stop := a.untilReaderGone(ctx)
	defer stop()
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return err
	}
	defer ws.Close()
	leave, err := ws.Host().PageOpen(a.answeringBy())
	if err != nil {
		return a.printError(err)
	}
	defer leave()
	if !a.quiet {
		fmt.Fprintln(a.err, "emend: calls that ask for you are shown here as they come; Ctrl-C ends it")
	}
	return a.printError(a.pollWaiting(ctx, ws, notify))
}

// pollWaiting shows each call once when it comes, and says when it is gone.
func (a *app) pollWaiting(ctx context.Context, ws *emend.Workspace, notify bool) error {
	shown := map[string]bool{}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		all, err := ws.Waiting(ctx)
		if err == nil && notify {
			a.notifyNew(ctx, all, shown)
		}
		switch {
		case err != nil:
		case a.answersHere():
			fresh := slices.DeleteFunc(all, func(w api.Waiting) bool { return shown[w.ID] })
			for i := range fresh {
				shown[fresh[i].ID] = true
			}
			var more bool
			if more, err = a.answerAll(ctx, ws, fresh); err == nil && !more {
				return nil
			}
		default:
			err = a.printNewWaiting(all, shown)
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), syscall.EPIPE) {
				return errPrinted
			}
			return nil
		case <-tick.C:
		}
	}
}

// printNewWaiting prints the calls that are new. Without --json it also prints those that are gone.
func (a *app) printNewWaiting(all []api.Waiting, shown map[string]bool) error {
	now := map[string]bool{}
	for i := range all {
		now[all[i].ID] = true
		if shown[all[i].ID] {
			continue
		}
		shown[all[i].ID] = true
		if err := a.printWaiting(&all[i]); err != nil {
			return err
		}
	}
	for id := range shown {
		if now[id] {
			continue
		}
		delete(shown, id)
		if a.json {
			continue
		}
		if _, err := fmt.Fprintf(a.out, "%s no longer waits.\n\n", id); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printWaiting(w *api.Waiting) error {
	if a.json {
		return newLineEncoder(a.out).Encode(newWaitingCall(w))
	}
	how := fmt.Sprintf("emend waiting allow %[1]s, or emend waiting deny %[1]s --reason TEXT", w.ID)
	if w.Question.PageOnly {
		how = "at the page that emend ui shows; the policy takes no other answer"
	}
	_, err := fmt.Fprintf(a.out, "%s\n\nanswer: %s\n\n", a.waitingText(w), how)
	return err
}
