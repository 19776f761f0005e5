package mcp

import (
	"net/http"
	"sync"
	"time"
)

// sessions are those of the revisions that have them: one that nobody uses ends, and so does the one that was not used for
// the longest time when there would be too many.
type sessions struct {
	max int
	idle time.Duration

	mu     sync.Mutex
	opening int // not made yet
	open   map[string]*session
}

type session struct {
	close   func()
	busy  int // requests in hand; a stream that only listens is none
	idleSince time.Time
	timer *time.Timer
}

const sessionHeader = "Mcp-Session-Id"

// inSession serves a request of a revision with sessions.
func (h *HTTP) serveSession(w *response, r *http.Request, d *endpoint) *httpRefusal {
	id := r.Header.Get(sessionHeader)
	switch {
	case r.Method == http.MethodPost && id == "":
		if !h.sessions.reserve() {
			return &httpRefusal{reason: "sessions", code: http.StatusServiceUnavailable, retryLater: true, msg: "too many sessions are open, and all are at work: end one, or start the server with a larger --max-sessions"}
		}
		made := ""
		w.onStatus = func(code int) {
			if code < 300 {
				made = w.Header().Get(sessionHeader)
			}
			h.sessions.opened(made, func() { h.pending.cancelSession(made); d.end(made) })
		}
		defer func() {
			if w.code == 0 { // the client has left, and has not heard of the session that there may be
				h.sessions.opened("", nil)
				go d.end(w.Header().Get(sessionHeader))
			}
			h.sessions.endRequest(made)
		}()
	case r.Method == http.MethodPost:
		h.sessions.beginRequest(id)
		defer h.sessions.endRequest(id)
	case r.Method == http.MethodDelete:
		h.pending.cancelSession(id)
		defer func() {
			if w.code == http.StatusNoContent {
				h.sessions.forget(id)
			}
		}()
	}
	d.withSessions.ServeHTTP(w, r)
	return nil
}

// end closes a session of the protocol's library.
func (d *endpoint) end(id string) {
	for s := range d.server.Sessions() {
		if id != "" && s.ID() == id {
			s.Close()
		}
	}
}

// room makes room for one more session, if it must by ending one that is idle.
func (s *sessions) reserve() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open)+s.opening >= s.max && !s.closeLongestIdle() {
		return false
	}
	s.opening++
	return true
}

func (s *sessions) closeLongestIdle() bool {
	oldest := ""
	for id, one := range s.open {
		if one.busy == 0 && (oldest == "" || one.idleSince.Before(s.open[oldest].idleSince)) {
			oldest = id
		}
	}
	if oldest == "" {
		return false
	}
	s.closeLocked(oldest)
	return true
}

// made takes up the session that room was made for, at work; "" is none.
func (s *sessions) opened(id string, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
	if id != "" {
		s.open[id] = &session{close: end, busy: 1, timer: time.AfterFunc(s.idle, func() { s.expire(id) })}
	}
}

func (s *sessions) beginRequest(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		one.busy++
	}
}

func (s *sessions) endRequest(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		one.busy--
		one.idleSince = time.Now()
		one.timer.Reset(s.idle)
	}
}

// expire ends a session, unless it is at work: then leave starts the clock again.
func (s *sessions) expire(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil && one.busy == 0 {
		s.closeLocked(id)
	}
}

// forget drops a session that its client has ended.
func (s *sessions) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		one.timer.Stop()
		delete(s.open, id)
	}
}

// drop ends a session. It does not wait for its last words.
func (s *sessions) closeLocked(id string) {
	one := s.open[id]
	one.timer.Stop()
	delete(s.open, id)
	go one.close()
}

func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}
