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
	client := clientOf(req.ClientInfo())
	return emend.Actor{Client: client, Agent: s.Who.Agent, Call: callOf(meta),
		Session: cmp.Or(s.Who.Session, sessionOf(meta), s.visits.session(req.Session, req.Extra, client))}
}

// clientOf is the name of a program and its version.
func clientOf(c *sdk.Implementation) string {
	if c == nil {
		return ""
	}
	name, version := word(c.Name), word(c.Version)
	if name == "" || version == "" {
		return name
	}
	return word(name + "/" + version)
}

// callOf is how the client itself calls this use of a tool: Claude Code and Codex say it.
func callOf(meta sdk.Meta) string {
	for _, key := range []string{"claudecode/toolUseId", "callId"} {
		if id, ok := meta[key].(string); ok && word(id) != "" {
			return word(id)
		}
	}
	return ""
}

// sessionOf is the client's own name for its session: Codex says it, among other facts of the turn, as an object or as
// the text of one.
func sessionOf(meta sdk.Meta) string {
	turn, ok := meta["x-codex-turn-metadata"].(map[string]any)
	if text, is := meta["x-codex-turn-metadata"].(string); is && !ok {
		json.Unmarshal([]byte(text), &turn) //nolint:errcheck // then it says nothing
	}
	for _, key := range []string{"session_id", "thread_id"} {
		if id, ok := turn[key].(string); ok && word(id) != "" {
			return word(id)
		}
	}
	return ""
}

// word is a name that somebody sent, without what is not for the eye, and cut.
func word(s string) string {
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
type visits struct {
	process string // of the one client over standard input and output

	mu   sync.Mutex
	seen map[string]visit // of clients without a session of the protocol, by who they are
}

type visit struct {
	id   string
	last time.Time
}

const (
	visitIdle  = 30 * time.Minute // after which a client that comes again is in another session
	mostVisits = 4096
)

func newVisits() *visits { return &visits{process: newSession(), seen: map[string]visit{}} }

func newSession() string { return "s-" + strings.ToLower(rand.Text()[:12]) }

// session names the session of a request. The protocol's own id lets whoever has it into the session, so that the name is
// derived from it and does not tell it.
func (v *visits) session(session *sdk.ServerSession, extra *sdk.RequestExtra, client string) string {
	if extra == nil || extra.Header == nil {
		return v.process
	}
	if id := session.ID(); id != "" {
		return "s-" + digest("session", id)[:12]
	}
	return v.visit(digest("visit", extra.Header.Get("Authorization"), client), time.Now())
}

// visit is the session of a client that was here a short while ago, or a new one.
func (v *visits) visit(who string, now time.Time) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	is, ok := v.seen[who]
	if !ok || now.Sub(is.last) > visitIdle {
		v.forget(now)
		is.id = newSession()
	}
	is.last = now
	v.seen[who] = is
	return is.id
}

// forget makes room: of what is over first, then of anything, and enough of it not to be at it again soon.
func (v *visits) forget(now time.Time) {
	if len(v.seen) < mostVisits {
		return
	}
	for who, is := range v.seen {
		if now.Sub(is.last) > visitIdle {
			delete(v.seen, who)
		}
	}
	for who := range v.seen {
		if len(v.seen) <= mostVisits/2 {
			return
		}
		delete(v.seen, who)
	}
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}
