package mcp

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
)

// actor is who asks, as the request says it; it is for the log and decides nothing. What the person who started the server
// said of it wins.
func (s *Server) actor(req *sdk.CallToolRequest) emend.Actor {
	meta := req.Params.GetMeta()
	client := clientName(req.ClientInfo())
	return emend.Actor{Client: client, Agent: s.Who.Agent, Call: callID(meta),
		Session: cmp.Or(s.Who.Session, clientSession(meta), s.sessionNames.name(req.Session, req.Extra, client))}
}

// clientOf is the name of a program and its version.
func clientName(c *sdk.Implementation) string {
	if c == nil {
		return ""
	}
	name, version := cleanName(c.Name), cleanName(c.Version)
	if name == "" || version == "" {
		return name
	}
	return cleanName(name + "/" + version)
}

// callOf is how the client itself calls this use of a tool: Claude Code and Codex say it.
func callID(meta sdk.Meta) string {
	for _, key := range []string{"claudecode/toolUseId", "callId"} {
		if id, ok := meta[key].(string); ok && cleanName(id) != "" {
			return cleanName(id)
		}
	}
	return ""
}

// maxTurn is how long the text of an object may be that is read for a name alone.
const maxTurnMetadata = 64 << 10

// sessionOf is the client's own name for its session: Codex says it, among other facts of the turn, as an object or as
// the text of one.
func clientSession(meta sdk.Meta) string {
	turn, ok := meta["x-codex-turn-metadata"].(map[string]any)
	if text, isText := meta["x-codex-turn-metadata"].(string); isText && !ok && len(text) <= maxTurnMetadata {
		json.Unmarshal([]byte(text), &turn) //nolint:errcheck // then it says nothing
	}
	for _, key := range []string{"session_id", "thread_id"} {
		if id, ok := turn[key].(string); ok && cleanName(id) != "" {
			return cleanName(id)
		}
	}
	return ""
}

// word is a name that somebody sent, without what is not for the eye, and cut.
func cleanName(s string) string {
	const most = 200
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s[:min(len(s), 8*most)])
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return strings.TrimSpace(s)
}

// visits are the sessions of clients that have no name for them.
type sessionNames struct {
	stdio string // of the one client over standard input and output

	mu   sync.Mutex
	recent map[string]recentSession // of clients without a session of the protocol, by who they are
}

type recentSession struct {
	id   string
	last time.Time
}

const (
	sessionNameIdle  = 30 * time.Minute // after which a client that comes again is in another session
	maxRecentSessions = 4096
)

func newSessionNames() *sessionNames { return &sessionNames{stdio: newSessionName(), recent: map[string]recentSession{}} }

func newSessionName() string { return "s-" + strings.ToLower(rand.Text()[:12]) }

// session names the session of a request. The protocol's own id lets whoever has it into the session, so that the name is
// derived from it and does not tell it.
func (v *sessionNames) name(session *sdk.ServerSession, extra *sdk.RequestExtra, client string) string {
	if extra == nil || extra.Header == nil {
		return v.stdio
	}
	if id := session.ID(); id != "" {
		return "s-" + digest("session", id)[:12]
	}
	return v.recentName(digest("visit", extra.Header.Get("Authorization"), client), time.Now())
}

// visit is the session of a client that was here a short while ago, or a new one.
func (v *sessionNames) recentName(who string, now time.Time) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	session, ok := v.recent[who]
	if !ok || now.Sub(session.last) > sessionNameIdle {
		v.evict(now)
		session.id = newSessionName()
	}
	session.last = now
	v.recent[who] = session
	return session.id
}

// forget makes room: of what is over first, then of anything, and enough of it not to be at it again soon.
func (v *sessionNames) evict(now time.Time) {
	if len(v.recent) < maxRecentSessions {
		return
	}
	for who, session := range v.recent {
		if now.Sub(session.last) > sessionNameIdle {
			delete(v.recent, who)
		}
	}
	for who := range v.recent {
		if len(v.recent) <= maxRecentSessions/2 {
			return
		}
		delete(v.recent, who)
	}
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}
