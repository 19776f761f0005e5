package read

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/credential"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	defaultMatches = 100
	maxMatches     = 10_000
	maxContext     = 100
)

// Search finds lines that match a text or a regular expression, or paths that contain a text.
func Search(ctx context.Context, w *workspace.Workspace, r api.SearchRequest) (*api.Answer[api.SearchData], error) {
	data, found, err := search(ctx, w, &r)
	if err != nil {
		return nil, err
	}
	notes := append(searchNotes(&found), matchedKeys(data.Matches)...)
	return report.Found(data, notes, func() string { return searchText(&data, &r, notes) }), nil
}

// SearchTo writes each match to out as soon as it is found, as path:line:text, or as a path in mode path. It holds no
// list of them, and it has no context lines.
func SearchTo(ctx context.Context, w *workspace.Workspace, r api.SearchRequest, out io.Writer) (*api.Answer[api.SearchSum], error) {
	o, q, err := searchQuery(ctx, w, &r)
	if err == nil && q.Context > 0 {
		err = caller.BadField("contextLines", fmt.Sprint(q.Context), "Search without them, or with Search.")
	}
	if err != nil {
		return nil, err
	}
	n, found, err := find.SearchTo(ctx, w.Guard, o, q, out)
	if err != nil {
		return nil, err
	}
	sum := api.SearchSum{Written: n, Truncated: found.More, FilesScanned: found.Files}
	return report.Found(sum, searchNotes(&found), func() string {
		return countOf(n, "match", "matches") + " in " + countOf(found.Files, "file searched", "files searched")
	}), nil
}

func search(ctx context.Context, w *workspace.Workspace, r *api.SearchRequest) (data api.SearchData, out find.Summary, err error) {
	o, q, err := searchQuery(ctx, w, r)
	if err != nil {
		return data, out, err
	}
	matches, out, err := find.Search(ctx, w.Guard, o, q)
	data = api.SearchData{Matches: make([]api.SearchMatch, len(matches)), Truncated: out.More, FilesScanned: out.Files}
	for i, m := range matches {
		data.Matches[i] = api.SearchMatch(m)
	}
	return data, out, err
}

// searchQuery checks a request and resolves its root.
func searchQuery(ctx context.Context, w *workspace.Workspace, r *api.SearchRequest) (o find.Options, q find.SearchQuery, err error) {
	if q, err = parseSearch(r); err != nil {
		return o, q, err
	}
	if o, err = findOptions(ctx, w, r.Root, r.IncludeIgnored); err != nil {
		return o, q, err
	}
	if k := o.Root.Kind; k != guard.Directory && k != guard.Regular {
		err = &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: r.Root,
			Msg: fmt.Sprintf("%s is a %s", fail.Quote(r.Root), k), Hint: "Name a directory or a regular file to search in."}
	}
	return o, q, err
}

// parseSearch returns the query of a request.
func parseSearch(r *api.SearchRequest) (q find.SearchQuery, err error) {
	q = find.SearchQuery{Query: r.Query, Include: r.IncludeGlobs, Exclude: r.ExcludeGlobs, IgnoreCase: r.CaseSensitive != nil && !*r.CaseSensitive}
	switch r.Mode {
	case "text", "":
		q.Mode = find.Text
	case "regex":
		q.Mode = find.Regexp
	case "path":
		q.Mode = find.Paths
	default:
		return q, caller.BadField("mode", fail.Quote(r.Mode), "Use text, regex or path.")
	}
	if q.Context, err = numberUpTo("contextLines", r.ContextLines, 0, maxContext); err != nil {
		return q, err
	}
	if r.MaxResults >= 0 {
		q.Limit, err = numberUpTo("maxResults", r.MaxResults, defaultMatches, maxMatches)
	}
	return q, err
}

// searchNotes notes what was not searched.
func searchNotes(out *find.Summary) []string {
	notes := unreadNotes(out.Unreadable)
	if out.CutLines > 0 {
		notes = append(notes, "Only the first MiB of "+countOf(out.CutLines, "line", "lines")+" was searched.")
	}
	if out.StoppedAtNUL > 0 {
		notes = append(notes, countOf(out.StoppedAtNUL, "file was", "files were")+" searched only up to the line that has a NUL.")
	}
	return notes
}

// matchedKeys notes matches that look like keys, with the lines around them: one note for each file, and at most maxKeyNotes.
func matchedKeys(all []api.SearchMatch) (notes []string) {
	for i := 0; i < len(all); {
		path := all[i].Path
		var hits []credential.Hit
		for ; i < len(all) && all[i].Path == path; i++ {
			m := &all[i]
			text := m.Preview
			if len(m.Before)+len(m.After) > 0 {
				text = strings.Join(slices.Concat(m.Before, []string{m.Preview}, m.After), "\n")
			}
			for _, h := range credential.Find(text) {
				h.Line, h.LastLine = h.Line+m.Line-len(m.Before)-1, 0
				if !slices.Contains(hits, h) {
					hits = append(hits, h)
				}
			}
		}
		switch {
		case len(hits) == 0:
		case len(notes) == maxKeyNotes:
			return append(notes, "More matches look like keys.")
		default:
			notes = append(notes, path+": "+credential.Note(hits)+doNotRepeat)
		}
	}
	return notes
}

// maxKeyNotes limits the files that a search notes for their keys.
const maxKeyNotes = 3

// searchText formats the data for a model: a line about the result, then path:line:text of each match, and path-line-
// text of each line around it.
func searchText(d *api.SearchData, r *api.SearchRequest, notes []string) string {
	var b strings.Builder
	what := countOf(len(d.Matches), "match", "matches")
	if r.Mode == "path" {
		what = countOf(len(d.Matches), "path", "paths")
	}
	fmt.Fprintf(&b, "%s in %s", what, countOf(d.FilesScanned, "file searched", "files searched"))
	if d.Truncated {
		b.WriteString("; more matches: set root or includeGlobs, or raise maxResults")
	}
	appendNotes(&b, notes)
	b.WriteByte('\n')
	p := matchPrinter{b: &b}
	for i := range d.Matches {
		p.printMatch(&d.Matches[i], nextMatch(d.Matches, i))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// matchPrinter prints matches with the lines around them, each line once.
type matchPrinter struct {
	b        *strings.Builder
	path     string
	lastLine int // the last line of path that was printed
}

func (p *matchPrinter) printMatch(m, next *api.SearchMatch) {
	if m.Line == 0 {
		fmt.Fprintln(p.b, report.OneLine(m.Path))
		return
	}
	if m.Path != p.path {
		p.path, p.lastLine = m.Path, 0
	}
	first := m.Line - len(m.Before)
	if len(m.Before)+len(m.After) > 0 && p.lastLine > 0 && first > p.lastLine+1 {
		p.b.WriteString("--\n")
	}
	for i, text := range m.Before {
		p.printLine(first+i, '-', text)
	}
	p.printLine(m.Line, ':', m.Preview)
	for i, text := range m.After {
		if next != nil && m.Line+1+i >= next.Line {
			break
		}
		p.printLine(m.Line+1+i, '-', text)
	}
}

func (p *matchPrinter) printLine(n int, mark byte, text string) {
	if n > p.lastLine {
		fmt.Fprintf(p.b, "%s%c%d%c%s\n", report.OneLine(p.path), mark, n, mark, text)
		p.lastLine = n
	}
}

// nextMatch returns the match after the i-th if it is in the same file, else nil.
func nextMatch(all []api.SearchMatch, i int) *api.SearchMatch {
	if i+1 < len(all) && all[i+1].Path == all[i].Path {
		return &all[i+1]
	}
	return nil
}
