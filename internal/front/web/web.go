// Package web serves the pages on which a person sees what agents did, answers the calls that wait for them, and undoes
// changes. The server makes the pages, and they work without JavaScript. Scripts keep an open page up to date and add keys.
//
// It translates: what it shows comes from a workspace, and every change is a call of a tool of [tool.All]. It decides nothing
// about files. docs/ui.md has its promises.
//
// Files read in families. web.go, serve_http.go, login*.go and render.go take a request to its page; page_*.go are the pages;
// preview_*.go fill the page that asks before a change; json.go has the same for programs; form_*.go read, check and carry out a form; hub.go and
// event_stream.go tell open pages what is new; log_check.go and log_counts.go read the whole log in the background.
package web

import (
	"log/slog"
	"net/http"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/gate"
	"github.com/emend-dev/emend/internal/front/seal"
)

// Config configures a site.
type Config struct {
	Workspaces []Workspace
	Token      string // with which a person signs in: at least 256 random bits
	ReadOnly   bool   // nothing can be changed from the pages
	Editor     Editor // for links that open a file; "" for none
	Version    string
	Log        *slog.Logger
}

// Workspace is a workspace that has pages. Its name is a segment of their addresses, and must need no escaping.
type Workspace struct {
	Name string
	*emend.Workspace

	root     string // of the browser's session that the addresses are for; "" for none
	readOnly bool
}

// Base is the path of the page to sign in, and of all others.
const Base = "/ui/"

// Site serves the pages.
type Site struct {
	Config
	mux         *http.ServeMux
	issuer      *seal.Issuer
	logins      *loginSessions
	wrongTokens *gate.RateLimiter // limits the answers to wrong tokens
	warnings    *gate.Warnings
	hubs        map[string]*hub
	checkers    map[string]*logChecker
	counters    map[string]*logCounter

	filterCounts map[string]*filterCounter
}

// New makes a site. Close ends it.
func New(c Config) *Site {
	s := &Site{Config: c, mux: http.NewServeMux(), issuer: NewIssuer(), logins: newLoginSessions(),
		wrongTokens: gate.NewRateLimiter(maxWrongTokens), warnings: gate.NewWarnings(), hubs: map[string]*hub{}, checkers: map[string]*logChecker{}, counters: map[string]*logCounter{}, filterCounts: map[string]*filterCounter{}}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	for i := range s.Workspaces {
		w := &s.Workspaces[i]
		s.hubs[w.Name], s.checkers[w.Name], s.counters[w.Name] = newHub(w, s.Log), newLogChecker(), newLogCounter(w)
		s.hubs[w.Name].readOnly = s.ReadOnly
		s.filterCounts[w.Name] = newFilterCounter()
	}
	s.routes()
	return s
}

// Close ends the open streams and the work in the background.
func (s *Site) Close() error {
	for _, h := range s.hubs {
		h.close()
	}
	for _, c := range s.checkers {
		c.close()
	}
	for _, c := range s.counters {
		c.close()
	}
	for _, c := range s.filterCounts {
		c.close()
	}
	return nil
}

// routes registers every address of the site.
func (s *Site) routes() {
	const root = Base + "{root}/" // of the browser's session
	s.mux.HandleFunc("GET "+Base+"login", s.loginPage)
	s.mux.HandleFunc("POST "+Base+"login", s.login)
	s.mux.HandleFunc("POST "+root+"logout", s.logout)
	s.mux.HandleFunc("GET "+root+"{$}", s.home)
	for path, h := range map[string]func(*request) (page, error){
		"{$}":            (*request).timeline,
		"change/{entry}": (*request).change,
		"file":           (*request).file,
		"session":        (*request).session,
		"sessions":       (*request).sessions,
		"trash":          (*request).trash,
		"trash/{id}":     (*request).trashed,
		"waiting":        (*request).waiting,
		"health":         (*request).health,
		"confirm/{tool}": (*request).confirm,
		"diff/{entry}":   (*request).moreDiff,
	} {
		s.mux.HandleFunc("GET "+root+"{workspace}/"+path, s.pageHandler(h))
	}
	for path, h := range map[string]func(*request) (any, error){
		"timeline":                      (*request).timelineJSON,
		"change/{entry}":                (*request).changeJSON,
		"content/{entry}/{file}/{side}": (*request).contentJSON,
		"waiting":                       (*request).waitingJSON,
		"confirm/{tool}":                (*request).confirmJSON,
	} {
		s.mux.HandleFunc("GET "+root+"{workspace}/json/"+path, s.jsonHandler(h))
	}
	s.mux.HandleFunc("GET "+root+"{workspace}/patch/{entry}", s.inWorkspace(s.patch))
	s.mux.HandleFunc("GET "+root+"{workspace}/editor", s.inWorkspace(s.editor))
	s.mux.HandleFunc("GET "+root+"{workspace}/events", s.inWorkspace(s.events))
	s.mux.HandleFunc("POST "+root+"{workspace}/do/{tool}", s.inWorkspace(s.submit))
	s.mux.HandleFunc("/", s.notFound)
}
