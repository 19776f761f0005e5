// Package web is the pages on which a person sees what agents did, answers what waits, and takes changes back. They are
// made on the server, and read without JavaScript; a little of it keeps an open page up to date.
//
// It translates: what it shows comes from a workspace, and every change is a call of a tool of [tool.All]. It decides
// nothing about files. See docs/ui.md for what it promises.
package web

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/gate"
	"github.com/emend-dev/emend/internal/front/seal"
)

// Config is what a site shows, and to whom.
type Config struct {
	Workspaces []Workspace
	Token      string // what a person shows to come in: at least 256 bits
	ReadOnly   bool   // nothing can be changed from the pages
	Version    string
	Log        *slog.Logger
}

// Workspace is one that has pages, under a name that stands in an address as it is.
type Workspace struct {
	Name string
	*emend.Workspace
}

// Base is the path below which all pages are.
const Base = "/ui/"

// Site is the pages.
type Site struct {
	Config
	mux         *http.ServeMux
	issuer      *seal.Issuer
	logins      *loginSessions
	wrongTokens *gate.RateLimiter // tokens a second that let nobody in
	hubs        map[string]*hub
	checkers    map[string]*logChecker
	counters    logCounters
}

// New makes a site. It is ended with Close.
func New(c Config) *Site {
	s := &Site{Config: c, mux: http.NewServeMux(), issuer: newIssuer(), logins: newLoginSessions(), wrongTokens: gate.NewRateLimiter(maxWrongTokens), hubs: map[string]*hub{}, checkers: map[string]*logChecker{}}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	for i := range s.Workspaces {
		d := newHub(&s.Workspaces[i], s.Log)
		d.readOnly = s.ReadOnly
		s.hubs[s.Workspaces[i].Name], s.checkers[s.Workspaces[i].Name] = d, newLogChecker()
	}
	s.routes()
	return s
}

// Close ends every open stream, and what runs in the background.
func (s *Site) Close() error {
	for _, d := range s.hubs {
		d.close()
	}
	for _, c := range s.checkers {
		c.close()
	}
	s.counters.close()
	return nil
}

// routes is every address of the site.
func (s *Site) routes() {
	for _, path := range []string{"/{$}", strings.TrimSuffix(Base, "/"), Base + "{$}"} {
		s.mux.HandleFunc("GET "+path, s.home)
	}
	s.mux.HandleFunc("GET "+Base+"login", s.loginPage)
	s.mux.HandleFunc("POST "+Base+"login", s.login)
	s.mux.HandleFunc("POST "+Base+"logout", s.logout)
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
		s.mux.HandleFunc("GET "+Base+"{workspace}/"+path, s.pageHandler(h))
	}
	s.mux.HandleFunc("GET "+Base+"{workspace}/events", s.inWorkspace(s.events))
	s.mux.HandleFunc("POST "+Base+"{workspace}/do/{tool}", s.inWorkspace(s.submit))
	s.mux.HandleFunc("/", s.notFound)
}
