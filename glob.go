package emend

import (
	"context"
	"io"
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

// GlobTo is [Workspace.Glob] for many paths: it writes each to out while it looks, on a line of its own, those of directories with a
// slash, and holds none of them. The answer says how many there were. An error of out is returned as it is.
func (w *Workspace) GlobTo(ctx context.Context, r GlobRequest, out io.Writer) (*Answer[GlobSum], error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	o, q, err := w.globbing(ctx, &r)
	if err != nil {
		return nil, cannot(err)
	}
	to := &sink{Writer: out}
	n, is, err := find.GlobTo(ctx, w.guard, o, q, to)
	if to.err != nil {
		return nil, to.err
	}
	if err != nil {
		return nil, cannot(err)
	}
	a := found(GlobSum{Written: n, Truncated: is.More}, countOf(n, "path", "paths"))
	a.Notes = unreadNote(is.Unread)
	return a, nil
}

func (w *Workspace) glob(ctx context.Context, r GlobRequest) (data GlobData, unread int, err error) {
	o, q, err := w.globbing(ctx, &r)
	if err != nil {
		return data, 0, err
	}
	list, out, err := find.Glob(ctx, w.guard, o, q)
	data = GlobData{Matches: make([]GlobMatch, len(list)), Truncated: out.More}
	for i := range list {
		f := &list[i]
		data.Matches[i] = GlobMatch{f.Path, f.Type(), f.Size, f.ModTime}
	}
	return data, out.Unread, err
}

// globbing reads a request, and looks at where it is about.
func (w *Workspace) globbing(ctx context.Context, r *GlobRequest) (o find.Options, q find.Globbing, err error) {
	q = find.Globbing{Pattern: r.Pattern, Exclude: r.ExcludeGlobs}
	if r.MaxResults >= 0 {
		if q.Most, err = atMost("maxResults", r.MaxResults, usualPaths, mostPaths); err != nil {
			return o, q, err
		}
	}
	if o, err = w.looking(ctx, r.Root, r.IncludeIgnored); err != nil {
		return o, q, err
	}
	if o.Root.Kind != guard.Directory {
		return o, q, notDirectory(r.Root, o.Root)
	}
	return o, q, nil
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
