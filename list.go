package emend

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
)

const (
	mostEntries = 5000
	usualDepth  = 8
	mostDepth   = 32
)

// List lists a directory. What ignore files leave out is left out, and so are .git, node_modules and emend's store; a
// directory that is named itself is listed whatever its name. Links are listed and not followed.
func (w *Workspace) List(ctx context.Context, r ListRequest) (*Answer[ListData], error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	data, unread, err := w.list(ctx, r)
	if err != nil {
		return nil, cannot(err)
	}
	a := foundMany(data, func() string { return wordList(&data, &r, unread) })
	a.Notes = unreadNote(unread)
	return a, nil
}

func (w *Workspace) list(ctx context.Context, r ListRequest) (data ListData, unread int, err error) {
	depth, err := atMost("maxDepth", r.MaxDepth, usualDepth, mostDepth)
	if err != nil {
		return data, 0, err
	}
	if !r.Recursive {
		depth = 1
	}
	o, err := w.looking(ctx, r.Path, r.IncludeIgnored)
	if err != nil {
		return data, 0, err
	}
	if o.Root.Kind != guard.Directory {
		return data, 0, notDirectory(r.Path, o.Root)
	}
	o.Bare = r.NamesOnly
	list, out, err := find.List(ctx, w.guard, o, find.Listing{Depth: depth, Hidden: r.IncludeHidden, Most: mostEntries})
	if err != nil {
		return data, 0, err
	}
	data = ListData{Path: o.Root.Rel, Entries: make([]ListEntry, len(list)), Truncated: out.More}
	for i := range list {
		f := &list[i]
		data.Entries[i] = ListEntry{f.Name, f.Path, f.Type(), f.Size, f.ModTime, f.Depth}
	}
	return data, out.Unread, nil
}

func notDirectory(path string, e guard.Entry) error {
	err := &fail.Error{Kind: fail.NotFound, Path: path, Msg: fmt.Sprintf("%s is a %s, not a directory", fail.Quote(e.Rel), e.Kind),
		Hint: "Name a directory; this can only be listed with the directory that has it."}
	if e.Kind == guard.Regular {
		err.Hint = "Read the file, or list the directory that has it."
	}
	return err
}

// wordList is what a model reads: a line about the whole, then type, size and path of each.
func wordList(d *ListData, r *ListRequest, unread int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", report.Escape(d.Path), countOf(len(d.Entries), "entry", "entries"))
	if d.Truncated {
		fmt.Fprintf(&b, ", the first of more; list a directory below")
		if r.Recursive {
			b.WriteString(", or with a smaller maxDepth")
		}
	}
	noteTail(&b, unreadNote(unread))
	for i := range d.Entries {
		e := &d.Entries[i]
		b.WriteByte('\n')
		entryLine(&b, e.Type, e.Size, e.RelativePath)
	}
	return b.String()
}

// entryLine is one path with what it is. The size of what is no file says nothing.
func entryLine(b *strings.Builder, kind string, size int64, path string) {
	path = report.OneLine(path)
	switch kind {
	case "file":
		b.WriteString("file ")
		b.WriteString(strconv.FormatInt(size, 10))
		b.WriteByte(' ')
		b.WriteString(path)
	case "directory":
		b.WriteString("dir - ")
		b.WriteString(path)
		b.WriteByte('/')
	default:
		b.WriteString(kind)
		b.WriteString(" - ")
		b.WriteString(path)
	}
}

func noteTail(b *strings.Builder, notes []string) {
	for _, note := range notes {
		b.WriteString("; " + strings.ToLower(note[:1]) + strings.TrimSuffix(note[1:], "."))
	}
}
