package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/emend-dev/emend/api"
)

// What the pages of emend-hub share with these, beside [ParsePages], [ServeStatic], [SetSecurityHeaders], [SealForm] and [UnsealForm].

// Logins are the browsers that have signed in: each with a secret in a cookie, and a root that its addresses begin with.
type Logins struct{ sessions *loginSessions }

// NewLogins returns an empty list.
func NewLogins() *Logins { return &Logins{newLoginSessions()} }

// SignIn gives a browser a session, and sets its cookie. It returns the session's name, which grants nothing, and its root.
func (l *Logins) SignIn(w http.ResponseWriter, r *http.Request) (name, root string) {
	secret, root := l.sessions.create()
	name, _ = l.sessions.lookup(secret, root)
	http.SetCookie(w, newCookie(r, secret, root))
	return name, root
}

// Of returns the session of a request; ok is false if it has none at this address.
func (l *Logins) Of(r *http.Request) (name, root string, ok bool) {
	root = rootOf(r.URL.Path)
	name, ok = l.sessions.lookup(cookieSecret(r), root)
	return name, root, ok
}

// SignOut ends the session of a request.
func (l *Logins) SignOut(w http.ResponseWriter, r *http.Request) {
	l.sessions.delete(cookieSecret(r))
	gone := newCookie(r, "", rootOf(r.URL.Path))
	gone.MaxAge = -1
	http.SetCookie(w, gone)
}

// Ended is closed when the session of a request ends.
func (l *Logins) Ended(r *http.Request) <-chan struct{} { return l.sessions.ended(cookieSecret(r)) }

// AfterSignIn returns where to go in a session with a root, from the address that was asked for without one. It leads to no other site.
func AfterSignIn(root, next string) string { return root + strings.TrimPrefix(nextAddress(next), Base) }

// NextAddress returns an address of this site without the root of a session; [Base] for any other address.
func NextAddress(address string) string { return nextAddress(address) }

// LocalAddress returns an address below root, or root if the address is anything else.
func LocalAddress(root, address string) string { return localAddress(root, address) }

// IsPageLoad reports whether a request opens a page, rather than being sent by a script.
func IsPageLoad(r *http.Request) bool { return isPageLoad(r) }

// FormError says why a form cannot be read.
type FormError struct {
	Status     int
	Text, Next string
}

// ParseForm reads the body of a form; nothing else is accepted.
func ParseForm(w http.ResponseWriter, r *http.Request) (url.Values, *FormError) {
	form, refused := parseForm(w, r)
	if refused != nil {
		line := refused.Data.(errorView).List[0]
		return nil, &FormError{refused.Status, line.Text, line.Next}
	}
	return form, nil
}

// Diffs returns the diffs of several files for the template "diff", whole. The request says which view is wanted.
func Diffs(r *http.Request, unified string) (out []*diffView) {
	return (&request{Request: r}).diffViews(unified)
}

// NotedDiffs returns the diffs of a question for the template "diff", each with what a diff cannot say of it.
func NotedDiffs(r *http.Request, text string) (out []NotedDiff) {
	for _, part := range splitDiffs(text) {
		views := (&request{Request: r}).diffViews(part.text)
		if len(views) == 0 {
			out = append(out, NotedDiff{Notes: part.notes})
		}
		for i, v := range views {
			d := NotedDiff{Diff: v}
			if i == 0 {
				d.Notes = part.notes
			}
			out = append(out, d)
		}
	}
	return out
}

// NotedDiff is a diff of a question.
type NotedDiff = askedDiff

// WhatIsDone returns what the diffs of a question do to each path, as a verb.
func WhatIsDone(text string) map[string]string { return whatIsDone(splitDiffs(text)) }

// SentenceOf says what a call did, for the template "sentence".
func SentenceOf(c *api.LoggedCall) any { return sentenceOf(c) }

// ListingOf says what a call did, for the template "listing".
func ListingOf(c *api.LoggedCall) any { return listingOf(c) }

// DayHeading returns the heading of a day in a list: Today, Yesterday or its date.
var DayHeading = dayHeading

// Plural words a number of things: 1 file, 2 files.
func Plural(n int, one string) string { return plural(n, one) }
