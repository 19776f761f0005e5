package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// atTerminal reports whether both standard input and standard output are terminals.
func (a *app) atTerminal() bool { return a.ttyOut && a.ttyIn }

// answeringBy says by what means a question is answered here, for the log. What answers at a terminal need not be a person:
// any program can make itself one.
func (a *app) answeringBy() string {
	if a.atTerminal() {
		return api.AnsweredByTerminal
	}
	return api.AnsweredByCommand
}

// terminalWidth returns the columns of the terminal, or 0 if there is none.
func (a *app) terminalWidth() int {
	f, ok := unwrapWriter(a.out).(*os.File)
	if !a.ttyOut || !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}

// Escape sequences for colours.
const (
	reset   = "\x1b[m"
	bold    = "\x1b[1m"
	red     = "\x1b[31m"
	green   = "\x1b[32m"
	magenta = "\x1b[35m"
	cyan    = "\x1b[36m"
	boldRed = "\x1b[1;31m"
	blue    = "\x1b[1;34m"
)

func (a *app) useColor() bool { return a.ttyOut && !a.noColor && a.env("NO_COLOR") == "" }

// colorize returns s in a colour, if colours are wanted.
func (a *app) colorize(color, s string) string {
	if !a.useColor() || color == "" || s == "" {
		return s
	}
	return color + s + reset
}

func diffColor(line string) string {
	switch {
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "),
		strings.HasPrefix(line, "rename "), strings.HasPrefix(line, "new file"), strings.HasPrefix(line, "deleted file"):
		return bold
	case strings.HasPrefix(line, "@@"):
		return cyan
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	}
	return ""
}

// printDiff prints a diff in colour. It escapes control characters.
func (a *app) printDiff(w io.Writer, diff string) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		fmt.Fprintln(w, a.colorize(diffColor(line), report.Escape(line)))
	}
}
