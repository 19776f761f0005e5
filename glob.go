package emend

import (
	"context"
	"strings"

	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
)

const (
	usualPaths = 1000
	mostPaths  = 100_000
)

// Glob finds paths by a pattern: *, ?, [a-z], {a,b}, and ** for any number of directories. What it leaves out is what
// [Workspace.Search] leaves out. A negative MaxResults is any number.
func (w *Workspace) Glob(ctx context.Context, r GlobRequest) (*Answer[GlobData], error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	data, unread, err := w.glob(ctx, r)
	if err != nil {
		return nil, cannot(err)
	}
	a := foundMany(data, func() string { return wordGlob(&data, unread) })
	a.Notes = unreadNote(unread)
	return a, nil
}

func (w *Workspace) glob(ctx context.Context, r GlobRequest) (data GlobData, unread int, err error) {
	most := 0
	if r.MaxResults >= 0 {
		if most, err = atMost("maxResults", r.MaxResults, usualPaths, mostPaths); err != nil {
			return data, 0, err
		}
	}
	o, err := w.looking(ctx, r.Root, r.IncludeIgnored)
	if err != nil {
		return data, 0, err
	}
	if o.Root.Kind != guard.Directory {
		return data, 0, notDirectory(r.Root, o.Root)
	}
	o.Bare = r.NamesOnly
	list, out, err := find.Glob(ctx, w.guard, o, find.Globbing{Pattern: r.Pattern, Exclude: r.ExcludeGlobs, Most: most})
	data = GlobData{Matches: make([]GlobMatch, len(list)), Truncated: out.More}
	for i := range list {
		f := &list[i]
		data.Matches[i] = GlobMatch{f.Path, f.Type(), f.Size, f.ModTime}
	}
	return data, out.Unread, err
}

// wordGlob is what a model reads: a line about the whole, then the paths; those of directories end in a slash.
func wordGlob(d *GlobData, unread int) string {
	var b strings.Builder
	b.WriteString(countOf(len(d.Matches), "path", "paths"))
	if d.Truncated {
		b.WriteString("; there are more: narrow the pattern, or raise maxResults")
	}
	noteTail(&b, unreadNote(unread))
	for _, m := range d.Matches {
		b.WriteByte('\n')
		b.WriteString(report.OneLine(m.Path))
		if m.Type == "directory" {
			b.WriteByte('/')
		}
	}
	return b.String()
}
