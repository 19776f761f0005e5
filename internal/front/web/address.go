package web

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
)

// rootMark begins the random segment of a root. A browser that signs in gets a root of its own, Base+"~"+random+"/", above all its
// pages, and its cookie has this path. A browser has one set of cookies for all ports of a host, but sends none outside of its
// path. So no server at another port, which cannot know the root, is sent the cookie. No workspace has the mark in its name.
const rootMark = "~"

// rootOf returns the root that a path is below, or "". It does not say that a session has this root.
func rootOf(path string) string {
	rest, ok := strings.CutPrefix(path, Base+rootMark)
	segment, _, below := strings.Cut(rest, "/")
	if !ok || !below {
		return ""
	}
	return Base + rootMark + segment + "/"
}

// withoutRoot returns an address without its root, as it is for a browser that is not signed in.
func withoutRoot(address string) string {
	if root := rootOf(address); root != "" {
		return Base + strings.TrimPrefix(address, root)
	}
	return address
}

// Page returns the address of a page of the workspace. It escapes the segments.
func (w *Workspace) Page(segments ...string) string {
	escaped := make([]string, len(segments))
	for i, p := range segments {
		escaped[i] = url.PathEscape(p)
	}
	return cmp.Or(w.root, Base) + url.PathEscape(w.Name) + "/" + strings.Join(escaped, "/")
}

// With returns the address of a page with a query of names and values. Empty values are left out.
func (w *Workspace) With(page string, query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Add(query[i], query[i+1])
		}
	}
	if len(q) == 0 {
		return w.Page(page)
	}
	return w.Page(page) + "?" + q.Encode()
}

// EntryPage returns the page of a log entry: a transaction, or a record by its number, with or without "#".
func (w *Workspace) EntryPage(entry string) string {
	return w.Page("change", strings.TrimPrefix(entry, "#"))
}

// FilePage returns the page of a file.
func (w *Workspace) FilePage(path string) string {
	return w.Page("file") + "?path=" + url.QueryEscape(path)
}

// SessionPage returns the page of a session.
func (w *Workspace) SessionPage(id string) string {
	return w.Page("session") + "?id=" + url.QueryEscape(id)
}

// Confirm returns the page that shows what a call of a tool would do, and offers it.
func (w *Workspace) Confirm(tool string, args ...string) string {
	q := w.With("", args...)
	return w.Page("confirm", tool) + q[len(w.Page("")):]
}

// entryOfID returns the entry that an ID of the history belongs to.
func entryOfID(id string) string {
	tx, _, _ := strings.Cut(id, ".")
	return tx
}

// queryNumber returns a number of the request's query, bounded by 0 and most.
func (r *request) queryNumber(name string, most int) int {
	n, _ := strconv.Atoi(r.URL.Query().Get(name))
	return max(0, min(n, most))
}
