package web

import (
	"cmp"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/web/diff"
	"github.com/emend-dev/emend/internal/report"
)

const (
	firstRows = 400  // rows of a diff that a page has at first
	nextRows  = 2000 // rows that an open page fetches at once
	groupRows = 50   // rows that a browser lays out together
)

// diffView is the data of the templates "diff", "difftable" and "content".
type diffView struct {
	File      *diff.File
	Rows      []diff.Row
	More      int    // how many rows follow
	NextHref  string // where to fetch them; "" if they cannot be fetched
	BackHref  string // the page of the change or file, on a page that has only this diff
	History   string // the page of the file, if the path above the diff is also the heading; "" under another heading
	Split     bool
	OtherHref string  // this page in the other view, unified or split
	Content   bool    // a whole file, not a diff
	Pieces    []piece // of the change, see [request.pieces]
	Selects   bool    // its hunks can be selected, to be undone at once
	Editor    string  // opens the file in the person's editor, at the first change; "" if no editor is set
	Anchor    string  // how the ids of lines begin; "" for none
}

// diffView shows the first rows of the diff of one file. The others are fetched from next, an address that
// [request.entryDiffAddress] or a function like it returns. With next "" all rows are shown, up to a bound. text returns the
// file after the change, for more context and the names of functions; nil if it is not known.
func (r *request) diffView(unified, next string, text func() (string, bool)) *diffView {
	v, n := &diffView{File: r.diffFile(unified, text)}, firstRows
	if next == "" {
		n = v.File.Len(false)
	}
	return r.fillRows(v, 0, n, next)
}

// diffViews shows the diffs of several files, whole.
func (r *request) diffViews(unified string) (out []*diffView) {
	if unified == "" {
		return nil
	}
	for _, f := range diff.ParseAll(unified) {
		out = append(out, r.fillRows(&diffView{File: f}, 0, f.Len(false), ""))
	}
	return out
}

// contentView shows the first lines of a text that the history keeps.
func (r *request) contentView(c *api.Content) *diffView {
	return r.fillRows(plainView(c), 0, firstRows, r.contentAddress(c.ID))
}

func plainView(c *api.Content) *diffView {
	return &diffView{File: diff.FromText(c.Path, c.Text), Content: true}
}

// entryDiffAddress returns the address of the diff of a file of an entry, by the file's index.
func (r *request) entryDiffAddress(entry string, file int) string {
	return r.diffAddress(strings.TrimPrefix(entry, "#"), url.Values{"file": {strconv.Itoa(file)}})
}

// contentAddress returns the address of a content that the history keeps.
func (r *request) contentAddress(id string) string {
	return r.diffAddress("content", url.Values{"id": {id}})
}

// sessionDiffAddress returns the address of the diff of a file of a session, by the file's index.
func (r *request) sessionDiffAddress(session string, file int) string {
	return r.diffAddress("session", url.Values{"session": {session}, "file": {strconv.Itoa(file)}})
}

func (r *request) diffAddress(what string, q url.Values) string {
	return r.ws.Page("diff", what) + "?" + q.Encode()
}

// fillRows fills in n rows from the given one on. The rest is at next.
func (r *request) fillRows(v *diffView, from, n int, next string) *diffView {
	q := r.URL.Query()
	v.Split = q.Get("view") == "split" && v.CanSplit()
	v.Rows = v.File.Rows(from, n, v.Split)
	v.More = v.File.Len(v.Split) - from - len(v.Rows)
	v.NextHref = ""
	if v.More > 0 && next != "" {
		v.NextHref = WithQuery(next, "view", v.view(), "w", q.Get("w"), "context", q.Get("context"), "from", strconv.Itoa(from+len(v.Rows)))
	}
	v.OtherHref = WithQuery(r.URL.RequestURI(), "view", map[bool]string{true: "unified", false: "split"}[v.Split], "from", "", "part", "")
	return v
}

// WithQuery returns an address with other query values, given as names and values. The value "" removes one.
func WithQuery(address string, pairs ...string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	q := u.Query()
	for p := range slices.Chunk(pairs, 2) {
		if q.Set(p[0], p[1]); p[1] == "" {
			q.Del(p[0])
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func (v *diffView) view() string {
	if v.Split {
		return "split"
	}
	return ""
}

// CanSplit reports whether the split view makes sense: the file was there before and is there now.
func (v *diffView) CanSplit() bool {
	return !v.Content && v.File.Op != diff.Added && v.File.Op != diff.Deleted && v.File.Added+v.File.Removed > 0
}

// Shape returns the CSS class of the table.
func (v *diffView) Shape() string {
	switch {
	case v.Content:
		return "content"
	case v.Split:
		return "split"
	}
	return "unified"
}

// Columns returns how many columns the table has.
func (v *diffView) Columns() int {
	return map[string]int{"content": 2, "unified": 4, "split": 6}[v.Shape()]
}

// ID returns the id of a row, or "" if it has none.
func (v *diffView) ID(row *diff.Row) string {
	switch {
	case v.Anchor == "" || row.New == 0 && row.Old == 0:
		return ""
	case row.New > 0:
		return v.Anchor + "R" + strconv.Itoa(row.New)
	}
	return v.Anchor + "L" + strconv.Itoa(row.Old)
}

// Wide reports whether line numbers need more room than usual.
func (v *diffView) Wide() bool { return v.File.MaxNumber() > 99_999 }

// Groups returns the rows in groups of groupRows.
func (v *diffView) Groups() iter.Seq[[]diff.Row] { return slices.Chunk(v.Rows, groupRows) }

// Label names the table for screen readers.
func (v *diffView) Label() string {
	if v.Content {
		return "Content of " + report.OneLine(v.File.Path())
	}
	return "Diff of " + report.OneLine(cmp.Or(v.File.Path(), "a change"))
}

// Moved reports whether the file was renamed.
func (v *diffView) Moved() bool { return v.File.Op == diff.Moved && v.File.From != v.File.To }

// Op returns what happened to the file, or "" if its content changed.
func (v *diffView) Op() string {
	if v.File.Op == diff.Changed {
		return ""
	}
	return string(v.File.Op)
}

// WhyEmpty says why there are no rows.
func (v *diffView) WhyEmpty() string {
	f := v.File
	switch {
	case f.Binary:
		return "The file is binary: its bytes are not shown."
	case len(v.Rows) > 0:
		return ""
	case v.Content, f.Op == diff.Added, f.Op == diff.Deleted:
		return "The file is empty."
	case f.Op == diff.Moved:
		return "Moved, with the same content."
	}
	return "No line differs."
}
