package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"golang.org/x/term"
)

// A progress bar appears after progressDelay, and changes at most every progressInterval.
const (
	progressDelay    = time.Second
	progressInterval = 100 * time.Millisecond
)

// progressBar shows a person at a terminal the progress of a long call, on one line of standard error that it removes
// at the end. finish does nothing for a nil bar.
type progressBar struct {
	w     io.Writer
	width func() int

	mu    sync.Mutex
	next  time.Time
	shown bool
	ended bool
}

// newProgressBar returns nil in a pipe and with --quiet.
func (a *app) newProgressBar() *progressBar {
	f, ok := a.err.(*os.File)
	if !ok || a.quiet || !a.ttyErr {
		return nil
	}
	return &progressBar{w: f, next: time.Now().Add(progressDelay), width: func() int {
		n, _, err := term.GetSize(int(f.Fd()))
		if err != nil || n <= 0 {
			n = 80
		}
		return n
	}}
}

// update shows done of total. The total is 0 if it is not known.
func (b *progressBar) update(done, total int, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.ended || now.Before(b.next) {
		return
	}
	b.next, b.shown = now.Add(progressInterval), true
	fmt.Fprint(b.w, "\r"+progressLine(done, total, what, b.width()-1)+"\x1b[K")
}

// finish removes the line. Later updates show nothing.
func (b *progressBar) finish() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	if b.shown {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

// progressLine returns one line of at most width columns. It has a bar if the total is known and there is room.
func progressLine(done, total int, what string, width int) string {
	const cells = 20
	line := fmt.Sprintf("emend: %d so far, %s", done, report.OneLine(what))
	if total > 0 {
		line = fmt.Sprintf("emend: %d of %d %s", done, total, report.OneLine(what))
		if full := cells * min(max(done, 0), total) / total; len([]rune(line))+cells+3 <= width {
			line += " [" + strings.Repeat("#", full) + strings.Repeat(".", cells-full) + "]"
		}
	}
	if r := []rune(line); len(r) > width {
		line = string(r[:max(width, 0)])
	}
	return line
}

// stagingProgress returns a bar for the staging of a patch.
func (a *app) stagingProgress() (tell func(done, total int), end func()) {
	b := a.newProgressBar()
	if b == nil {
		return nil, func() {}
	}
	return func(done, total int) { b.update(done, total, "files are staged") }, b.finish
}

// withProgress makes a call with a progress bar.
func withProgress[T any](a *app, ctx context.Context, do func(context.Context) (*api.Answer[T], error)) (*api.Answer[T], error) {
	b := a.newProgressBar()
	if b == nil {
		return do(ctx)
	}
	defer b.finish()
	return do(emend.WithProgress(ctx, b.update))
}
