// Package pages serves the pages over all workspaces of a hub, and the same as JSON for programs. They look and work as those of emend ui, whose
// front it shares: made on the server, usable without JavaScript, every act a form with a seal.
//
// It translates: what it shows comes from the index and the broker, and every act is one of package control, which checks roles and logs it.
package pages

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/internal/front/gate"
	"github.com/emend-dev/emend/internal/front/seal"
	"github.com/emend-dev/emend/internal/front/web"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/index"
)

// Config configures a site.
type Config struct {
	Broker  *broker.Broker
	Index   *index.Index
	Control *control.Control
	URL     string // https://HOST:PORT, for invitations
	Own     bool   // the pages have the hub's own certificate, which invitations pin
	Version string
	Log     *slog.Logger
}

// Site serves the pages below /ui/ and the API below /api/.
type Site struct {
	Config
	mux         *http.ServeMux
	issuer      *seal.Issuer
	logins      *web.Logins
	wrongTokens *gate.RateLimiter
	warnings    *gate.Warnings
	streams     chan struct{} // places for event streams

	mu       sync.Mutex
	flashes  map[string]string // what was done, to be shown once
	holders  map[string]string // the ids of tokens, by the name of the browser's session
	fleetAge time.Duration     // how long what was looked up is good
	fleetAt  time.Time
	fleet    *fleet
}

const (
	writeTimeout = 30 * time.Second
	readTimeout  = 10 * time.Second
	maxWrong     = 5   // wrong tokens a second that get the usual answer
	maxStreams   = 200 // open event streams
)

// New makes a site.
func New(c Config) *Site {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	s := &Site{Config: c, mux: http.NewServeMux(), issuer: web.NewIssuer(), logins: web.NewLogins(), wrongTokens: gate.NewRateLimiter(maxWrong),
		warnings: gate.NewWarnings(), streams: make(chan struct{}, maxStreams), holders: map[string]string{}, flashes: map[string]string{}, fleetAge: time.Second}
	s.routes()
	s.apiRoutes()
	return s
}

// routes registers the pages.
func (s *Site) routes() {
	const root = web.Base + "{root}/"
	s.mux.HandleFunc("GET "+web.Base+"login", s.loginPage)
	s.mux.HandleFunc("POST "+web.Base+"login", s.login)
	s.mux.HandleFunc("POST "+root+"logout", s.logout)
	for path, h := range map[string]func(*request) (page, error){
		"{$}":                (*request).fleetPage,
		"workspace/{ws}":     (*request).workspacePage,
		"timeline":           (*request).timelinePage,
		"entry/{ws}/{entry}": (*request).entryPage,
		"file":               (*request).filePage,
		"sessions":           (*request).sessionsPage,
		"session/{ws}":       (*request).sessionPage,
		"waiting":            (*request).waitingPage,
		"policy":             (*request).policyPage,
		"stop":               (*request).stopPage,
		"acts":               (*request).actsPage,
		"access":             (*request).accessPage,
		"confirm/undo":       (*request).undoPage,
	} {
		s.mux.HandleFunc("GET "+root+path, s.handler(h))
	}
	s.mux.HandleFunc("GET "+root+"events", s.events)
	s.mux.HandleFunc("POST "+root+"do/{act}", s.submit)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, s.request(r), errorPage(http.StatusNotFound, "no page has this address", "Go to the first page."))
	})
}

// ServeHTTP answers one request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			panic(p)
		} else if p != nil {
			s.Log.Error("a page failed", "panic", p, "stack", string(debug.Stack()))
			http.Error(w, "emend-hub: a defect in emend-hub", http.StatusInternalServerError)
		}
	}()
	web.SetSecurityHeaders(w.Header())
	ctl := http.NewResponseController(w)
	ctl.SetWriteDeadline(time.Now().Add(writeTimeout)) //nolint:errcheck // only a test's connection has no deadlines
	if r.Method == http.MethodPost {
		ctl.SetReadDeadline(time.Now().Add(readTimeout)) //nolint:errcheck // as above
	}
	isAPI := strings.HasPrefix(r.URL.Path, apiBase)
	if refusal := gate.CheckOrigin(r); refusal != nil {
		s.Log.Log(r.Context(), s.warnings.Level(refusal.By), "a request was refused", "by", refusal.By, "remote", r.RemoteAddr)
		if isAPI {
			apiError(w, http.StatusForbidden, refusal.Msg)
			return
		}
		s.show(w, &request{Request: r, site: s}, errorPage(http.StatusForbidden, refusal.Msg, "If you followed a link, copy its address into the address bar instead."))
		return
	}
	if web.ServeStatic(w, r) {
		return
	}
	switch _, _, ok := s.logins.Of(r); {
	case isAPI, ok, r.URL.Path == web.Base+"login":
		s.mux.ServeHTTP(w, r)
	case r.URL.Path == "/" || web.IsPageLoad(r):
		http.Redirect(w, r, web.Base+"login?next="+url.QueryEscape(web.NextAddress(r.URL.RequestURI())), http.StatusSeeOther)
	default:
		s.show(w, &request{Request: r, site: s}, errorPage(http.StatusUnauthorized, "nobody is signed in here", "Sign in with your token."))
	}
}

