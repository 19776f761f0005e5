package read

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/workspace"
)

// findOptions returns where List, Search and Glob look, and which files they leave out.
func findOptions(ctx context.Context, w *workspace.Workspace, path string, ignored bool) (find.Options, error) {
	if path == "" {
		path = "."
	}
	e, err := resolveRoot(ctx, w, path)
	if err != nil {
		return find.Options{}, err
	}
	o := find.Options{Root: e, IncludeIgnored: ignored}
	if o.SkipDirs = caller.LeftOutDirs(ctx); o.SkipDirs == nil {
		o.Excludes = find.GlobalExcludes()
	}
	if report := caller.Progress(ctx); report != nil {
		o.Progress = func(done int, what string) { report(done, 0, what) }
	}
	return o, nil
}

// resolveRoot looks up the path where a search begins. It follows a link that leads to a place inside the workspace.
func resolveRoot(ctx context.Context, w *workspace.Workspace, path string) (guard.Entry, error) {
	path = workspace.TrimSlashes(path)
	ask := guard.Request{Base: w.DefaultBase(), Absolute: caller.AbsolutePaths(ctx)}
	e, err := w.Guard.Resolve(path, ask)
	if err == nil && e.Kind == guard.Symlink {
		ask.Follow = true
		e, err = w.Guard.Resolve(path, ask)
	}
	if err == nil && e.Kind == guard.Missing {
		err = &fail.Error{Kind: fail.NotFound, Path: path, Msg: "no such file or directory",
			Hint: "Check the path, or list the directory that should have it."}
	}
	return e, err
}

// numberUpTo checks a number of a request. 0 stands for defaultValue.
func numberUpTo(field string, n, defaultValue, largest int) (int, error) {
	switch {
	case n == 0:
		return defaultValue, nil
	case n < 0 || n > largest:
		return 0, caller.BadField(field, fmt.Sprintf("%d", n), fmt.Sprintf("Use a number from 1 to %d, or leave it out for %d.", largest, defaultValue))
	}
	return n, nil
}

// countOf formats a number with its noun.
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// unreadNotes notes how many files and directories could not be read.
func unreadNotes(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{countOf(n, "file or directory", "files or directories") + " could not be read."}
}

// appendNotes appends the notes to a line, each after a semicolon.
func appendNotes(b *strings.Builder, notes []string) {
	for _, note := range notes {
		b.WriteString("; " + strings.ToLower(note[:1]) + strings.TrimSuffix(note[1:], "."))
	}
}
