package mcp

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/emend-dev/emend/internal/tool"
)

// health caches the state of the workspaces for maxAge, since anybody may ask for it without a token.
type health struct {
	maxAge time.Duration

	mu      sync.Mutex
	checked time.Time
	err     error
}

// serveHealth answers "ok", or status 503. Only who sends the token is told the reason, which names workspaces and files.
func (h *HTTP) serveHealth(w *response, r *http.Request) *httpRefusal {
	if refusal := requireGet(w, r); refusal != nil {
		return refusal
	}
	w.Header().Set("Cache-Control", "no-store")
	reason := ""
	if h.draining.Load() {
		reason = "the server is stopping"
	} else if err := h.health.check(h.Workspaces); err != nil {
		reason = err.Error()
	}
	if reason != "" {
		if h.checkToken(r) != nil {
			reason = "not ready"
		}
		return &httpRefusal{reason: "health", code: http.StatusServiceUnavailable, msg: reason}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok") //nolint:errcheck // the client has gone
	return nil
}

func (h *health) check(spaces []tool.Workspace) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.checked) < h.maxAge {
		return h.err
	}
	h.err = nil
	for _, w := range spaces {
		if err := w.Host().Ready(); err != nil {
			h.err = fmt.Errorf("workspace %s: %w", w.Name, err)
			break
		}
	}
	h.checked = time.Now()
	return h.err
}

func (h *HTTP) serveMetrics(w *response, r *http.Request) *httpRefusal {
	if refusal := requireGet(w, r); refusal != nil {
		return refusal
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	h.metrics.write(w, h.Server, h.sessions.count()) //nolint:errcheck // the client has gone
	return nil
}

func requireGet(w *response, r *http.Request) *httpRefusal {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	w.Header().Set("Allow", "GET, HEAD")
	return &httpRefusal{reason: "method", code: http.StatusMethodNotAllowed, msg: "this address is only read: ask with GET"}
}
