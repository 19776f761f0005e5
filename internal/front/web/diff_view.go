package web

import (
	"cmp"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/web/diff"
	"github.com/emend-dev/emend/internal/report"
)

const (
	firstRows = 400  // of a diff or a file are sent with a page
	nextRows  = 2000 // are fetched at once by an open page
	groupRows = 50   // that a browser lays out together
)

// diffView is what the templates "diff", "difftable" and "content" show.
type diffView struct {
	File      *diff.File
	Rows      []diff.Row
	More      int    // rows after these
	NextHref  string // the address of them, if they have one
	BackHref  string // the address of what the file belongs to, on a page that has nothing else
	History   string // the page of the file, where the path above the diff is the heading of its section; "" where another stands
	Split     bool
	OtherHref string // the address of this page in the other view
	Content   bool   // a file as it is, and no diff
}

// diffView shows the first rows of a diff of one file. At next, which [request.diffOf] and its like name, are the others;
// without that all are shown at once, up to a bound.
func (r *request) diffView(unified, next string) *diffView {
	v, n := &diffView{File: diff.Parse(unified)}, firstRows
	if next == "" {
		n = v.File.Len(false)
	}
	return r.fillRows(v, 0, n, next)
}

// diffViews shows all of the diffs of several files, as a patch has them.
func (r *request) diffViews(unified string) (out []*diffView) {
	if unified == "" {
		return nil
	}
	for _, f := range diff.ParseAll(unified) {
		out = append(out, r.fillRows(&diffView{File: f}, 0, f.Len(false), ""))
	}
	return out
}

// contentView shows the first lines of what the history keeps.
func (r *request) contentView(c *emend.Content) *diffView {
	return r.fillRows(plainView(c), 0, firstRows, r.contentAddress(c.ID))
}

func plainView(c *emend.Content) *diffView {
	return &diffView{File: diff.FromText(c.Path, c.Text), Content: true}
}

// entryDiffAddress is the address of the diff of a file of an entry: the file at this index.
func (r *request) entryDiffAddress(entry string, file int) string {
	return r.diffAddress(strings.TrimPrefix(entry, "#"), url.Values{"file": {strconv.Itoa(file)}})
}

// contentAddress is the address of what the history keeps under an ID.
func (r *request) contentAddress(id string) string {
	return r.diffAddress("content", url.Values{"id": {id}})
}

// sessionDiffAddress is the address of the diff of a file of a session.
func (r *request) sessionDiffAddress(session string, file int) string {
	return r.diffAddress("session", url.Values{"session": {session}, "file": {strconv.Itoa(file)}})
}

func (r *request) diffAddress(what string, q url.Values) string {
	return r.ws.Page("diff", what) + "?" + q.Encode()
}

// fillRows fills in n rows, from row from on. The rest is at next.
func (r *request) fillRows(v *diffView, from, n int, next string) *diffView {
	q := r.URL.Query()
	v.Split = q.Get("view") == "split" && v.CanSplit()
	v.Rows = v.File.Rows(from, n, v.Split)
	v.More = v.File.Len(v.Split) - from - len(v.Rows)
	v.NextHref = ""
	if v.More > 0 && next != "" {
		v.NextHref = withQuery(next, "view", v.view(), "from", strconv.Itoa(from+len(v.Rows)))
	}
	v.OtherHref = withQuery(r.URL.RequestURI(), "view", map[bool]string{true: "unified", false: "split"}[v.Split], "from", "", "part", "")
	return v
}

// withQuery is an address with other values; none where a value is empty.
func withQuery(address string, pairs ...string) string {
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

// CanSplit reports whether the file can be shown side by side: one that was there before and is there now.
func (v *diffView) CanSplit() bool {
	return !v.Content && v.File.Op != diff.Added && v.File.Op != diff.Deleted && v.File.Added+v.File.Removed > 0
}

// Shape is the class of the table.
func (v *diffView) Shape() string {
	switch {
	case v.Content:
		return "content"
	case v.Split:
		return "split"
	}
	return "unified"
}

// Columns is how many the table has.
func (v *diffView) Columns() int {
	return map[string]int{"content": 2, "unified": 4, "split": 6}[v.Shape()]
}

// Wide reports whether the numbers of lines need more room than usual.
func (v *diffView) Wide() bool { return v.File.MaxNumber() > 99_999 }

// Groups are the rows in groups.
func (v *diffView) Groups() iter.Seq[[]diff.Row] { return slices.Chunk(v.Rows, groupRows) }

// Label names the table.
func (v *diffView) Label() string {
	if v.Content {
		return "Content of " + report.OneLine(v.File.Path())
	}
	return "Diff of " + report.OneLine(cmp.Or(v.File.Path(), "a change"))
}

// Moved reports whether the file has another path than before.
func (v *diffView) Moved() bool { return v.File.Op == diff.Moved && v.File.From != v.File.To }

// Op says what happened to the file, unless it was changed only.
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
