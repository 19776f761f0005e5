package mcp

import (
	"cmp"
	"log/slog"
	"maps"
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

// statelessRevision is the first revision of the protocol without sessions.
const statelessRevision = "2026-07-28"

// listenMethod is the method of a subscription. Its answer comes when the client ends the subscription.
const listenMethod = "subscriptions/listen"

// HTTPConfig says how a server is reached over HTTP and what it accepts. A field that is zero has a default.
type HTTPConfig struct {
	Token         string        // the bearer token of clients; no request without it reaches a tool
	Pages         http.Handler  // handles /ui and below, and authorizes its own requests; nil for no pages
	MaxBody       int64         // bytes of a request; 32 MiB
	MaxRate       int           // requests a second from one address; 20,000
	MaxSessions   int           // open sessions; 1000
	MaxConns      int           // open connections; 4096
	SessionIdle   time.Duration // an unused session ends after this; a day
	HeaderTimeout time.Duration // until the header of a request is read; 10 s
	BodyTimeout   time.Duration // until the body is read; a minute
	BodyWait      time.Duration // until there is memory for a body; 5 s
	WriteTimeout  time.Duration // for a client to take one write; 30 s
	IdleTimeout   time.Duration // until the next request on a connection; two minutes
	Grace         time.Duration // for calls in hand when the server stops; 10 s
}

func (c HTTPConfig) withDefaults() HTTPConfig {
	c.MaxBody = cmp.Or(c.MaxBody, 32<<20)
	c.MaxRate = cmp.Or(c.MaxRate, 20000)
	c.MaxSessions = cmp.Or(c.MaxSessions, 1000)
	c.MaxConns = cmp.Or(c.MaxConns, 4096)
	c.SessionIdle = cmp.Or(c.SessionIdle, 24*time.Hour)
	c.HeaderTimeout = cmp.Or(c.HeaderTimeout, 10*time.Second)
	c.BodyTimeout = cmp.Or(c.BodyTimeout, time.Minute)
	c.BodyWait = cmp.Or(c.BodyWait, 5*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 30*time.Second)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 2*time.Minute)
	c.Grace = cmp.Or(c.Grace, 10*time.Second)
	return c
}

// HTTP serves MCP clients, /healthz, /metrics and the pages over HTTP.
type HTTP struct {
	HTTPConfig
	*Server
	endpoints map[string]func() *endpoint // by path; each is made when it is first used
	sessions  *sessions
	rate      *gate.RateLimiter
	warnings  *gate.Warnings // about refused requests
	health    health
	memory    *bodyMemory // of the bodies of all requests in hand
	draining  atomic.Bool
	answering sync.RWMutex // read-locked by each request that will be answered; locked once no more are accepted
}

// HTTP returns the handler for all HTTP clients. It serves all workspaces at /mcp and each one at /mcp/NAME.
func (s *Server) HTTP(c HTTPConfig) *HTTP {
	h := &HTTP{HTTPConfig: c.withDefaults(), Server: s, endpoints: map[string]func() *endpoint{}}
	h.sessions = &sessions{max: h.MaxSessions, idle: h.SessionIdle, open: map[string]*session{}}
	h.rate, h.warnings = gate.NewRateLimiter(h.MaxRate), gate.NewWarnings()
	h.health.maxAge = time.Second
	h.memory = newBodyMemory(h.MaxBody)
	h.endpoints["/mcp"] = sync.OnceValue(func() *endpoint { return h.newEndpoint(s.sdk) })
	for i, w := range s.Workspaces {
		h.endpoints["/mcp/"+w.Name] = sync.OnceValue(func() *endpoint { return h.newEndpoint(s.newSDKServer(s.Workspaces[i : i+1])) })
	}
	if len(s.Workspaces) == 1 {
		h.endpoints["/mcp/"+s.Workspaces[0].Name] = h.endpoints["/mcp"]
	}
	return h
}

// endpoint is one path of the server. It speaks every revision of the protocol. The request's header says which.
type endpoint struct {
	server                  *sdk.Server
	withSessions, stateless http.Handler
}

func (h *HTTP) newEndpoint(server *sdk.Server) *endpoint {
	serverOf := func(*http.Request) *sdk.Server { return server }
	options := sdk.StreamableHTTPOptions{Logger: h.sdkLogger(), MaxRequestBodyBytes: -1} // readBody bounds the body already
	statelessOptions := options
	statelessOptions.Stateless, statelessOptions.PropagateRequestCancellation = true, true
	return &endpoint{server: server, withSessions: sdk.NewStreamableHTTPHandler(serverOf, &options), stateless: sdk.NewStreamableHTTPHandler(serverOf, &statelessOptions)}
}

// ServeHTTP answers one request. A panic becomes an internal server error.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &response{ResponseWriter: w, ctl: http.NewResponseController(w), writeTimeout: h.WriteTimeout, unsent: &h.calls.unsent}
	body := r.Body
	defer func() {
		if p := recover(); p != nil {
			h.Log.Error("a request failed", "panic", p, "stack", string(debug.Stack()))
			out.refuse(&httpRefusal{code: http.StatusInternalServerError, msg: "a defect in emend"})
		}
		// If no handler read the body, net/http reads it before it answers, and sets no deadline of its own.
		if r.Body == body && body != http.NoBody {
			out.ctl.SetReadDeadline(time.Now().Add(h.HeaderTimeout)) //nolint:errcheck // only a test's connection has no deadlines
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

// logRefusal logs a refusal, as a warning if somebody should look into it.
func (h *HTTP) logRefusal(refusal *httpRefusal, r *http.Request) {
	level := slog.LevelDebug
	if refusal.code != http.StatusNotFound && refusal.reason != "health" {
		level = h.warnings.Level(refusal.reason)
	}
	h.Log.Log(r.Context(), level, "a request was refused", "by", refusal.reason, "code", refusal.code, "remote", r.RemoteAddr)
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
	endpoint, ok := h.endpoints[r.URL.Path]
	if !ok {
		return &httpRefusal{reason: "path", code: http.StatusNotFound, msg: "nothing is here: the server is at " + strings.Join(slices.Sorted(maps.Keys(h.endpoints)), " ")}
	}
	return h.serveMCP(w, r, endpoint())
}

// servePages serves the pages. It does not accept the token of MCP clients: an agent that calls the tools must not
// approve its own calls.
func (h *HTTP) servePages(w *response, r *http.Request) *httpRefusal {
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	switch {
	case h.draining.Load():
		return &httpRefusal{reason: "draining", code: http.StatusServiceUnavailable, retryLater: true, closeConn: true, msg: "the server is stopping"}
	case !h.rate.Allow("ui " + address):
		return tooOften()
	}
	h.Pages.ServeHTTP(w, r)
	return nil
}

// serveMCP passes a request to the SDK, after its body was read and bounded.
func (h *HTTP) serveMCP(w *response, r *http.Request, e *endpoint) *httpRefusal {
	version := r.Header.Get("Mcp-Protocol-Version")
	if r.Method == http.MethodPost {
		reserved, refusal := h.reserveBody(r)
		if refusal != nil {
			return refusal
		}
		body, refusal := h.readBody(w, r)
		h.memory.give(reserved - int64(len(body)))
		defer h.memory.give(int64(len(body)))
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
			version = statelessRevision // the SDK says what such a request lacks
		}
	}
	if version >= statelessRevision {
		e.stateless.ServeHTTP(w, r)
		return nil
	}
	return h.serveSession(w, r, e)
}
