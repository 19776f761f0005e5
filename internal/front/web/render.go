package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

// page is what a handler wants shown.
type page struct {
	Name     string // of the template, pages/NAME.tmpl, which defines "main"
	Title    string
	Status   int  // 200
	Data     any  // what the template gets as .Data
	Fragment bool // only "main" is sent, without the frame
	Reload   bool // without JavaScript, which hears of news, it asks for itself again
}

// request is one request of a person who has come in.
type request struct {
	*http.Request
	site  *Site
	ws    *Workspace
	head  uint64 // the newest record of the log before anything was read for the page
	login string // the name of the visit, which is the session in the log; it lets nobody in

	// refusal is what a tool answered to the form of this page, which is shown again; nil when the page was just opened.
	refusal emend.Result
}

// frame is what every template gets.
type frame struct {
	page
	Workspace  *Workspace // nil on pages that belong to none
	Workspaces []Workspace
	Version    string
	Path       string
	ReadOnly   bool
	Waiting    int    // calls of this workspace that wait for a person
	Head       uint64 // the page has all that is in the log up to here
}

//go:embed pages/*.tmpl
var templateFS embed.FS

// sharedTemplates are the sources that every page is parsed with.
var sharedTemplates = []string{"pages/frame.tmpl", "pages/bare.tmpl", "pages/parts.tmpl", "pages/diff.tmpl"}

// templates are parsed when the first page is shown: a program that shows none does not wait for them.
var templates = sync.OnceValue(func() map[string]*template.Template {
	base := template.Must(template.New("frame").Funcs(functions).Funcs(wording).ParseFS(templateFS, sharedTemplates...))
	out := map[string]*template.Template{}
	all, _ := templateFS.ReadDir("pages")
	for _, f := range all {
		name := strings.TrimSuffix(f.Name(), ".tmpl")
		own := template.Must(base.Clone())
		if base.Lookup(f.Name()) == nil {
			own = template.Must(own.ParseFS(templateFS, "pages/"+f.Name()))
		}
		out[name] = own
	}
	return out
})

// functions are what templates can call.
var functions = template.FuncMap{
	// show is text of a file, a name or a message as a person may see it: what cannot be seen, and what turns the direction
	// of writing, comes out as an escape.
	"show": report.Escape,
}

// pageHandler makes a handler of what decides what is shown.
func (s *Site) pageHandler(h func(*request) (page, error)) http.HandlerFunc {
	return s.inWorkspace(func(w http.ResponseWriter, r *request) {
		r.head = logHead(r.Context(), r.ws)
		p, err := h(r)
		if err != nil {
			p = r.errorPageOf(err)
		}
		if p.Name == "waiting" {
			s.hubs[r.ws.Name].pageLoaded()
		}
		s.show(w, r, p)
	})
}

// inWorkspace makes a handler of what is for a person in a workspace.
func (s *Site) inWorkspace(h func(http.ResponseWriter, *request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		req := &request{Request: r, site: s, ws: s.workspace(r.PathValue("workspace")), login: loginName(r)}
		if req.ws == nil {
			s.show(w, req, notFoundPage("no workspace has this name", "Go to the first page, which lists them."))
			return
		}
		h(w, req)
	}
}

func (s *Site) workspace(name string) *Workspace {
	for i := range s.Workspaces {
		if s.Workspaces[i].Name == name {
			return &s.Workspaces[i]
		}
	}
	return nil
}

// show sends a page, whole or not at all.
func (s *Site) show(w http.ResponseWriter, r *request, p page) {
	f := &frame{page: p, Workspace: r.ws, Workspaces: s.Workspaces, Version: s.Version, Path: r.URL.Path, ReadOnly: s.ReadOnly, Head: r.head}
	part := "frame"
	switch {
	case p.Fragment:
		part = "main"
	case r.ws == nil:
		part = "bare"
	default:
		f.Waiting = s.waitingCount(r.ws)
	}
	var b bytes.Buffer
	if err := templates()[p.Name].ExecuteTemplate(&b, part, f); err != nil {
		s.Log.Error("a page could not be made", "page", p.Name, "error", err)
		http.Error(w, "emend: a defect in emend: the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if p.Status != 0 {
		w.WriteHeader(p.Status)
	}
	w.Write(b.Bytes()) //nolint:errcheck // then nobody reads it
}
