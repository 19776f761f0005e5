package emend

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
)

const (
	usualMatches = 100
	mostMatches  = 10_000
	mostContext  = 100
)

// Search looks for lines, or for paths. What it leaves out is what [Workspace.List] leaves out, except that it looks
// into hidden names. Binary files are passed over: those with a NUL in their first 8192 bytes; one with a NUL further on is
// searched up to there. Of a line over 1 MiB its first MiB is searched. The answer says where that was so. A negative MaxResults is any number.
func (w *Workspace) Search(ctx context.Context, r SearchRequest) (*Answer[SearchData], error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	data, out, err := w.search(ctx, r)
	if err != nil {
		return nil, cannot(err)
	}
	notes := searchNotes(&out)
	a := found(data, wordSearch(&data, &r, notes))
	a.Notes = notes
	return a, nil
}

// SearchTo is [Workspace.Search] for many matches: it writes each to out while it searches, as path:line:text, in mode path as a path,
// and holds none of them. The answer has no matches, and how many there were as Written. Lines around them are not
// written, so that a request for them is refused. An error of out is returned as it is.
func (w *Workspace) SearchTo(ctx context.Context, r SearchRequest, out io.Writer) (*Answer[SearchSum], error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	to := &sink{Writer: out}
	o, q, err := w.query(ctx, &r)
	if err == nil && q.Context > 0 {
		err = badField("contextLines", fmt.Sprint(q.Context), "Search without them, or with Search.")
	}
	if err != nil {
		return nil, cannot(err)
	}
	n, is, err := find.Print(ctx, w.guard, o, q, to)
	if to.err != nil {
		return nil, to.err
	}
	if err != nil {
		return nil, cannot(err)
	}
	sum := SearchSum{Written: n, Truncated: is.More, FilesScanned: is.Files}
	a := found(sum, countOf(n, "match", "matches")+" in "+countOf(is.Files, "file searched", "files searched"))
	a.Notes = searchNotes(&is)
	return a, nil
}

// sink remembers an error of a writer, which is the caller's and not the search's.
type sink struct {
	io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, s.err = s.Writer.Write(p)
	return n, s.err
}

// query reads a request, and looks at where it is about.
func (w *Workspace) query(ctx context.Context, r *SearchRequest) (o find.Options, q find.Searching, err error) {
	if q, err = searching(r); err != nil {
		return o, q, err
	}
	if o, err = w.looking(ctx, r.Root, r.IncludeIgnored); err != nil {
		return o, q, err
	}
	if k := o.Root.Kind; k != guard.Directory && k != guard.Regular {
		err = &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: r.Root,
			Msg: fmt.Sprintf("%s is a %s", fail.Quote(r.Root), k), Hint: "Name a directory or a regular file to search in."}
	}
	return o, q, err
}

func (w *Workspace) search(ctx context.Context, r SearchRequest) (data SearchData, out find.Outcome, err error) {
	o, q, err := w.query(ctx, &r)
	if err != nil {
		return data, out, err
	}
	matches, out, err := find.Search(ctx, w.guard, o, q)
	data = SearchData{Matches: make([]SearchMatch, len(matches)), Truncated: out.More, FilesScanned: out.Files}
	for i, m := range matches {
		data.Matches[i] = SearchMatch(m)
	}
	return data, out, err
}

// searching reads the request.
func searching(r *SearchRequest) (q find.Searching, err error) {
	q = find.Searching{Query: r.Query, Include: r.IncludeGlobs, Exclude: r.ExcludeGlobs, Fold: r.CaseSensitive != nil && !*r.CaseSensitive}
	switch r.Mode {
	case "text", "":
		q.Mode = find.Text
	case "regex":
		q.Mode = find.Regexp
	case "path":
		q.Mode = find.Paths
	default:
		return q, badField("mode", fail.Quote(r.Mode), "Use text, regex or path.")
	}
	if q.Context, err = atMost("contextLines", r.ContextLines, 0, mostContext); err != nil {
		return q, err
	}
	if r.MaxResults >= 0 {
		q.Most, err = atMost("maxResults", r.MaxResults, usualMatches, mostMatches)
	}
	return q, err
}

// searchNotes says what was not searched.
func searchNotes(out *find.Outcome) []string {
	notes := unreadNote(out.Unread)
	if out.Cut > 0 {
		notes = append(notes, "Only the first MiB of "+countOf(out.Cut, "line", "lines")+" was searched.")
	}
	if out.AtNUL > 0 {
		notes = append(notes, countOf(out.AtNUL, "file was", "files were")+" searched only up to the line that has a NUL.")
	}
	return notes
}

// wordSearch is what a model reads: a line about the whole, then path:line:text of each match, with lines around it as
// path-line-text.
func wordSearch(d *SearchData, r *SearchRequest, notes []string) string {
	var b strings.Builder
	what := countOf(len(d.Matches), "match", "matches")
	if r.Mode == "path" {
		what = countOf(len(d.Matches), "path", "paths")
	}
	fmt.Fprintf(&b, "%s in %s", what, countOf(d.FilesScanned, "file searched", "files searched"))
	if d.Truncated {
		b.WriteString("; there are more: narrow it with root or includeGlobs, or raise maxResults")
	}
	noteTail(&b, notes)
	b.WriteByte('\n')
	p := around{b: &b}
	for i := range d.Matches {
		p.match(&d.Matches[i], nextMatch(d.Matches, i))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// nextMatch is the match after the i-th in the same file, or nil.
func nextMatch(all []SearchMatch, i int) *SearchMatch {
	if i+1 < len(all) && all[i+1].Path == all[i].Path {
		return &all[i+1]
	}
	return nil
}

// around prints matches with the lines around them, each line once.
type around struct {
	b     *strings.Builder
	path  string
	shown int // the last line of path that is printed
}

func (p *around) match(m, next *SearchMatch) {
	if m.Line == 0 {
		fmt.Fprintln(p.b, report.OneLine(m.Path))
		return
	}
	if m.Path != p.path {
		p.path, p.shown = m.Path, 0
	}
	first := m.Line - len(m.Before)
	if len(m.Before)+len(m.After) > 0 && p.shown > 0 && first > p.shown+1 {
		p.b.WriteString("--\n")
	}
	for i, text := range m.Before {
		p.line(first+i, '-', text)
	}
	p.line(m.Line, ':', m.Preview)
	for i, text := range m.After {
		if next != nil && m.Line+1+i >= next.Line {
			break
		}
		p.line(m.Line+1+i, '-', text)
	}
}

func (p *around) line(n int, mark byte, text string) {
	if n > p.shown {
		fmt.Fprintf(p.b, "%s%c%d%c%s\n", report.OneLine(p.path), mark, n, mark, text)
		p.shown = n
	}
}
