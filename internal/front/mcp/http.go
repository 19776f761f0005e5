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
const statelessRevision = "2026-07-28"

// listen is the method whose answer comes when the client has had enough.
const listenMethod = "subscriptions/listen"

// HTTPConfig is how a server is reached over HTTP, and what it bears. What is zero has a default.
type HTTPConfig struct {
	Token       string        // what clients send as their bearer token; without one nobody comes in
	Pages       http.Handler  // what is below /ui/, which asks who comes in by itself; nil for nothing
	MaxBody     int64         // bytes of a request; 32 MiB
	MaxRate     int           // requests a second of one address; 20,000
	MaxSessions int           // open at once; 1000
	MaxConns    int           // open at once; 4096
	SessionIdle time.Duration // after which a session ends; a day
	HeaderTimeout     time.Duration // for the head of a request to come; 10 s
	BodyTimeout        time.Duration // for the body to come; a minute
	WriteTimeout       time.Duration // for a client to take one write; 30 s
	IdleTimeout        time.Duration // for the next request on a connection; two minutes
	Grace       time.Duration // for calls in hand when the server stops; 10 s
}

func (c HTTPConfig) withDefaults() HTTPConfig {
	defaults(&c.MaxBody, 32<<20)
	defaults(&c.MaxRate, 20000)
	defaults(&c.MaxSessions, 1000)
	defaults(&c.MaxConns, 4096)
	defaults(&c.SessionIdle, 24*time.Hour)
	defaults(&c.HeaderTimeout, 10*time.Second)
	defaults(&c.BodyTimeout, time.Minute)
	defaults(&c.WriteTimeout, 30*time.Second)
	defaults(&c.IdleTimeout, 2*time.Minute)
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
	endpoints    map[string]func() *endpoint // by the path
	sessions *sessions
	rate     *gate.Rate
	warnRate     *gate.Rate // of requests that were refused: a flood of them does not fill the log
	health   health
	bodyBytes     atomic.Int64 // bytes of all requests in hand
	draining atomic.Bool
	answering  sync.RWMutex // read-locked by each request that has an answer to come; locked when no more are taken
}

// HTTP makes the way in for all clients of HTTP: at /mcp over all workspaces, at /mcp/NAME over one.
func (s *Server) HTTP(c HTTPConfig) *HTTP {
	h := &HTTP{HTTPConfig: c.withDefaults(), Server: s, endpoints: map[string]func() *endpoint{}}
	h.sessions = &sessions{max: h.MaxSessions, idle: h.SessionIdle, open: map[string]*session{}}
	h.rate, h.warnRate = gate.NewRate(h.MaxRate), gate.NewRate(1)
	h.health.maxAge = time.Second
	h.endpoints["/mcp"] = sync.OnceValue(func() *endpoint { return h.newEndpoint(s.sdk) })
	for i, w := range s.Workspaces {
		h.endpoints["/mcp/"+w.Name] = sync.OnceValue(func() *endpoint { return h.newEndpoint(s.newSDKServer(s.Workspaces[i : i+1])) })
	}
	if len(s.Workspaces) == 1 {
		h.endpoints["/mcp/"+s.Workspaces[0].Name] = h.endpoints["/mcp"]
	}
	return h
}

// Handler is [Server.HTTP], for those who bring a server of their own.
func (s *Server) Handler(c HTTPConfig) http.Handler { return s.HTTP(c) }

// door is one address. It speaks every revision of the protocol: the header of the request says which.
type endpoint struct {
	server   *sdk.Server
	withSessions, stateless http.Handler
}

func (h *HTTP) newEndpoint(server *sdk.Server) *endpoint {
	get := func(*http.Request) *sdk.Server { return server }
	options := sdk.StreamableHTTPOptions{Logger: h.sdkLogger(), MaxRequestBodyBytes: -1} // the body was bounded before
	statelessOptions := options
	statelessOptions.Stateless, statelessOptions.PropagateRequestCancellation = true, true
	return &endpoint{server: server, withSessions: sdk.NewStreamableHTTPHandler(get, &options), stateless: sdk.NewStreamableHTTPHandler(get, &statelessOptions)}
}

