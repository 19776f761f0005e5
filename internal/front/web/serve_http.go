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
	takeTime = 30 * time.Second // for a browser to take an answer
	sendTime = 10 * time.Second // for it to send a form
)

// ServeHTTP answers one request below [Base]. Nothing but what anybody may have is answered before it is known who asks.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer s.survive(w, r)
	guarded(w.Header())
	ctl := http.NewResponseController(w)
	ctl.SetWriteDeadline(time.Now().Add(takeTime)) //nolint:errcheck // a connection that has none is a test's
	if r.Method == http.MethodPost {
		ctl.SetReadDeadline(time.Now().Add(sendTime)) //nolint:errcheck // as above
	}
	if no := gate.Stranger(r); no != nil {
		s.Log.Warn("a request for a page was refused", "by", no.By, "remote", r.RemoteAddr)
		s.tell(w, r, plainly(http.StatusForbidden, no.Msg, "If you followed a link, copy its address into the address bar instead."))
		return
	}
	if s.static(w, r) {
		return
	}
	in, ok := s.enter(r)
	switch {
	case ok || isDoor(r.URL.Path):
		s.mux.ServeHTTP(w, in)
	case opensPage(r):
		http.Redirect(w, r, Base+"login?next="+url.QueryEscape(below(Base, r.URL.RequestURI())), http.StatusSeeOther)
	default:
		s.tell(w, r, plainly(http.StatusUnauthorized, "nobody is signed in here", "Open the address that emend printed."))
	}
}

// isDoor reports whether a path is where who is not in yet comes in.
func isDoor(path string) bool { return path == Base+"login" }

// opensPage reports whether a request is a person's who opens a page, not a script's.
func opensPage(r *http.Request) bool {
	to := r.Header.Get("Sec-Fetch-Dest")
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (to == "" || to == "document") &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// tell shows a page that belongs to no workspace.
func (s *Site) tell(w http.ResponseWriter, r *http.Request, p page) {
	s.show(w, &request{Request: r, site: s}, p)
}

// survive ends a request that met a defect, and no other.
func (s *Site) survive(w http.ResponseWriter, r *http.Request) {
	if p := recover(); p != nil {
		s.Log.Error("a page failed", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
		http.Error(w, "emend: a defect in emend", http.StatusInternalServerError)
	}
}

// nowhere is every address that is none.
func (s *Site) nowhere(w http.ResponseWriter, r *http.Request) {
	if name, ok := strings.CutPrefix(r.URL.Path, Base); ok && s.space(name) != nil && opensPage(r) {
		http.Redirect(w, r, Base+name+"/", http.StatusSeeOther)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, HEAD, POST")
		s.tell(w, r, plainly(http.StatusMethodNotAllowed, "pages are read with GET, and changed with POST", ""))
		return
	}
	s.tell(w, r, missing("no page has this address", "Go to the first page."))
}

// first is the way to the only workspace, or the list of them.
func (s *Site) first(w http.ResponseWriter, r *http.Request) {
	if len(s.Workspaces) == 1 {
		http.Redirect(w, r, Base+s.Workspaces[0].Name+"/", http.StatusSeeOther)
		return
	}
	s.tell(w, r, page{Name: "workspaces", Title: "Workspaces"})
}
