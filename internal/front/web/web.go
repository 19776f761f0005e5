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
	mux    *http.ServeMux
	seals  *seal.Seals
	visits *visits
	wrong  *gate.Rate // tokens a second that let nobody in
	desks  map[string]*desk
	checks map[string]*checker
	counts counters
}

// New makes a site. It is ended with Close.
func New(c Config) *Site {
	s := &Site{Config: c, mux: http.NewServeMux(), seals: newSeals(), visits: newVisits(), wrong: gate.NewRate(wrongTokens), desks: map[string]*desk{}, checks: map[string]*checker{}}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	for i := range s.Workspaces {
		d := newDesk(&s.Workspaces[i], s.Log)
		d.mute = s.ReadOnly
		s.desks[s.Workspaces[i].Name], s.checks[s.Workspaces[i].Name] = d, newChecker()
	}
	s.routes()
	return s
}

// Close ends every open stream, and what runs in the background.
func (s *Site) Close() error {
	for _, d := range s.desks {
		d.close()
	}
	for _, c := range s.checks {
		c.close()
	}
	s.counts.close()
	return nil
}

// routes is every address of the site.
func (s *Site) routes() {
	for _, path := range []string{"/{$}", strings.TrimSuffix(Base, "/"), Base + "{$}"} {
		s.mux.HandleFunc("GET "+path, s.first)
	}
	s.mux.HandleFunc("GET "+Base+"login", s.askToken)
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
		s.mux.HandleFunc("GET "+Base+"{space}/"+path, s.page(h))
	}
	s.mux.HandleFunc("GET "+Base+"{space}/events", s.inside(s.events))
	s.mux.HandleFunc("POST "+Base+"{space}/do/{tool}", s.inside(s.do))
	s.mux.HandleFunc("/", s.nowhere)
}
