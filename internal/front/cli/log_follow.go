package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/emend-dev/emend"
)

// followLog follows the log until Ctrl-C, or until nobody reads any more. It says nothing before Ctrl-C is heeded: who has
// read the first entry may stop it, and a script's background jobs begin with that signal ignored, so it would be lost.
func (a *app) followLog(ctx context.Context, ws *emend.Workspace, f logFlags) error {
	a.interruptReady.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if out, ok := unwrapWriter(a.out).(*os.File); ok {
		go cancelWhenReaderGone(ctx, out, stop)
	}
	err := ws.Follow(ctx, f.HistoryRequest, a.entryPrinter(f.Diff))
	if err == nil && errors.Is(context.Cause(ctx), syscall.EPIPE) {
		return errPrinted
	}
	return a.printError(err)
}

// cancelWhenReaderGone stops with EPIPE when nobody reads any more what is written to out.
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

// entryPrinter prints entries as they come.
func (a *app) entryPrinter(diff bool) func([]emend.LogEntry, []string) error {
	begun := false
	return func(entries []emend.LogEntry, notes []string) error {
		a.printWarnings(notes)
		if a.json {
			return a.printEntryLines(entries)
		}
		if a.quiet || len(entries) == 0 {
			return nil
		}
		var b strings.Builder
		if begun {
			b.WriteByte('\n')
		}
		begun = true
		out := a.out
		a.out = &b
		a.printEntries(entries, diff)
		a.out = out
		_, err := fmt.Fprint(a.out, b.String())
		return err
	}
}

// printEntryLines prints one entry a line.
func (a *app) printEntryLines(entries []emend.LogEntry) error {
	enc := json.NewEncoder(terminalSafe{a.out})
	enc.SetEscapeHTML(false)
	for i := range entries {
		if err := enc.Encode(&entries[i]); err != nil {
			return err
		}
	}
	return nil
}
