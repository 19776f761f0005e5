package cli

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// The first word of progress comes when a person begins to wonder, and then not more often than they can read.
const (
	wonder = time.Second
	blink  = 100 * time.Millisecond
)

// progress tells a person at a terminal how far long work is, on one line of standard error that goes away at the end.
// In a pipe it says nothing.
func (a *app) progress() (tell func(done, total int), end func()) {
	f, ok := a.err.(*os.File)
	if !ok || a.quiet || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	next, said := time.Now().Add(wonder), false
	tell = func(done, total int) {
		now := time.Now()
		if now.Before(next) {
			return
		}
		next, said = now.Add(blink), true
		fmt.Fprintf(f, "\remend: %d of %d files are staged", done, total)
	}
	return tell, func() {
		if said {
			fmt.Fprint(f, "\r\x1b[K")
		}
	}
}
