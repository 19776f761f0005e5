package web

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/web/diff"
)

// diffOptions are the links above the diffs of a page that show them otherwise.
type diffOptions struct {
	Lines     bool // the page has changed lines
	HideSpace bool
	SpaceHref string // this page with white space hidden, or shown
	Contexts  []link // this page with more or less context; that of the page has no address
}

// contexts are the numbers of lines around a change that can be asked for, as the address has them, beside those of the diff.
var contexts = []struct {
	value, text string
	lines       int
}{{"", "3", 0}, {"10", "10", 10}, {"25", "25", 25}, {"all", "all", 1 << 30}}

// diffOptions returns the options of the page.
func (r *request) diffOptions(lines bool) diffOptions {
	q := r.URL.Query()
	o := diffOptions{Lines: lines, HideSpace: q.Get("w") != ""}
	o.SpaceHref = WithQuery(r.URL.RequestURI(), "w", map[bool]string{false: "1"}[o.HideSpace], "done", "")
	for _, c := range contexts {
		l := link{Text: c.text, To: WithQuery(r.URL.RequestURI(), "context", c.value, "done", "")}
		if c.value == q.Get("context") {
			l.To = ""
		}
		o.Contexts = append(o.Contexts, l)
	}
	return o
}

// diffFile reads a diff as the address asks for it: with more context, and without changes of white space. text returns the file
// after the change.
func (r *request) diffFile(unified string, text func() (string, bool)) *diff.File {
	f, q := diff.Parse(unified), r.URL.Query()
	wanted := len(unified) <= maxNamedDiff || q.Get("context") != ""
	if text != nil && wanted && !f.Binary && f.Op != diff.Added && f.Op != diff.Deleted && f.Len(false) > 0 {
		if after, ok := text(); ok {
			for _, c := range contexts {
				if c.lines > 0 && c.value == q.Get("context") {
					f.AddContext(after, c.lines)
				}
			}
			f.NameFunctions(after)
		}
	}
	if q.Get("w") != "" {
		f.HideSpace()
	}
	return f
}

// maxNamedFiles and maxNamedDiff limit the files of a page, and the bytes of their diffs, whose text is read to name the functions
// of hunks, unless the address asks for more context.
const (
	maxNamedFiles = 10
	maxNamedDiff  = 256 << 10
)

// textOf returns a function that reads a file as an entry left it.
func (r *request) textOf(e *api.LogEntry) func() (string, bool) {
	path := e.Path
	if e.ToPath != "" {
		path = e.ToPath
	}
	return r.textWith(path, e.AfterSha256)
}

// textOfSession returns a function that reads a file as a session left it.
func (r *request) textOfSession(f *api.SessionFile) func() (string, bool) {
	path := f.Path
	if f.ToPath != "" {
		path = f.ToPath
	}
	return r.textWith(path, f.After)
}

// textWith returns a function that reads the version of a file with a sha256, if the history or the tree has it.
func (r *request) textWith(path, sum string) func() (string, bool) {
	return func() (string, bool) {
		r.texts++
		if sum == "" || r.texts > maxNamedFiles && r.URL.Query().Get("context") == "" {
			return "", false
		}
		return r.versionText(path, sum, fewVersions)
	}
}

// versionText reads the version of a file with a sha256, if it is text and among the newest versions; a limit of 0 is that of
// [emend.Workspace.FileHistory].
func (r *request) versionText(path, sum string, limit int) (string, bool) {
	h, err := r.ws.FileHistory(r.Context(), path, limit)
	if err != nil {
		return "", false
	}
	for i := range h.Versions {
		if v := &h.Versions[i]; v.AfterSha256 == sum && v.ID != "" {
			c, err := r.ws.Content(r.Context(), v.ID)
			if err != nil || c.Binary || c.Truncated || c.Link != "" || c.Sha256 != sum {
				return "", false
			}
			return c.Text, true
		}
	}
	return "", false
}
