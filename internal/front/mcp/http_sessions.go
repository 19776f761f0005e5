package mcp

import (
	"net/http"
	"sync"
	"time"
)

// sessions are the open sessions of the protocol revisions that have them. A session ends when it is unused for too
// long, or when it is the longest unused one and there is no room for another.
type sessions struct {
	max  int
	idle time.Duration

	mu      sync.Mutex
	opening int // reserved and not open yet
	open    map[string]*session
}

type session struct {
	close     func() // returns at once
	busy      int    // requests in hand, without streams that only listen
	idleSince time.Time
	timer     *time.Timer
}

const sessionHeader = "Mcp-Session-Id"

// serveSession serves a request of a revision with sessions.
func (h *HTTP) serveSession(w *response, r *http.Request, e *endpoint) *httpRefusal {
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
			h.sessions.opened(made, func() {
				h.start("ending a session", func() { h.pending.cancelSession(made); e.end(made) })
			})
		}
		defer func() {
			if w.code == 0 { // The client left before it was told its session.
				h.sessions.opened("", nil)
				id := w.Header().Get(sessionHeader)
				h.start("ending a session", func() { e.end(id) })
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
	e.withSessions.ServeHTTP(w, r)
	return nil
}

// end closes a session of the SDK.
func (e *endpoint) end(id string) {
	for s := range e.server.Sessions() {
		if id != "" && s.ID() == id {
			s.Close()
		}
	}
}

// reserve makes room for one more session, by closing an idle one if necessary.
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
	for id, session := range s.open {
		if session.busy == 0 && (oldest == "" || session.idleSince.Before(s.open[oldest].idleSince)) {
			oldest = id
		}
	}
	if oldest == "" {
		return false
	}
	s.closeLocked(oldest)
	return true
}

// opened adds the session for which reserve made room, with one request in hand. An id of "" gives the room back.
func (s *sessions) opened(id string, closeSession func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
	if id != "" {
		s.open[id] = &session{close: closeSession, busy: 1, timer: time.AfterFunc(s.idle, func() { s.expire(id) })}
	}
}

func (s *sessions) beginRequest(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.open[id]; session != nil {
		session.busy++
	}
}

func (s *sessions) endRequest(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.open[id]; session != nil {
		session.busy--
		session.idleSince = time.Now()
		session.timer.Reset(s.idle)
	}
}

// expire closes a session whose idle time is over, unless it has a request in hand. endRequest then restarts the
// timer.
func (s *sessions) expire(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.open[id]; session != nil && session.busy == 0 {
		s.closeLocked(id)
	}
}

// forget removes a session that its client has ended.
func (s *sessions) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.open[id]; session != nil {
		session.timer.Stop()
		delete(s.open, id)
	}
}

// closeLocked closes a session without waiting for its last answers. s.mu is held.
func (s *sessions) closeLocked(id string) {
	session := s.open[id]
	session.timer.Stop()
	delete(s.open, id)
	session.close()
}

func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}
