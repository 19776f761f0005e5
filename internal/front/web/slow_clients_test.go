package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// deadlineRecorder records the deadlines of an answer.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	reads, writes []time.Time
}

func (c *deadlineRecorder) SetReadDeadline(t time.Time) error {
	c.reads = append(c.reads, t)
	return nil
}
func (c *deadlineRecorder) SetWriteDeadline(t time.Time) error {
	c.writes = append(c.writes, t)
	return nil
}

// TestSlowClients: a client that sends a form slowly, or reads an answer slowly, is cut off, and HEAD of a stream opens none.
func TestSlowClients(t *testing.T) {
	p := newTestSite(t, nil)
	in := p.signIn()
	ask := func(ctx context.Context, method, path, body string) *deadlineRecorder {
		r := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1"+in.at(path), strings.NewReader(body))
		r.Host = strings.TrimPrefix(p.url, "http://")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(in.cookies[0])
		c := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
		p.ServeHTTP(c, r)
		return c
	}
	soon := func(all []time.Time, n int, most time.Duration) bool {
		for _, at := range all {
			if left := time.Until(at); left <= 0 || left > most {
				return false
			}
		}
		return len(all) == n
	}
	if c := ask(t.Context(), "GET", "/ui/default/", ""); c.Code != 200 || !soon(c.writes, 1, writeTimeout) {
		t.Errorf("a page: %d, %v", c.Code, c.writes)
	}
	if c := ask(t.Context(), "POST", "/ui/default/do/undo", url.Values{"entry": {"x"}}.Encode()); c.Code != 403 || !soon(c.writes, 1, writeTimeout) || !soon(c.reads, 1, readTimeout) {
		t.Errorf("a form: %d, %v, %v", c.Code, c.reads, c.writes)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if c := ask(ended, "GET", "/ui/default/events", ""); c.Code != 200 || len(c.writes) < 2 || !soon(c.writes, len(c.writes), writeTimeout) {
		t.Errorf("a stream: %d, %v", c.Code, c.writes)
	}
	c := ask(t.Context(), http.MethodHead, "/ui/default/events", "") // returns
	d := p.hubs["default"]
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.Code != 200 || c.Header().Get("Content-Type") != "text/event-stream" || len(d.streams) > 0 {
		t.Errorf("HEAD of a stream: %d, %v, %d open", c.Code, c.Header(), len(d.streams))
	}
}
