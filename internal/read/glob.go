package read

import (
	"context"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	usualPaths = 1000
	mostPaths  = 100_000
)

func Glob(ctx context.Context, w *workspace.Workspace, r api.GlobRequest) (data api.GlobData, unread int, err error) {
	o, q, err := Globbing(ctx, w, &r)
	if err != nil {
		return data, 0, err
	}
	list, out, err := find.Glob(ctx, w.Guard, o, q)
	data = api.GlobData{Matches: make([]api.GlobMatch, len(list)), Truncated: out.More}
	for i := range list {
		f := &list[i]
		data.Matches[i] = api.GlobMatch{Path: f.Path, Type: f.Type(), Size: f.Size, MTime: f.ModTime}
	}
	return data, out.Unreadable, err
}

// Globbing reads a request, and looks at where it is about.
func Globbing(ctx context.Context, w *workspace.Workspace, r *api.GlobRequest) (o find.Options, q find.GlobQuery, err error) {
	q = find.GlobQuery{Pattern: r.Pattern, Exclude: r.ExcludeGlobs}
	if r.MaxResults >= 0 {
		if q.Limit, err = atMost("maxResults", r.MaxResults, usualPaths, mostPaths); err != nil {
			return o, q, err
		}
	}
	if o, err = looking(ctx, w, r.Root, r.IncludeIgnored); err != nil {
		return o, q, err
	}
	if o.Root.Kind != guard.Directory {
		return o, q, notDirectory(r.Root, o.Root)
	}
	return o, q, nil
}

// WordGlob is what a model reads: a line about the whole, then the paths; those of directories end in a slash.
func WordGlob(d *api.GlobData, unread int) string {
	var b strings.Builder
	b.WriteString(CountOf(len(d.Matches), "path", "paths"))
	if d.Truncated {
		b.WriteString("; there are more: narrow the pattern, or raise maxResults")
	}
	noteTail(&b, UnreadNote(unread))
	for _, m := range d.Matches {
		b.WriteByte('\n')
		b.WriteString(report.OneLine(m.Path))
		if m.Type == "directory" {
			b.WriteByte('/')
		}
	}
	return b.String()
}
