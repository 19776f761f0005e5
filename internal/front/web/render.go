package web

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend/api"
)

// page is the answer of a handler, to be rendered.
type page struct {
	Name     string // of the template: pages/NAME.tmpl defines "main"
	Title    string
	Status   int  // 0 for 200
	Data     any  // .Data in the template
	Fragment bool // send "main" only, without the frame
	Reload   bool // a browser without JavaScript reloads it every few seconds
}

// request is a request of a person who is signed in.
type request struct {
	*http.Request
	site  *Site
	ws    *Workspace
	head  uint64 // the newest record of the log before the page read anything
	login login  // its name is also the session in the log

	texts int // how many versions of files were read for this page

	// refusal is the result of a tool that refused the form of this page, which is shown again; nil if the page was just opened.
	refusal api.Result
}

// frame is the data of every template.
type frame struct {
	page
	Workspace  *Workspace // nil outside of any workspace
	Workspaces []Workspace
	Version    string
	Root       string // of the browser's session, or Base
	Path       string
	ReadOnly   bool
	Waiting    int    // how many of its calls wait for a person
	Head       uint64 // the page shows the log at least up to this record
}

//go:embed pages/*.tmpl
var templateFiles embed.FS

var templateFS fs.ReadDirFS = templateFiles

// sharedTemplates are parsed into every page.
var sharedTemplates = []string{"pages/frame.tmpl", "pages/bare.tmpl", "pages/parts.tmpl", "pages/diff.tmpl"}

// templates are parsed when the first page is shown, so that a program that shows none does not wait for them.
var templates = sync.OnceValue(func() map[string]*template.Template { return ParsePages(nil, templateFS) })

// ParsePages parses pages/*.tmpl of a file system, each together with the parts that all pages share, and with the functions that are given
// beside those of this package. The pages of another program have a frame of their own, in pages/frame.tmpl.
func ParsePages(more template.FuncMap, files fs.ReadDirFS) map[string]*template.Template {
	base := template.Must(template.New("frame").Funcs(templateFuncs).Funcs(more).ParseFS(templateFS, sharedTemplates...))
	if files != templateFS {
		base = template.Must(base.ParseFS(files, "pages/frame.tmpl"))
	}
	out := map[string]*template.Template{}
	all, _ := files.ReadDir("pages")
	for _, f := range all {
		name := strings.TrimSuffix(f.Name(), ".tmpl")
		own := template.Must(base.Clone())
		if base.Lookup(f.Name()) == nil {
			own = template.Must(own.ParseFS(files, "pages/"+f.Name()))
		}
		out[name] = own
	}
	return out
}

// pageHandler makes an HTTP handler of a function that returns a page.
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

// logHead returns the number of the log's newest record, or 0 if there is none.
func logHead(ctx context.Context, ws *Workspace) uint64 {
	t, err := ws.Timeline(ctx, api.TimelineRequest{Limit: 1, Look: 1})
	if err != nil {
		return 0
	}
	return t.Head.Seq
}

// inWorkspace makes an HTTP handler of one that serves a workspace.
func (s *Site) inWorkspace(h func(http.ResponseWriter, *request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		l := loginOf(r)
		req := &request{Request: r, site: s, ws: s.workspace(r.PathValue("workspace"), l.root), login: l}
		if req.ws == nil {
			s.show(w, req, notFoundPage("no workspace has this name", "Go to the first page, which lists them."))
			return
		}
		h(w, req)
	}
}

// workspace returns a workspace with addresses below root, or nil.
func (s *Site) workspace(name, root string) *Workspace {
	for _, w := range s.Workspaces {
		if w.Name == name {
			w.root, w.readOnly = root, s.ReadOnly
			return &w
		}
	}
	return nil
}

// workspaces returns all workspaces, with addresses below root.
func (s *Site) workspaces(root string) []Workspace {
	out := slices.Clone(s.Workspaces)
	for i := range out {
		out[i].root = root
	}
	return out
}

// show sends a page, whole or not at all.
func (s *Site) show(w http.ResponseWriter, r *request, p page) {
	if v, ok := p.Data.(errorView); ok && wantsJSON(r.Request) {
		s.sendJSON(w, p.Status, v.json())
		return
	}
	f := &frame{page: p, Workspace: r.ws, Workspaces: s.workspaces(r.login.root), Version: s.Version, Root: cmp.Or(r.login.root, Base), Path: r.URL.Path, ReadOnly: s.ReadOnly, Head: r.head}
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
	w.Write(b.Bytes()) //nolint:errcheck // the browser is gone
}