// request is a request of somebody who is signed in.
type request struct {
	*http.Request
	site  *Site
	login string // the name of the browser's session
	root  string
	who   control.Person
	err   error  // why it is not known whether the token is still good
	f     *fleet // what the person may see of the fleet
}

// request returns the request with who makes it. Nobody makes it if their token is not good any more.
func (s *Site) request(r *http.Request) *request {
	name, root, ok := s.logins.Of(r)
	out := &request{Request: r, site: s, login: name, root: root}
	if !ok {
		return out
	}
	s.mu.Lock()
	id := s.holders[name]
	s.mu.Unlock()
	var err error
	out.who, err = s.Control.Holder(r.Context(), id)
	switch {
	case errors.Is(err, control.ErrToken):
		out.root = ""
	case err != nil:
		out.err, out.root = err, ""
	}
	return out
}

// stranger answers a request of somebody who is not signed in any more, or of whom that cannot be known now.
func (s *Site) stranger(w http.ResponseWriter, r *request) {
	if r.err != nil {
		s.Log.Warn("the hub's log cannot be read", "error", r.err)
		s.show(w, r, errorPage(http.StatusServiceUnavailable, "the hub's log cannot be read now: "+r.err.Error(), "Reload the page in a moment."))
		return
	}
	s.logins.SignOut(w, r.Request)
	s.show(w, r, errorPage(http.StatusUnauthorized, control.ErrToken.Error(), "Sign in with another token."))
}

// page is the answer of a handler, to be rendered.
type page struct {
	Name, Title string
	Status      int
	Data        any
	Reload      bool
}

// handler makes an HTTP handler of a function that returns a page.
func (s *Site) handler(h func(*request) (page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		req := s.request(r)
		if req.root == "" {
			s.stranger(w, req)
			return
		}
		p, err := req.prepared(h)
		if err != nil {
			p = s.errorPageOf(err)
		}
		s.show(w, req, p)
	}
}

func (r *request) prepared(h func(*request) (page, error)) (page, error) {
	var err error
	if r.f, err = r.site.fleetFor(r.Context(), r.who); err != nil {
		return page{}, err
	}
	return h(r)
}

// frame is the data of every template.
type frame struct {
	page
	Version  string
	Root     string
	Path     string
	Who      control.Person
	SignedIn bool
	Waiting  int
	Head     uint64
	Flash    string
}

//go:embed pages/*.tmpl
var pageFiles embed.FS

var templates = sync.OnceValue(func() map[string]*template.Template {
	return web.ParsePages(template.FuncMap{"join": strings.Join, "int": func(n uint64) int { return int(n) }}, pageFiles)
})

