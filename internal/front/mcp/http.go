package mcp

import (
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend/internal/front/gate"
)

// stateless is the first revision of the protocol without sessions.
const stateless = "2026-07-28"

// listen is the method whose answer comes when the client has had enough.
const listen = "subscriptions/listen"

// HTTPConfig is how a server is reached over HTTP, and what it bears. What is zero has a default.
type HTTPConfig struct {
	Token       string        // what clients send as their bearer token; without one nobody comes in
	Pages       http.Handler  // what is below /ui/, which asks who comes in by itself; nil for nothing
	MaxBody     int64         // bytes of a request; 32 MiB
	MaxRate     int           // requests a second of one address; 20,000
	MaxSessions int           // open at once; 1000
	MaxConns    int           // open at once; 4096
	SessionIdle time.Duration // after which a session ends; a day
	Headers     time.Duration // for the head of a request to come; 10 s
	Body        time.Duration // for the body to come; a minute
	Write       time.Duration // for a client to take one write; 30 s
	Idle        time.Duration // for the next request on a connection; two minutes
	Grace       time.Duration // for calls in hand when the server stops; 10 s
}

func (c HTTPConfig) filled() HTTPConfig {
	defaults(&c.MaxBody, 32<<20)
	defaults(&c.MaxRate, 20000)
	defaults(&c.MaxSessions, 1000)
	defaults(&c.MaxConns, 4096)
	defaults(&c.SessionIdle, 24*time.Hour)
	defaults(&c.Headers, 10*time.Second)
	defaults(&c.Body, time.Minute)
	defaults(&c.Write, 30*time.Second)
	defaults(&c.Idle, 2*time.Minute)
	defaults(&c.Grace, 10*time.Second)
	return c
}

func defaults[T comparable](to *T, value T) {
	var zero T
	if *to == zero {
		*to = value
	}
}

// HTTP is a server as it is reached over HTTP.
type HTTP struct {
	HTTPConfig
	*Server
	doors    map[string]func() *door // by the path
	sessions *sessions
	rate     *gate.Rate
	news     *gate.Rate // of requests that were refused: a flood of them does not fill the log
	health   health
	held     atomic.Int64 // bytes of all requests in hand
	draining atomic.Bool
	answers  sync.RWMutex // read-locked by each request that has an answer to come; locked when no more are taken
}

// HTTP makes the way in for all clients of HTTP: at /mcp over all workspaces, at /mcp/NAME over one.
func (s *Server) HTTP(c HTTPConfig) *HTTP {
	h := &HTTP{HTTPConfig: c.filled(), Server: s, doors: map[string]func() *door{}}
	h.sessions = &sessions{most: h.MaxSessions, idle: h.SessionIdle, open: map[string]*session{}}
	h.rate, h.news = gate.NewRate(h.MaxRate), gate.NewRate(1)
	h.health.fresh = time.Second
	h.doors["/mcp"] = sync.OnceValue(func() *door { return h.door(s.all) })
	for i, w := range s.Workspaces {
		h.doors["/mcp/"+w.Name] = sync.OnceValue(func() *door { return h.door(s.build(s.Workspaces[i : i+1])) })
	}
	if len(s.Workspaces) == 1 {
		h.doors["/mcp/"+s.Workspaces[0].Name] = h.doors["/mcp"]
	}
	return h
}

// Handler is [Server.HTTP], for those who bring a server of their own.
func (s *Server) Handler(c HTTPConfig) http.Handler { return s.HTTP(c) }

// door is one address. It speaks every revision of the protocol: the header of the request says which.
type door struct {
	server   *sdk.Server
	old, now http.Handler
}

func (h *HTTP) door(server *sdk.Server) *door {
	get := func(*http.Request) *sdk.Server { return server }
	o := sdk.StreamableHTTPOptions{Logger: h.library(), MaxRequestBodyBytes: -1} // the body was bounded before
	now := o
	now.Stateless, now.PropagateRequestCancellation = true, true
	return &door{server: server, old: sdk.NewStreamableHTTPHandler(get, &o), now: sdk.NewStreamableHTTPHandler(get, &now)}
}

