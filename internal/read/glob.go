package read

import (
	"context"
	"io"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	defaultPaths = 1000
	maxPaths     = 100_000
)

// Glob finds the paths that match a pattern.
func Glob(ctx context.Context, w *workspace.Workspace, r api.GlobRequest) (*api.Answer[api.GlobData], error) {
	data, unread, err := glob(ctx, w, &r)
	if err != nil {
		return nil, err
	}
	return report.Found(data, unreadNotes(unread), func() string { return globText(&data, unread) }), nil
}

// GlobTo writes each path to out as soon as it is found, on a line of its own, with a slash after a directory. It holds
// no list of them.
func GlobTo(ctx context.Context, w *workspace.Workspace, r api.GlobRequest, out io.Writer) (*api.Answer[api.GlobSum], error) {
	o, q, err := globQuery(ctx, w, &r)
	if err != nil {
		return nil, err
	}
	n, found, err := find.GlobTo(ctx, w.Guard, o, q, out)
	if err != nil {
		return nil, err
	}
	return report.Found(api.GlobSum{Written: n, Truncated: found.More}, unreadNotes(found.Unreadable), func() string { return countOf(n, "path", "paths") }), nil
}

func glob(ctx context.Context, w *workspace.Workspace, r *api.GlobRequest) (data api.GlobData, unread int, err error) {
	o, q, err := globQuery(ctx, w, r)
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

// globQuery checks a request and resolves its root.
func globQuery(ctx context.Context, w *workspace.Workspace, r *api.GlobRequest) (o find.Options, q find.GlobQuery, err error) {
	q = find.GlobQuery{Pattern: r.Pattern, Exclude: r.ExcludeGlobs}
	if r.MaxResults >= 0 {
		if q.Limit, err = numberUpTo("maxResults", r.MaxResults, defaultPaths, maxPaths); err != nil {
			return o, q, err
		}
	}
	if o, err = findOptions(ctx, w, r.Root, r.IncludeIgnored); err != nil {
		return o, q, err
	}
	if o.Root.Kind != guard.Directory {
		return o, q, notDirectory(r.Root, o.Root)
	}
	return o, q, nil
}

// globText formats the data for a model: a line about the result, then the paths, with a slash after each directory.
func globText(d *api.GlobData, unread int) string {
	var b strings.Builder
	b.WriteString(countOf(len(d.Matches), "path", "paths"))
	if d.Truncated {
		b.WriteString("; more matches: use a narrower pattern, or raise maxResults")
	}
	appendNotes(&b, unreadNotes(unread))
	for _, m := range d.Matches {
		b.WriteByte('\n')
		b.WriteString(report.OneLine(m.Path))
		if m.Type == "directory" {
			b.WriteByte('/')
		}
	}
	return b.String()
}