// ServeHTTP answers one request, whatever it is.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &response{ResponseWriter: w, ctl: http.NewResponseController(w), writeTimeout: h.WriteTimeout, unsent: &h.calls.unsent}
	body := r.Body
	defer func() {
		if p := recover(); p != nil {
			h.Log.Error("a request failed", "panic", p, "stack", string(debug.Stack()))
			out.refuse(&httpRefusal{code: http.StatusInternalServerError, msg: "a defect in emend"})
		}
		if r.Body == body && body != http.NoBody { // nobody has read it; net/http does, before it answers, and has no limit of time for that
			out.ctl.SetReadDeadline(time.Now().Add(h.HeaderTimeout)) //nolint:errcheck // a connection that has none is a test's
		}
		out.finish()
		h.metrics.countResponse(out.code)
		h.metrics.sent.Add(out.sent)
	}()
	if refusal := h.route(out, r); refusal != nil {
		h.metrics.countRefusal(refusal.reason)
		h.logRefusal(refusal, r)
		out.refuse(refusal)
	}
}

// refused has a refusal in the log, and warns of those that somebody should look into.
func (h *HTTP) logRefusal(n *httpRefusal, r *http.Request) {
	level := slog.LevelDebug
	if n.code != http.StatusNotFound && n.reason != "health" && h.warnRate.Allow(n.reason) {
		level = slog.LevelWarn
	}
	h.Log.Log(r.Context(), level, "a request was refused", "by", n.reason, "code", n.code, "remote", r.RemoteAddr)
}

func (h *HTTP) route(w *response, r *http.Request) *httpRefusal {
	if refusal := h.refuseCrossSite(r); refusal != nil {
		return refusal
	}
	if r.URL.Path == "/healthz" {
		return h.serveHealth(w, r)
	}
	if h.Pages != nil && (r.URL.Path == "/ui" || strings.HasPrefix(r.URL.Path, "/ui/")) {
		return h.servePages(w, r)
	}
	if refusal := h.authorize(r); refusal != nil {
		return refusal
	}
	if r.URL.Path == "/metrics" {
		return h.serveMetrics(w, r)
	}
	open, ok := h.endpoints[r.URL.Path]
	if !ok {
		return &httpRefusal{reason: "path", code: http.StatusNotFound, msg: "nothing is here: the server is at " + h.paths()}
	}
	return h.serveMCP(w, r, open())
}

// pages answers who looks at the pages. The token of a client is none for them: who calls the tools is not to answer for them.
func (h *HTTP) servePages(w *response, r *http.Request) *httpRefusal {
	where, _, _ := net.SplitHostPort(r.RemoteAddr)
	switch {
	case h.draining.Load():
		return &httpRefusal{reason: "draining", code: http.StatusServiceUnavailable, retryLater: true, closeConn: true, msg: "the server is stopping"}
	case !h.rate.Allow("ui " + where):
		return tooOften()
	}
	h.Pages.ServeHTTP(w, r)
	return nil
}

func (h *HTTP) paths() string {
	var out []string
	for path := range h.endpoints {
		out = append(out, path)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// mcp hands a request to the protocol's library.
func (h *HTTP) serveMCP(w *response, r *http.Request, d *endpoint) *httpRefusal {
	version := r.Header.Get("Mcp-Protocol-Version")
	if r.Method == http.MethodPost {
		room, refusal := h.reserveBody(r)
		if refusal != nil {
			return refusal
		}
		body, refusal := h.readBody(w, r)
		h.bodyBytes.Add(int64(len(body)) - room)
		defer h.bodyBytes.Add(-int64(len(body)))
		if refusal != nil {
			return refusal
		}
		if wantsAnswer(body) && r.Header.Get("Mcp-Method") != listenMethod {
			if h.draining.Load() || !h.answering.TryRLock() {
				return &httpRefusal{reason: "draining", code: http.StatusServiceUnavailable, retryLater: true, closeConn: true, msg: "the server is stopping: call again when it is back"}
			}
			defer h.answering.RUnlock()
		}
		if version == "" && claimsStateless(body) {
			version = statelessRevision // it says what is wrong with a request without the header
		}
	}
	if version >= statelessRevision {
		d.stateless.ServeHTTP(w, r)
		return nil
	}
	return h.serveSession(w, r, d)
}
