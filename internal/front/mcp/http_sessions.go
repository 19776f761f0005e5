package mcp

import (
	"net/http"
	"sync"
	"time"
)

// sessions are those of the revisions that have them: one that nobody uses ends, and so does the one that was not used for
// the longest time when there would be too many.
type sessions struct {
	most int
	idle time.Duration

	mu     sync.Mutex
	coming int // not made yet
	open   map[string]*session
}

type session struct {
	end   func()
	busy  int // requests in hand; a stream that only listens is none
	since time.Time
	timer *time.Timer
}

const sessionHeader = "Mcp-Session-Id"

// inSession serves a request of a revision with sessions.
func (h *HTTP) inSession(w *reply, r *http.Request, d *door) *no {
	id := r.Header.Get(sessionHeader)
	switch {
	case r.Method == http.MethodPost && id == "":
		if !h.sessions.room() {
			return &no{by: "sessions", code: http.StatusServiceUnavailable, later: true, msg: "too many sessions are open, and all are at work: end one, or start the server with a larger --max-sessions"}
		}
		made := ""
		w.head = func(code int) {
			if code < 300 {
				made = w.Header().Get(sessionHeader)
			}
			h.sessions.made(made, func() { d.end(made) })
		}
		defer func() {
			if w.code == 0 { // the client has left, and has not heard of the session that there may be
				h.sessions.made("", nil)
				go d.end(w.Header().Get(sessionHeader))
			}
			h.sessions.leave(made)
		}()
	case r.Method == http.MethodPost:
		h.sessions.enter(id)
		defer h.sessions.leave(id)
	case r.Method == http.MethodDelete:
		defer func() {
			if w.code == http.StatusNoContent {
				h.sessions.forget(id)
			}
		}()
	}
	d.old.ServeHTTP(w, r)
	return nil
}

// end closes a session of the protocol's library.
func (d *door) end(id string) {
	for s := range d.server.Sessions() {
		if id != "" && s.ID() == id {
			s.Close()
		}
	}
}

// room makes room for one more session, if it must by ending one that is idle.
func (s *sessions) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open)+s.coming >= s.most && !s.endOldest() {
		return false
	}
	s.coming++
	return true
}

func (s *sessions) endOldest() bool {
	oldest := ""
	for id, one := range s.open {
		if one.busy == 0 && (oldest == "" || one.since.Before(s.open[oldest].since)) {
			oldest = id
		}
	}
	if oldest == "" {
		return false
	}
	s.drop(oldest)
	return true
}

// made takes up the session that room was made for, at work; "" is none.
func (s *sessions) made(id string, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coming--
	if id != "" {
		s.open[id] = &session{end: end, busy: 1, timer: time.AfterFunc(s.idle, func() { s.expire(id) })}
	}
}

func (s *sessions) enter(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		one.busy++
	}
}

func (s *sessions) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		one.busy--
		one.since = time.Now()
		one.timer.Reset(s.idle)
	}
}

// expire ends a session, unless it is at work: then leave starts the clock again.
func (s *sessions) expire(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil && one.busy == 0 {
		s.drop(id)
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
func (s *sessions) drop(id string) {
	one := s.open[id]
	one.timer.Stop()
	delete(s.open, id)
	go one.end()
}

func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}
