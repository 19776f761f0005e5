package cli

import (
	"context"
	"fmt"
	"html"
	"os/exec"
	"runtime"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// notifyNew tells the desktop of the calls that were not shown yet.
func (a *app) notifyNew(ctx context.Context, all []api.Waiting, shown map[string]bool) {
	for i := range all {
		if q := &all[i].Question; !shown[all[i].ID] {
			a.notify(ctx, fmt.Sprintf("A call waits: %s, %s, %s", report.OneLine(whose(q.Actor.Client, q.Actor.Agent, "")), report.OneLine(q.Actor.Tool), describePaths(q.Paths)))
		}
	}
}

// notify shows a notification on the desktop. Where there is none, it rings the bell of the terminal.
func (a *app) notify(ctx context.Context, text string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if cmd := notifyCommand(ctx, runtime.GOOS, text); cmd != nil && cmd.Run() == nil {
		return
	}
	if a.ttyErr {
		fmt.Fprint(a.err, "\a")
	}
}

// notifyCommand returns the command that shows a notification; nil if a system has none. The text, which names what an agent named, is
// an argument, never a part of a script, and begins with words of emend, so that it is no option.
func notifyCommand(ctx context.Context, system, text string) *exec.Cmd {
	switch system {
	case "darwin":
		return exec.CommandContext(ctx, "osascript", "-e", "on run argv", "-e", `display notification (item 1 of argv) with title "emend"`, "-e", "end run", text)
	case "windows":
		return nil
	}
	return exec.CommandContext(ctx, "notify-send", "--app-name=emend", "--", "emend", html.EscapeString(text)) // its text is markup
}
