package mcp

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// health is what was last found of the workspaces. It is looked at once a second at most: whoever asks needs no token.
type health struct {
	fresh time.Duration // how long what was found holds

	mu  sync.Mutex
	at  time.Time
	ill error
}

// tellHealth says "ok", or why not with a code that those who watch servers understand.
func (h *HTTP) tellHealth(w *reply, r *http.Request) *no {
	if refusal := reads(w, r); refusal != nil {
		return refusal
	}
	w.Header().Set("Cache-Control", "no-store")
	if h.draining.Load() {
		return &no{by: "health", code: http.StatusServiceUnavailable, msg: "the server is stopping"}
	}
	if err := h.health.look(h.Workspaces); err != nil {
		return &no{by: "health", code: http.StatusServiceUnavailable, msg: err.Error()}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok") //nolint:errcheck // nobody is there any more
	return nil
}

func (l *health) look(spaces []Workspace) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.at) < l.fresh {
		return l.ill
	}
	l.ill = nil
	for _, w := range spaces {
		if err := w.Ready(); err != nil {
			l.ill = fmt.Errorf("workspace %s: %w", w.Name, err)
			break
		}
	}
	l.at = time.Now()
	return l.ill
}

func (h *HTTP) tellMetrics(w *reply, r *http.Request) *no {
	if refusal := reads(w, r); refusal != nil {
		return refusal
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	h.stats.write(w, h.Server, h.sessions.count()) //nolint:errcheck // nobody is there any more
	return nil
}

func reads(w *reply, r *http.Request) *no {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	w.Header().Set("Allow", "GET, HEAD")
	return &no{by: "method", code: http.StatusMethodNotAllowed, msg: "this address is only read: ask with GET"}
}
