package read

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	maxEntries   = 5000
	defaultDepth = 8
	maxDepth     = 32
)

// List lists the entries of a directory, and with Recursive of the directories in it, down to MaxDepth.
func List(ctx context.Context, w *workspace.Workspace, r api.ListRequest) (*api.Answer[api.ListData], error) {
	data, unread, err := list(ctx, w, &r)
	if err != nil {
		return nil, err
	}
	return report.Found(data, unreadNotes(unread), func() string { return listText(&data, &r, unread) }), nil
}

func list(ctx context.Context, w *workspace.Workspace, r *api.ListRequest) (data api.ListData, unread int, err error) {
	depth, err := numberUpTo("maxDepth", r.MaxDepth, defaultDepth, maxDepth)
	if err != nil {
		return data, 0, err
	}
	if !r.Recursive {
		depth = 1
	}
	o, err := findOptions(ctx, w, r.Path, r.IncludeIgnored)
	if err != nil {
		return data, 0, err
	}
	if o.Root.Kind != guard.Directory {
		return data, 0, notDirectory(r.Path, o.Root)
	}
	o.NamesOnly = r.NamesOnly
	found, out, err := find.List(ctx, w.Guard, o, find.ListQuery{Depth: depth, Hidden: r.IncludeHidden, Limit: maxEntries})
	if err != nil {
		return data, 0, err
	}
	data = api.ListData{Path: o.Root.Rel, Entries: make([]api.ListEntry, len(found)), Truncated: out.More}
	for i := range found {
		f := &found[i]
		data.Entries[i] = api.ListEntry{Name: f.Name, RelativePath: f.Path, Type: f.Type(), Size: f.Size, MTime: f.ModTime, Depth: f.Depth}
	}
	return data, out.Unreadable, nil
}

func notDirectory(path string, e guard.Entry) error {
	err := &fail.Error{Kind: fail.NotFound, Path: path, Msg: fmt.Sprintf("%s is a %s, not a directory", fail.Quote(e.Rel), e.Kind),
		Hint: "Name a directory; this can only be listed with the directory that has it."}
	if e.Kind == guard.Regular {
		err.Hint = "Read the file, or list the directory that has it."
	}
	return err
}

// listText formats the data for a model: a line about the list, then a line for each entry.
func listText(d *api.ListData, r *api.ListRequest, unread int) string {
	var b strings.Builder
	b.Grow(100 + 24*len(d.Entries))
	fmt.Fprintf(&b, "%s: %s", report.OneLine(d.Path), countOf(len(d.Entries), "entry", "entries"))
	if d.Truncated {
		fmt.Fprintf(&b, ", the first of more; list a directory below")
		if r.Recursive {
			b.WriteString(", or with a smaller maxDepth")
		}
	}
	appendNotes(&b, unreadNotes(unread))
	for i := range d.Entries {
		b.WriteByte('\n')
		writeEntry(&b, &d.Entries[i], r.NamesOnly)
	}
	return b.String()
}

// writeEntry writes the line of one entry: its type, its size unless only names are wanted, and its path. Only a file has a size.
func writeEntry(b *strings.Builder, e *api.ListEntry, namesOnly bool) {
	kind, end := e.Type, ""
	if kind == "directory" {
		kind, end = "dir", "/"
	}
	b.WriteString(kind)
	b.WriteByte(' ')
	switch {
	case namesOnly:
	case kind == "file":
		b.WriteString(strconv.FormatInt(e.Size, 10))
		b.WriteByte(' ')
	default:
		b.WriteString("- ")
	}
	b.WriteString(report.OneLine(e.RelativePath))
	b.WriteString(end)
}