// ServeHTTP answers one request, whatever it is.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &reply{ResponseWriter: w, ctl: http.NewResponseController(w), patience: h.Write, owed: &h.calls.owed}
	body := r.Body
	defer func() {
		if p := recover(); p != nil {
			h.Log.Error("a request failed", "panic", p, "stack", string(debug.Stack()))
			out.refuse(&no{code: http.StatusInternalServerError, msg: "a defect in emend"})
		}
		if r.Body == body && body != http.NoBody { // nobody has read it; net/http does, before it answers, and has no limit of time for that
			out.ctl.SetReadDeadline(time.Now().Add(h.Headers)) //nolint:errcheck // a connection that has none is a test's
		}
		out.end()
		h.stats.answered(out.code)
		h.stats.out.Add(out.sent)
	}()
	if refusal := h.serve(out, r); refusal != nil {
		h.stats.refuse(refusal.by)
		h.refused(refusal, r)
		out.refuse(refusal)
	}
}

// refused has a refusal in the log, and warns of those that somebody should look into.
func (h *HTTP) refused(n *no, r *http.Request) {
	level := slog.LevelDebug
	if n.code != http.StatusNotFound && n.by != "health" && h.news.Allow(n.by) {
		level = slog.LevelWarn
	}
	h.Log.Log(r.Context(), level, "a request was refused", "by", n.by, "code", n.code, "remote", r.RemoteAddr)
}

func (h *HTTP) serve(w *reply, r *http.Request) *no {
	if refusal := h.stranger(r); refusal != nil {
		return refusal
	}
	if r.URL.Path == "/healthz" {
		return h.tellHealth(w, r)
	}
	if h.Pages != nil && (r.URL.Path == "/ui" || strings.HasPrefix(r.URL.Path, "/ui/")) {
		return h.pages(w, r)
	}
	if refusal := h.admit(r); refusal != nil {
		return refusal
	}
	if r.URL.Path == "/metrics" {
		return h.tellMetrics(w, r)
	}
	open, ok := h.doors[r.URL.Path]
	if !ok {
		return &no{by: "path", code: http.StatusNotFound, msg: "nothing is here: the server is at " + h.paths()}
	}
	return h.mcp(w, r, open())
}

// pages answers who looks at the pages. The token of a client is none for them: who calls the tools is not to answer for them.
func (h *HTTP) pages(w *reply, r *http.Request) *no {
	where, _, _ := net.SplitHostPort(r.RemoteAddr)
	switch {
	case h.draining.Load():
		return &no{by: "draining", code: http.StatusServiceUnavailable, later: true, bad: true, msg: "the server is stopping"}
	case !h.rate.Allow("ui " + where):
		return tooOften()
	}
	h.Pages.ServeHTTP(w, r)
	return nil
}

func (h *HTTP) paths() string {
	var out []string
	for path := range h.doors {
		out = append(out, path)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// mcp hands a request to the protocol's library.
func (h *HTTP) mcp(w *reply, r *http.Request, d *door) *no {
	version := r.Header.Get("Mcp-Protocol-Version")
	if r.Method == http.MethodPost {
		room, refusal := h.hold(r)
		if refusal != nil {
			return refusal
		}
		body, refusal := h.body(w, r)
		h.held.Add(int64(len(body)) - room)
		defer h.held.Add(-int64(len(body)))
		if refusal != nil {
			return refusal
		}
		if begins(body) && r.Header.Get("Mcp-Method") != listen {
			if h.draining.Load() || !h.answers.TryRLock() {
				return &no{by: "draining", code: http.StatusServiceUnavailable, later: true, bad: true, msg: "the server is stopping: call again when it is back"}
			}
			defer h.answers.RUnlock()
		}
		if version == "" && claimsStateless(body) {
			version = stateless // it says what is wrong with a request without the header
		}
	}
	if version >= stateless {
		d.now.ServeHTTP(w, r)
		return nil
	}
	return h.inSession(w, r, d)
}
