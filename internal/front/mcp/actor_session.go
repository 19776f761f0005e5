package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionNames invents the name under which the log has the session of a client that does not name its own.
type sessionNames struct {
	stdio string // of the one client over standard input and output

	mu     sync.Mutex
	recent map[string]recentSession // of clients without a session of the protocol, by who they are
}

type recentSession struct {
	name string
	last time.Time
}

const (
	sessionNameIdle   = 30 * time.Minute // a client that was silent for longer begins another session
	maxRecentSessions = 4096
)

func newSessionNames() *sessionNames {
	return &sessionNames{stdio: newSessionName(), recent: map[string]recentSession{}}
}

func newSessionName() string { return madeName(strings.ToLower(rand.Text())) }

// madeName makes the name of a session of random text.
func madeName(random string) string { return "s-" + random[:12] }

// looksMade reports whether a name is of the form that only the server gives. A client that says such a name is not believed,
// so that in the log no client can pass for one that the server named.
func looksMade(name string) bool {
	random, ok := strings.CutPrefix(strings.ToLower(name), "s-")
	return ok && len(random) == 12 && strings.Trim(random, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// overHTTP reports whether a request came over HTTP.
func overHTTP(extra *sdk.RequestExtra) bool { return extra != nil && extra.Header != nil }

// name names the session of a request. Whoever knows the protocol's own id of a session may enter it, so the name is
// derived from the id and does not reveal it.
func (n *sessionNames) name(session *sdk.ServerSession, extra *sdk.RequestExtra, client string) string {
	if !overHTTP(extra) {
		return n.stdio
	}
	if id := session.ID(); id != "" {
		return madeName(digest("session", id))
	}
	return n.recentName(digest("visit", extra.Header.Get("Authorization"), client), time.Now())
}

// recentName returns the name that a client had a short while ago, or a new one.
func (n *sessionNames) recentName(client string, now time.Time) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	session, ok := n.recent[client]
	if !ok || now.Sub(session.last) > sessionNameIdle {
		n.evict(now)
		session.name = newSessionName()
	}
	session.last = now
	n.recent[client] = session
	return session.name
}

// evict drops expired names when the map is full. If that does not suffice it drops any names, down to half of the
// limit, so that it rarely runs.
func (n *sessionNames) evict(now time.Time) {
	if len(n.recent) < maxRecentSessions {
		return
	}
	for client, session := range n.recent {
		if now.Sub(session.last) > sessionNameIdle {
			delete(n.recent, client)
		}
	}
	for client := range n.recent {
		if len(n.recent) <= maxRecentSessions/2 {
			return
		}
		delete(n.recent, client)
	}
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}
