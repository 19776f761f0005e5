package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// followLog prints entries as they come, until Ctrl-C or until the reader of standard output has gone. It prints
// nothing before Ctrl-C is handled. A script may interrupt it as soon as it has read an entry, and a background job of
// a script starts with the signal ignored: the signal would be lost.
func (a *app) followLog(ctx context.Context, ws *emend.Workspace, f logFlags) error {
	ctx, stop := a.untilReaderGone(ctx)
	defer stop()
	err := ws.Follow(ctx, f.HistoryRequest, a.entryPrinter(f))
	if err == nil && errors.Is(context.Cause(ctx), syscall.EPIPE) {
		return errPrinted
	}
	return a.printError(err)
}

// untilReaderGone returns a context that ends with the cause EPIPE when nobody reads standard output any more. It returns
// once Ctrl-C is handled.
func (a *app) untilReaderGone(ctx context.Context) (context.Context, func()) {
	a.interruptReady.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	if out, ok := unwrapWriter(a.out).(*os.File); ok {
		go cancelWhenReaderGone(ctx, out, stop)
	}
	return ctx, func() { stop(nil) }
}

// cancelWhenReaderGone cancels with EPIPE when out is a pipe that nobody reads any more.
func cancelWhenReaderGone(ctx context.Context, out *os.File, stop context.CancelCauseFunc) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if readerGone(out) {
				stop(syscall.EPIPE)
				return
			}
		}
	}
}

// entryPrinter returns a function that prints entries as they come.
func (a *app) entryPrinter(f logFlags) func([]api.LogEntry, []string) error {
	begun := false
	return func(entries []api.LogEntry, notes []string) error {
		a.printWarnings(notes)
		if a.json {
			return a.printEntryLines(entries)
		}
		if a.quiet || len(entries) == 0 {
			return nil
		}
		var b strings.Builder
		if begun && !f.oneLine {
			b.WriteByte('\n')
		}
		begun = true
		out := a.out
		a.out = &b
		a.printEntries(entries, f)
		a.out = out
		_, err := fmt.Fprint(a.out, b.String())
		return err
	}
}

// printEntryLines prints entries as JSON, one a line.
func (a *app) printEntryLines(entries []api.LogEntry) error {
	enc := newLineEncoder(a.out)
	for i := range entries {
		if err := enc.Encode(&entries[i]); err != nil {
			return err
		}
	}
	return nil
}
