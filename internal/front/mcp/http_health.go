package mcp

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// health is what was last found of the workspaces. It is looked at once a second at most: whoever asks needs no token.
type health struct {
	maxAge time.Duration // how long what was found holds

	mu  sync.Mutex
	checked  time.Time
	err error
}

// tellHealth says "ok", or why not with a code that those who watch servers understand.
func (h *HTTP) serveHealth(w *response, r *http.Request) *httpRefusal {
	if refusal := requireGet(w, r); refusal != nil {
		return refusal
	}
	w.Header().Set("Cache-Control", "no-store")
	if h.draining.Load() {
		return &httpRefusal{reason: "health", code: http.StatusServiceUnavailable, msg: "the server is stopping"}
	}
	if err := h.health.check(h.Workspaces); err != nil {
		return &httpRefusal{reason: "health", code: http.StatusServiceUnavailable, msg: err.Error()}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok") //nolint:errcheck // nobody is there any more
	return nil
}

func (l *health) check(spaces []Workspace) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.checked) < l.maxAge {
		return l.err
	}
	l.err = nil
	for _, w := range spaces {
		if err := w.Ready(); err != nil {
			l.err = fmt.Errorf("workspace %s: %w", w.Name, err)
			break
		}
	}
	l.checked = time.Now()
	return l.err
}

func (h *HTTP) serveMetrics(w *response, r *http.Request) *httpRefusal {
	if refusal := requireGet(w, r); refusal != nil {
		return refusal
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	h.metrics.write(w, h.Server, h.sessions.count()) //nolint:errcheck // nobody is there any more
	return nil
}

func requireGet(w *response, r *http.Request) *httpRefusal {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	w.Header().Set("Allow", "GET, HEAD")
	return &httpRefusal{reason: "method", code: http.StatusMethodNotAllowed, msg: "this address is only read: ask with GET"}
}
