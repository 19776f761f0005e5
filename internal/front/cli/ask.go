package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/report"
)

// withAsker has calls ask the person at the terminal where the policy wants that. Without a terminal nobody is asked.
func (a *app) withAsker(ctx context.Context) context.Context {
	if !a.ttyErr || !a.ttyIn && !hasTerminal() {
		return ctx
	}
	return emend.WithAsker(ctx, a.askAtTerminal)
}

// askAtTerminal shows what would happen and asks for a yes. What only built-in rules ask about goes on without a question: the person
// who is here gave the command.
func (a *app) askAtTerminal(_ context.Context, q api.Question) (by string, err error) {
	builtIn := true
	for _, p := range q.Paths {
		builtIn = builtIn && p.BuiltIn
	}
	switch {
	case builtIn:
		return "", fmt.Errorf("nobody is there to approve: %w", api.ErrNoPage)
	case q.PageOnly:
		return "", fmt.Errorf("the policy takes answers from a page only, and %w", api.ErrNoPage)
	}
	a.printDiff(a.err, q.Diff)
	for _, p := range q.Paths {
		fmt.Fprintf(a.err, "The policy asks about %s %s (%s).\n", map[bool]string{true: "changing", false: "reading"}[p.Write], report.OneLine(p.Path), consent.RuleText(p))
	}
	yes, err := a.confirmed("Do it?")
	switch {
	case err != nil:
		return "", err
	case !yes:
		return "", &fail.Error{Msg: "you said no", Hint: "Nothing was changed."}
	}
	return api.AnsweredByTerminal, nil
}

// confirmed asks a question at the terminal, and reports whether the answer is yes.
func (a *app) confirmed(question string) (bool, error) {
	line, err := a.askLine(question + " [y/N] ")
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes", err
}

// askLine asks at the terminal and returns the line that the person types. If standard input is a pipe, it opens the terminal itself.
func (a *app) askLine(prompt string) (string, error) {
	in := a.in
	if !a.ttyIn {
		f, err := os.Open(terminalName())
		if err != nil {
			return "", errors.New("there is no terminal to ask on")
		}
		defer f.Close()
		in = f
	}
	a.interruptReady.Wait()
	fmt.Fprint(a.err, prompt)
	r := &interruptibleReader{interrupted: a.interrupted, r: in}
	var line []byte
	for b := make([]byte, 1); ; { // what comes after the line is for somebody else
		n, err := r.Read(b)
		if n > 0 && b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[:n]...)
		if err == io.EOF {
			fmt.Fprintln(a.err)
			return string(line), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// hasTerminal reports whether the process can reach a terminal although standard input is none.
func hasTerminal() bool {
	f, err := os.Open(terminalName())
	if err != nil {
		return false
	}
	defer f.Close()
	return isTerminal(f)
}

func terminalName() string {
	if runtime.GOOS == "windows" {
		return "CONIN$"
	}
	return "/dev/tty"
}
