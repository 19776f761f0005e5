package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
	"github.com/spf13/cobra"
)

func (a *app) status() *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "status [PATH]",
		Short: "Show what was changed since the last commit of git, by session",
		Long: `status lists the files that were changed through emend, or seen by it, since the last
commit of git: session by session, with the lines that each added and removed. With
--since it begins at a mark, a time or an age; where there is no repository, at the
beginning of the log. Changes that were undone are left out, and so are changes that
emend saw but whose author it does not know: see git status for those.

The line counts compare each file before and after the session. Changes that others
made in between are counted too, and noted.`,
		Example: `  emend status
  emend status src --since before-refactoring
  emend status --since 14:05
  emend status --since 2h --json`,
		SuggestFor: []string{"st", "changes"},
		Args:       atMost(0, "one PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runStatus(cmd.Context(), since, argument(args, 0, ""))
		},
	}
	a.sinceFlag(cmd, &since)
	cmd.ValidArgsFunction = completeFilesAfter(0)
	return cmd
}

// sinceFlag defines --since of a verb that compares with a point of the log.
func (a *app) sinceFlag(cmd *cobra.Command, since *string) {
	cmd.Flags().StringVar(since, "since", "", "since `MARK`, a time (14:05, 2026-01-31T12:00:00Z) or an age (90m, 2h, 7d), instead of the last commit")
	registerCompletion(cmd, "since", a.completeMarks)
}

func (a *app) runStatus(ctx context.Context, since, path string) error {
	ws, err := a.open(emend.NoRecovery())
	if err != nil {
		return err
	}
	defer ws.Close()
	r, begin, err := point(ctx, ws, since)
	if err != nil {
		return a.printError(err)
	}
	r.Path = path
	changes, err := ws.Host().ChangesSince(ctx, r)
	if err != nil {
		return a.printError(err)
	}
	if a.json {
		return a.printAnswer(strings.TrimSpace(a.statusText(changes, begin)), changes)
	}
	a.printWarnings(changes.Notes)
	if a.quiet {
		return nil
	}
	return a.withPager(func() { fmt.Fprint(a.out, a.statusText(changes, begin)) })
}

func (a *app) statusText(c *api.Changes, begin string) string {
	if len(c.Sessions) == 0 {
		return "Nothing was changed through emend since " + begin + ".\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Since %s:\n", begin)
	for i := range c.Sessions {
		s := &c.Sessions[i]
		fmt.Fprintf(&b, "\n%s, %s, %s\n", a.colorize(bold, report.OneLine(whose(s.Client, s.AgentName, s.SessionID))), plural(s.Calls, "change"), formatSpan(s.First, s.Last))
		width := 0
		for k := range s.Files {
			width = max(width, len(report.OneLine(a.shownFile(&s.Files[k]))))
		}
		for k := range s.Files {
			f := &s.Files[k]
			letter := report.OpLetter(&api.LogEntry{Operation: f.Operation})
			fmt.Fprintf(&b, "  %s %-*s  %s\n", a.colorize(letterColors[letter], letter), width, report.OneLine(a.shownFile(f)), a.lineCounts(f))
		}
	}
	return b.String()
}

// shownFile returns the path of a file, and of one that was moved both.
func (a *app) shownFile(f *api.ChangedFile) string {
	return report.EntryPath(&api.LogEntry{Path: a.shown(f.Path), ToPath: a.shown(f.ToPath)})
}

// lineCounts says how many lines of a file were added and removed.
func (a *app) lineCounts(f *api.ChangedFile) string {
	switch {
	case f.NotShown != "":
		return "(" + report.OneLine(f.NotShown) + ")"
	case strings.Contains(f.Diff, "\nBinary files "):
		return "binary"
	}
	return a.colorize(green, fmt.Sprintf("+%d", f.Added)) + " " + a.colorize(red, fmt.Sprintf("-%d", f.Removed))
}

// whose describes who made a change, for people.
func whose(client, agent, session string) string {
	out := cmp.Or(client, "unknown")
	if agent != "" {
		out = agent + " (" + out + ")"
	}
	if session != "" {
		out += ", session " + session
	}
	return out
}

// formatSpan returns the times of the first and the last change, in local time.
func formatSpan(first, last time.Time) string {
	first, last = first.Local(), last.Local()
	const day = "2006-01-02 15:04"
	switch {
	case first.Format(day) == last.Format(day):
		return last.Format(day)
	case first.Format(time.DateOnly) == last.Format(time.DateOnly):
		return first.Format(day) + " to " + last.Format("15:04")
	}
	return first.Format(day) + " to " + last.Format(day)
}

// point returns where a comparison begins, and describes it: at the mark, the time or the age that since names, else at the last commit
// of git, else at the beginning of the log.
func point(ctx context.Context, ws *emend.Workspace, since string) (r api.ChangesRequest, begin string, err error) {
	if since == "" {
		if at, id, ok := lastCommit(ctx, ws.Root()); ok {
			return api.ChangesRequest{Since: at}, fmt.Sprintf("the commit %s (%s)", id[:min(len(id), 10)], at.Local().Format("2006-01-02 15:04")), nil
		}
		return r, "the beginning of the log", nil
	}
	marks, err := ws.Host().Marks(ctx)
	if err != nil {
		return r, "", err
	}
	for _, m := range marks {
		if m.Name == since {
			return api.ChangesRequest{After: m.Head.Seq}, fmt.Sprintf("the mark %s (%s)", report.OneLine(m.Name), m.At.Local().Format("2006-01-02 15:04")), nil
		}
	}
	at, err := parseTime(since, time.Now())
	if _, ok := errors.AsType[*usageError](err); ok {
		return r, "", err
	}
	if err != nil {
		return r, "", usageErrorf("", "--since: no mark is called %q, and it is no time (14:05, 2026-01-31) and no age (90m, 2h, 7d)", since)
	}
	return api.ChangesRequest{Since: at}, at.Local().Format("2006-01-02 15:04:05"), nil
}

// parseTime reads a time of the day or a date, which are local, a time, or an age.
func parseTime(text string, now time.Time) (time.Time, error) {
	local, err := localTime(text, now)
	if err != nil {
		return now, err
	}
	if at, err := time.Parse(time.RFC3339, local); err == nil {
		return at, nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return at, nil
	}
	age, err := tool.ParseAge(text)
	return now.Add(-age), err
}

// lastCommit returns the time and the id of the commit that the repository of a directory has checked out. It is not ok where there is
// no git, no repository or no commit.
func lastCommit(ctx context.Context, dir string) (at time.Time, id string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := gitCommand(ctx, dir, "rev-list", "-1", "--timestamp", "HEAD").Output()
	seconds, id, cut := strings.Cut(string(bytes.TrimSpace(out)), " ")
	n, parseErr := strconv.ParseInt(seconds, 10, 64)
	if err != nil || !cut || parseErr != nil {
		return at, "", false
	}
	at = time.Unix(n, 0)
	// A commit knows the second in which it was made. The file that notes where HEAD was tells more, if it was written in that second.
	if out, err = gitCommand(ctx, dir, "rev-parse", "--git-path", "logs/HEAD").Output(); err == nil {
		log := string(bytes.TrimSpace(out))
		if !filepath.IsAbs(log) {
			log = filepath.Join(dir, log)
		}
		if is, err := os.Stat(log); err == nil && is.ModTime().Unix() == n {
			at = is.ModTime()
		}
	}
	return at, id, true
}

// gitCommand returns a command of git that only reads.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	return cmd
}
