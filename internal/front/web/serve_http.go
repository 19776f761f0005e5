package web

import (
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/front/gate"
)

const (
	writeTimeout = 30 * time.Second // for a browser to read an answer
	readTimeout  = 10 * time.Second // for it to send a form
)

// ServeHTTP answers one request below [Base]. Only static files and the page to sign in are served to browsers that are not
// signed in.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.recoverPanic(w, r)
	SetSecurityHeaders(w.Header())
	ctl := http.NewResponseController(w)
	ctl.SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // only a test's connection has no deadlines
	if r.Method == http.MethodPost {
		ctl.SetReadDeadline(time.Now().Add(readTimeout)) //nolint:errcheck // as above
	}
	if refusal := gate.CheckOrigin(r); refusal != nil {
		s.Log.Log(r.Context(), s.warnings.Level(refusal.By), "a request for a page was refused", "by", refusal.By, "remote", r.RemoteAddr)
		s.showBare(w, r, errorPage(http.StatusForbidden, refusal.Msg, "If you followed a link, copy its address into the address bar instead."))
		return
	}
	if ServeStatic(w, r) {
		return
	}
	in, ok := s.authenticate(r)
	switch {
	case ok || isLoginPath(r.URL.Path):
		s.mux.ServeHTTP(w, in)
	case isPageLoad(r):
		http.Redirect(w, r, Base+"login?next="+url.QueryEscape(nextAddress(r.URL.RequestURI())), http.StatusSeeOther)
	default:
		s.showBare(w, r, errorPage(http.StatusUnauthorized, "nobody is signed in here", "Open the address that emend printed."))
	}
}

// isLoginPath reports whether a path is served without signing in.
func isLoginPath(path string) bool { return path == Base+"login" }

// isPageLoad reports whether a request opens a page, rather than being sent by a script.
func isPageLoad(r *http.Request) bool {
	to := r.Header.Get("Sec-Fetch-Dest")
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (to == "" || to == "document") &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// showBare sends a page outside of any workspace.
func (s *Site) showBare(w http.ResponseWriter, r *http.Request, p page) {
	s.show(w, &request{Request: r, site: s, login: loginOf(r)}, p)
}

// recoverPanic ends a request whose handler panicked, and no other.
func (s *Site) recoverPanic(w http.ResponseWriter, r *http.Request) {
	if p := recover(); p != nil {
		s.Log.Error("a page failed", "path", withoutRoot(r.URL.Path), "panic", p, "stack", string(debug.Stack()))
		http.Error(w, "emend: a defect in emend", http.StatusInternalServerError)
	}
}

// notFound answers requests that no route matches.
func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	if ws := s.workspace(strings.TrimPrefix(r.URL.Path, loginOf(r).root), loginOf(r).root); ws != nil && isPageLoad(r) {
		http.Redirect(w, r, ws.Page(), http.StatusSeeOther)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, HEAD, POST")
		s.showBare(w, r, errorPage(http.StatusMethodNotAllowed, "pages are read with GET, and changed with POST", ""))
		return
	}
	s.showBare(w, r, notFoundPage("no page has this address", "Go to the first page."))
}

// home redirects to the only workspace, or lists them.
func (s *Site) home(w http.ResponseWriter, r *http.Request) {
	if len(s.Workspaces) == 1 {
		http.Redirect(w, r, s.workspace(s.Workspaces[0].Name, loginOf(r).root).Page(), http.StatusSeeOther)
		return
	}
	s.showBare(w, r, page{Name: "workspaces", Title: "Workspaces"})
}
