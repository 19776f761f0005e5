package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/internal/front/gate"
)

const (
	maxLogins    = 64
	maxLoginIdle = 12 * time.Hour // then the token is needed again
)

// loginSessions holds the browsers that have signed in, by the hash of their cookie's secret. The secret itself is not
// stored.
type loginSessions struct {
	now func() time.Time

	mu     sync.Mutex
	byHash map[[sha256.Size]byte]*loginSession
}

// loginSession is one browser, from signing in to signing out.
type loginSession struct {
	name     string // the session's name in the log; it grants nothing
	root     string // the path of its cookie, which all addresses of its pages begin with; nobody else knows it
	lastSeen time.Time
	ended    chan struct{} // closed at its end
}

func newLoginSessions() *loginSessions {
	return &loginSessions{now: time.Now, byHash: map[[sha256.Size]byte]*loginSession{}}
}

// create adds a session and returns its secret of 256 random bits, and its root, of 130. If there are too many sessions, it
// ends the one that was idle for longest.
func (l *loginSessions) create() (secret, root string) {
	var b [32]byte
	rand.Read(b[:])
	secret, root = base64.RawURLEncoding.EncodeToString(b[:]), Base+rootMark+strings.ToLower(rand.Text())+"/"
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.byHash) >= maxLogins {
		l.remove(l.longestIdle())
	}
	l.byHash[sha256.Sum256([]byte(secret))] = &loginSession{name: "ui-" + strings.ToLower(rand.Text()[:12]), root: root, lastSeen: l.now(), ended: make(chan struct{})}
	return secret, root
}

func (l *loginSessions) longestIdle() (out [sha256.Size]byte) {
	var oldest *loginSession
	for key, s := range l.byHash {
		if oldest == nil || s.lastSeen.Before(oldest.lastSeen) {
			out, oldest = key, s
		}
	}
	return out
}

// lookup returns the name of the session with this secret and this root. It compares hashes, so that the time it takes tells
// nothing about either.
func (l *loginSessions) lookup(secret, root string) (name string, ok bool) {
	key := sha256.Sum256([]byte(secret))
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.byHash[key]
	if s == nil || !gate.SameToken(root, s.root) {
		return "", false
	}
	now := l.now()
	if now.Sub(s.lastSeen) > maxLoginIdle {
		l.remove(key)
		return "", false
	}
	s.lastSeen = now
	return s.name, true
}

func (l *loginSessions) delete(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(sha256.Sum256([]byte(secret)))
}

// remove ends a session, if there is one.
func (l *loginSessions) remove(key [sha256.Size]byte) {
	if s := l.byHash[key]; s != nil {
		close(s.ended)
		delete(l.byHash, key)
	}
}

// ended returns a channel that is closed when the session ends. Waiting for it does not keep a session alive.
func (l *loginSessions) ended(secret string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.byHash[sha256.Sum256([]byte(secret))]; s != nil {
		return s.ended
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

// deleteIdle ends the sessions that were idle for too long.
func (l *loginSessions) deleteIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for key, s := range l.byHash {
		if now.Sub(s.lastSeen) > maxLoginIdle {
			l.remove(key)
		}
	}
}

const cookieName = "emend"

func cookieSecret(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return c.Value
}

// newCookie returns the cookie for a secret, which browsers send to addresses below root and to no other.
func newCookie(r *http.Request, secret, root string) *http.Cookie {
	encrypted := r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://") // at the proxy in front
	return &http.Cookie{Name: cookieName, Value: secret, Path: root, HttpOnly: true, Secure: encrypted, SameSite: http.SameSiteStrictMode}
}

type loginKey struct{}

// login says whose request it is: the name of a browser's session, and its root. Both are "" for a browser that is not signed
// in.
type login struct{ name, root string }

// authenticate puts the login into the request's context, and reports whether there is one.
func (s *Site) authenticate(r *http.Request) (*http.Request, bool) {
	root := rootOf(r.URL.Path)
	name, ok := s.logins.lookup(cookieSecret(r), root)
	if !ok {
		return r, false
	}
	return r.WithContext(context.WithValue(r.Context(), loginKey{}, login{name, root})), true
}

// loginOf returns what authenticate put into the context.
func loginOf(r *http.Request) login {
	l, _ := r.Context().Value(loginKey{}).(login)
	return l
}
