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
	mostVisits = 64
	visitIdle  = 12 * time.Hour // after which who was here has to show the token again
)

// visits are those who came in with the token, by the hash of what their browser shows since. The secret itself is kept
// nowhere.
type visits struct {
	now func() time.Time

	mu   sync.Mutex
	open map[[sha256.Size]byte]*visit
}

// visit is one browser, from the token to the way out.
type visit struct {
	name string // for the log
	last time.Time
	over chan struct{} // closed when it ends
}

func newVisits() *visits { return &visits{now: time.Now, open: map[[sha256.Size]byte]*visit{}} }

// begin takes in a visit, in the place of the one that was idle for longest where there are too many, and returns its
// secret, of 256 random bits.
func (v *visits) begin() (secret string) {
	var b [32]byte
	rand.Read(b[:])
	secret = base64.RawURLEncoding.EncodeToString(b[:])
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(v.open) >= mostVisits {
		v.drop(v.idlest())
	}
	v.open[sha256.Sum256([]byte(secret))] = &visit{name: "ui-" + strings.ToLower(rand.Text()[:12]), last: v.now(), over: make(chan struct{})}
	return secret
}

func (v *visits) idlest() (out [sha256.Size]byte) {
	var oldest *visit
	for key, is := range v.open {
		if oldest == nil || is.last.Before(oldest.last) {
			out, oldest = key, is
		}
	}
	return out
}

// find returns the name of the visit that a secret belongs to. It is looked for by its hash, so that the time that takes
// says nothing about the secrets that there are.
func (v *visits) find(secret string) (name string, ok bool) {
	key := sha256.Sum256([]byte(secret))
	v.mu.Lock()
	defer v.mu.Unlock()
	is := v.open[key]
	if is == nil {
		return "", false
	}
	now := v.now()
	if now.Sub(is.last) > visitIdle {
		v.drop(key)
		return "", false
	}
	is.last = now
	return is.name, true
}

func (v *visits) end(secret string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.drop(sha256.Sum256([]byte(secret)))
}

// drop ends a visit, if there is one.
func (v *visits) drop(key [sha256.Size]byte) {
	if is := v.open[key]; is != nil {
		close(is.over)
		delete(v.open, key)
	}
}

// over is closed when a visit has ended. Who waits for it is no sign of life.
func (v *visits) over(secret string) <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if is := v.open[sha256.Sum256([]byte(secret))]; is != nil {
		return is.over
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

// sweep ends the visits that were idle for too long.
func (v *visits) sweep() {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now()
	for key, is := range v.open {
		if now.Sub(is.last) > visitIdle {
			v.drop(key)
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

func secretOf(r *http.Request) string {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

func cookie(r *http.Request, secret string) *http.Cookie {
	encrypted := r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://") // by a proxy in front
	return &http.Cookie{Name: cookieName(r), Value: secret, Path: Base, HttpOnly: true, Secure: encrypted, SameSite: http.SameSiteStrictMode}
}

type visitKey struct{}

// enter gives a request the visit that it belongs to.
func (s *Site) enter(r *http.Request) (*http.Request, bool) {
	name, ok := s.visits.find(secretOf(r))
	if !ok {
		return r, false
	}
	return r.WithContext(context.WithValue(r.Context(), visitKey{}, name)), true
}

func visitOf(r *http.Request) string {
	name, _ := r.Context().Value(visitKey{}).(string)
	return name
}
