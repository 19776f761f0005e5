package emend

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
)

type leaveOutKey struct{}

// LeavingOut makes List, Search and Glob leave out the directories with these names, instead of what ignore files, .git
// and node_modules would have them leave out.
func LeavingOut(ctx context.Context, names ...string) context.Context {
	return context.WithValue(ctx, leaveOutKey{}, append([]string{}, names...))
}

// looking is where List, Search and Glob look, and what they leave out.
func (w *Workspace) looking(ctx context.Context, path string, ignored bool) (find.Options, error) {
	if path == "" {
		path = "."
	}
	e, err := w.root(path)
	if err != nil {
		return find.Options{}, err
	}
	o := find.Options{Root: e, Ignored: ignored}
	if o.LeaveOut, _ = ctx.Value(leaveOutKey{}).([]string); o.LeaveOut == nil {
		o.Excludes = find.Excludes()
	}
	if told := progress(ctx); told != nil {
		o.Progress = func(done int, what string) { told(done, 0, what) }
	}
	return o, nil
}

// root looks at what was named. A link to what is inside the workspace is followed: who names it means what it leads to.
func (w *Workspace) root(path string) (guard.Entry, error) {
	path = unslashed(path)
	ask := guard.Ask{Base: w.base}
	e, err := w.guard.Look(path, ask)
	if err == nil && e.Kind == guard.Symlink {
		ask.Follow = true
		e, err = w.guard.Look(path, ask)
	}
	if err == nil && e.Kind == guard.Missing {
		err = &fail.Error{Kind: fail.NotFound, Path: path, Msg: "no such file or directory",
			Hint: "Check the path, or list the directory that should have it."}
	}
	return e, err
}

// unslashed is the path of a directory without the slash that it may end in.
func unslashed(path string) string {
	if bare := strings.TrimRight(path, "/"); bare != "" {
		return bare
	}
	return "/."
}

// atMost checks a number that a caller gave. 0 stands for normal.
func atMost(field string, n, normal, most int) (int, error) {
	switch {
	case n == 0:
		return normal, nil
	case n < 0 || n > most:
		return 0, badField(field, fmt.Sprintf("%d", n), fmt.Sprintf("Use a number from 1 to %d, or leave it out for %d.", most, normal))
	}
	return n, nil
}

func badField(field, got, hint string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s cannot be %s", field, got), Hint: hint}
}

// countOf words a number of things.
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// unreadNote says what could not be looked at.
func unreadNote(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{countOf(n, "file or directory", "files or directories") + " could not be read."}
}