// show sends a page, whole or not at all.
func (s *Site) show(w http.ResponseWriter, r *request, p page) {
	f := &frame{page: p, Version: s.Version, Root: cmp.Or(r.root, web.Base), Path: r.URL.Path, Who: r.who, SignedIn: r.root != ""}
	part := "hubbare"
	if f.SignedIn {
		f.Flash = r.flash()
		part = "hub"
		f.Head, f.Waiting = s.news(r.Context(), r.who)
	}
	var b bytes.Buffer
	if err := templates()[p.Name].ExecuteTemplate(&b, part, f); err != nil {
		s.Log.Error("a page could not be made", "page", p.Name, "error", err)
		http.Error(w, "emend-hub: a defect in emend-hub: the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if p.Status != 0 {
		w.WriteHeader(p.Status)
	}
	w.Write(b.Bytes()) //nolint:errcheck // the browser is gone
}

// May reports whether who looks at the page has a role.
func (f *frame) May(role string) bool { return f.Who.May(control.Role(role)) }

// Rules reports whether who looks at the page may decide for the whole fleet.
func (f *frame) Rules() bool { return f.Who.May(control.Admin) && len(f.Who.Labels) == 0 }

// navLink is a link in the header.
type navLink struct {
	Text, Href, Key, Current string
	Count                    int
}

// Nav returns the links in the header.
func (f *frame) Nav() []navLink {
	out := []navLink{{Text: "Fleet", Key: "f"}, {Text: "Timeline", Key: "t", Href: "timeline"}, {Text: "Sessions", Key: "s", Href: "sessions"},
		{Text: "Waiting", Key: "w", Href: "waiting", Count: f.Waiting}, {Text: "Policy", Key: "p", Href: "policy"}, {Text: "Stop", Key: "x", Href: "stop"},
		{Text: "Acts", Key: "a", Href: "acts"}}
	if f.Rules() {
		out = append(out, navLink{Text: "Access", Key: "c", Href: "access"})
	}
	at := strings.TrimPrefix(f.Path, f.Root)
	for i := range out {
		l := &out[i]
		switch {
		case at == l.Href:
			l.Current = "page"
		case l.Href == "sessions" && strings.HasPrefix(at, "session/"), l.Href == "" && strings.HasPrefix(at, "workspace/"), l.Href == "timeline" && strings.HasPrefix(at, "entry/"):
			l.Current = "true"
		}
		l.Href = f.Root + l.Href
	}
	return out
}

// errorView is the data of the page "error".
type errorView struct{ Title, Text, Next string }

func errorPage(status int, text, next string) page {
	title := map[int]string{http.StatusForbidden: "Not allowed", http.StatusNotFound: "Not found", http.StatusConflict: "Not possible now", http.StatusUnauthorized: "Not signed in"}[status]
	title = cmp.Or(title, http.StatusText(status))
	return page{Name: "error", Title: title, Status: status, Data: errorView{title, text, next}}
}

var errNotFound = errors.New("there is no such thing, or your token is not good for it")

// statusOf returns the HTTP status of an error.
func statusOf(err error) int {
	switch {
	case errors.Is(err, control.ErrToken):
		return http.StatusUnauthorized
	case errors.Is(err, control.ErrRole), errors.Is(err, control.ErrLabel):
		return http.StatusForbidden
	case errors.Is(err, errNotFound), errors.Is(err, broker.ErrNotMember):
		return http.StatusNotFound
	case errors.Is(err, control.ErrLog):
		return http.StatusInternalServerError
	case errors.Is(err, control.ErrBroker):
		return http.StatusServiceUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusConflict
}

// errorPageOf is the page of an error.
func (s *Site) errorPageOf(err error) page {
	status := statusOf(err)
	if status == http.StatusInternalServerError {
		s.Log.Error("a page failed", "error", err)
	}
	return errorPage(status, err.Error(), "")
}

// loginView is the data of the page "login".
type loginView struct{ Next, Problem string }

func (s *Site) loginPage(w http.ResponseWriter, r *http.Request) {
	s.show(w, &request{Request: r, site: s}, page{Name: "login", Title: "Sign in", Data: loginView{Next: web.NextAddress(r.URL.Query().Get("next"))}})
}

// login checks a token and gives the browser a session. Only wrong tokens are limited.
func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	bare := &request{Request: r, site: s}
	form, refused := web.ParseForm(w, r)
	if refused != nil {
		s.show(w, bare, errorPage(refused.Status, refused.Text, refused.Next))
		return
	}
	next := web.NextAddress(form.Get("next"))
	who, err := s.Control.Authenticate(r.Context(), form.Get("token"))
	if err == nil {
		err = s.Control.SignIn(r.Context(), who)
	}
	if err != nil {
		status, said := http.StatusUnauthorized, "This token is not valid."
		switch {
		case !errors.Is(err, control.ErrToken):
			status, said = http.StatusServiceUnavailable, err.Error()
		case !s.wrongTokens.Allow(""):
			status, said = http.StatusTooManyRequests, "Too many wrong tokens were sent. Wait for a second."
			w.Header().Set("Retry-After", "1")
		}
		s.Log.Log(r.Context(), s.warnings.Level("token"), "a wrong token was sent to the pages", "remote", r.RemoteAddr)
		s.show(w, bare, page{Name: "login", Title: "Sign in", Status: status, Data: loginView{Next: next, Problem: said}})
		return
	}
	name, root := s.logins.SignIn(w, r)
	s.mu.Lock()
	if len(s.holders) > 1<<16 { // sessions that ended long ago
		clear(s.holders)
	}
	s.holders[name] = who.Token
	s.mu.Unlock()
	http.Redirect(w, r, web.AfterSignIn(root, next), http.StatusSeeOther)
}

func (s *Site) logout(w http.ResponseWriter, r *http.Request) {
	s.logins.SignOut(w, r)
	http.Redirect(w, r, web.Base+"login", http.StatusSeeOther)
}

// to returns the address of a page with a query of names and values. Empty values are left out.
func (r *request) to(path string, query ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Add(query[i], query[i+1])
		}
	}
	if len(q) == 0 {
		return r.root + path
	}
	return r.root + path + "?" + q.Encode()
}

func (r *request) workspaceHref(id string) string { return r.to("workspace/" + url.PathEscape(id)) }

func (r *request) entryHref(ws, entry string) string {
	return r.to("entry/" + url.PathEscape(ws) + "/" + url.PathEscape(strings.TrimPrefix(entry, "#")))
}

func (r *request) sessionHref(ws, session string) string {
	return r.to("session/"+url.PathEscape(ws), "name", session)
}

// member returns a workspace of the fleet that the person may see.
func (r *request) member(id string) (*space, error) {
	if sp := r.f.byID[id]; sp != nil {
		return sp, nil
	}
	return nil, errNotFound
}
