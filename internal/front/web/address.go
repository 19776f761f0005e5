package web

import (
	"net/url"
	"strings"
)

// Page is the address of a page of the workspace; the segments below it are escaped.
func (s *Workspace) Page(segments ...string) string {
	escaped := make([]string, len(segments))
	for i, p := range segments {
		escaped[i] = url.PathEscape(p)
	}
	return Base + url.PathEscape(s.Name) + "/" + strings.Join(escaped, "/")
}

// EntryPage is the page of an entry of the log: of a transaction, or of a record, whose number is written without its #.
func (s *Workspace) EntryPage(entry string) string {
	return s.Page("change", strings.TrimPrefix(entry, "#"))
}

// FilePage is the page of a file.
func (s *Workspace) FilePage(path string) string {
	return s.Page("file") + "?path=" + url.QueryEscape(path)
}

// SessionPage is the page of a session.
func (s *Workspace) SessionPage(id string) string {
	return s.Page("session") + "?id=" + url.QueryEscape(id)
}
