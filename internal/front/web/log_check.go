package web

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/panics"
)

// logChecker checks the whole log of a workspace in the background, one check at a time, and keeps the last result. A check
// has a number, which is in the address of its page, so that reloading the page does not start another one.
type logChecker struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	last logCheck
	done chan struct{} // closed at the end of the running check; nil if none runs
}

// logCheck is one check: its progress, then its result.
type logCheck struct {
	Number      int
	Started     time.Time
	Ended       time.Time // zero while it runs
	Done, Total int       // files compared; the records, which are read before, are not counted
	report      *api.VerifyReport
	err         error
}

// Running reports whether the check is running.
func (c *logCheck) Running() bool { return c.Number > 0 && c.Ended.IsZero() }

// Duration returns how long the check took.
func (c *logCheck) Duration() string {
	return c.Ended.Sub(c.Started).Round(time.Millisecond).String()
}

// Failure returns why the check found nothing out.
func (c *logCheck) Failure() string {
	if c.err == nil {
		return ""
	}
	return c.err.Error()
}

// checkWait is the time that a page waits for a check. The check of a short log ends within it.
const checkWait = 500 * time.Millisecond

func newLogChecker() *logChecker {
	c := &logChecker{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// startOrGet starts the check with this number, if it is a new one, and waits for it a moment. It returns the newest check.
// The number 0 starts none.
func (c *logChecker) startOrGet(ctx context.Context, w *emend.Workspace, number int, log *slog.Logger) logCheck {
	done := c.start(w, number, log)
	if done != nil && number > 0 {
		select {
		case <-done:
		case <-ctx.Done():
		case <-time.After(checkWait):
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// start starts a check, unless one runs or the number is not new.
func (c *logChecker) start(w *emend.Workspace, number int, log *slog.Logger) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil && number > c.last.Number && c.ctx.Err() == nil {
		c.last, c.done = logCheck{Number: number, Started: time.Now()}, make(chan struct{})
		panics.Go(func() { c.run(w, log) }, panics.LogTo(log, "the check of the log"))
	}
	return c.done
}

func (c *logChecker) run(w *emend.Workspace, log *slog.Logger) {
	ctx := emend.WithProgress(c.ctx, func(done, total int, _ string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.last.Done, c.last.Total = done, total
	})
	var report *api.VerifyReport
	err := panics.Call(func() (err error) { report, err = w.Verify(ctx, api.VerifyRequest{}); return err })
	if err != nil && c.ctx.Err() == nil {
		log.Error("the log could not be checked", "error", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last.Ended, c.last.report, c.last.err = time.Now(), report, err
	close(c.done)
	c.done = nil
}

// close ends the running check, and waits for it.
func (c *logChecker) close() {
	c.cancel()
	c.mu.Lock()
	done := c.done
	c.mu.Unlock()
	if done != nil {
		<-done
	}
}

// parseCheckNumber reads the number in an address. Anything else is 0, which asks for no check.
func parseCheckNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 1_000_000_000 {
		return 0
	}
	return n
}
