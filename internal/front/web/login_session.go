package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	maxLogins    = 64
	maxLoginIdle = 12 * time.Hour // after which who was here has to show the token again
)

// loginSessions are those who came in with the token, by the hash of what their browser shows since. The secret itself is kept
// nowhere.
type loginSessions struct {
	now func() time.Time

	mu     sync.Mutex
	byHash map[[sha256.Size]byte]*loginSession
}

// loginSession is one browser, from the token to the way out.
type loginSession struct {
	name     string // for the log
	lastSeen time.Time
	ended    chan struct{} // closed when it ends
}

func newLoginSessions() *loginSessions {
	return &loginSessions{now: time.Now, byHash: map[[sha256.Size]byte]*loginSession{}}
}

// create takes in a visit, in the place of the one that was idle for longest where there are too many, and returns its
// secret, of 256 random bits.
func (v *loginSessions) create() (secret string) {
	var b [32]byte
	rand.Read(b[:])
	secret = base64.RawURLEncoding.EncodeToString(b[:])
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(v.byHash) >= maxLogins {
		v.remove(v.longestIdle())
	}
	v.byHash[sha256.Sum256([]byte(secret))] = &loginSession{name: "ui-" + strings.ToLower(rand.Text()[:12]), lastSeen: v.now(), ended: make(chan struct{})}
	return secret
}

func (v *loginSessions) longestIdle() (out [sha256.Size]byte) {
	var oldest *loginSession
	for key, is := range v.byHash {
		if oldest == nil || is.lastSeen.Before(oldest.lastSeen) {
			out, oldest = key, is
		}
	}
	return out
}

// lookup returns the name of the visit that a secret belongs to. It is looked for by its hash, so that the time that takes
// says nothing about the secrets that there are.
func (v *loginSessions) lookup(secret string) (name string, ok bool) {
	key := sha256.Sum256([]byte(secret))
	v.mu.Lock()
	defer v.mu.Unlock()
	is := v.byHash[key]
	if is == nil {
		return "", false
	}
	now := v.now()
	if now.Sub(is.lastSeen) > maxLoginIdle {
		v.remove(key)
		return "", false
	}
	is.lastSeen = now
	return is.name, true
}

func (v *loginSessions) delete(secret string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.remove(sha256.Sum256([]byte(secret)))
}

// remove ends a visit, if there is one.
func (v *loginSessions) remove(key [sha256.Size]byte) {
	if is := v.byHash[key]; is != nil {
		close(is.ended)
		delete(v.byHash, key)
	}
}

// ended is closed when a visit has ended. Who waits for it is no sign of life.
func (v *loginSessions) ended(secret string) <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if is := v.byHash[sha256.Sum256([]byte(secret))]; is != nil {
		return is.ended
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

// deleteIdle ends the visits that were idle for too long.
func (v *loginSessions) deleteIdle() {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	for key, is := range v.byHash {
		if now.Sub(is.lastSeen) > maxLoginIdle {
			v.remove(key)
		}
	}
}

// cookieName has the port, as the browser has it: the cookies of all ports of a machine are in one place.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil || port == "" {
		return "emend"
	}
	return "emend-" + port
}

func cookieSecret(r *http.Request) string {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

func newCookie(r *http.Request, secret string) *http.Cookie {
	encrypted := r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://") // by a proxy in front
	return &http.Cookie{Name: cookieName(r), Value: secret, Path: Base, HttpOnly: true, Secure: encrypted, SameSite: http.SameSiteStrictMode}
}

type loginKey struct{}

// authenticate gives a request the visit that it belongs to.
func (s *Site) authenticate(r *http.Request) (*http.Request, bool) {
	name, ok := s.logins.lookup(cookieSecret(r))
	if !ok {
		return r, false
	}
	return r.WithContext(context.WithValue(r.Context(), loginKey{}, name)), true
}

func loginName(r *http.Request) string {
	name, _ := r.Context().Value(loginKey{}).(string)
	return name
}
