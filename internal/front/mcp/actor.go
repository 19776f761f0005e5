package mcp

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/api"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// actor says who makes a call, for the log: what the client says of itself, and the name of its session. Nothing is decided by
// it; see sessionGrants. What the command line said wins over the request.
func (s *Server) actor(req *sdk.CallToolRequest) api.Actor {
	meta := req.Params.GetMeta()
	client := clientName(req.ClientInfo())
	return api.Actor{Client: client, Agent: s.Actor.Agent, Call: callID(meta),
		Session: cmp.Or(s.Actor.Session, clientSession(meta), s.sessionNames.name(req.Session, req.Extra, client))}
}

// clientName returns the name and version of a program.
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

// callID returns the client's own id of a tool call. Claude Code and Codex send one.
func callID(meta sdk.Meta) string {
	for _, key := range []string{"claudecode/toolUseId", "callId"} {
		if id, ok := meta[key].(string); ok && cleanName(id) != "" {
			return cleanName(id)
		}
	}
	return ""
}

// maxTurnMetadata bounds the text that clientSession parses for the sake of one name.
const maxTurnMetadata = 64 << 10

// clientSession returns the client's own name of its session. Codex sends it in the metadata of a turn, which is an
// object or the text of one.
func clientSession(meta sdk.Meta) string {
	turn, ok := meta["x-codex-turn-metadata"].(map[string]any)
	if text, isText := meta["x-codex-turn-metadata"].(string); isText && !ok && len(text) <= maxTurnMetadata {
		json.Unmarshal([]byte(text), &turn) //nolint:errcheck // a text that is no object names no session
	}
	for _, key := range []string{"session_id", "thread_id"} {
		if id, ok := turn[key].(string); ok && cleanName(id) != "" && !looksMade(cleanName(id)) {
			return cleanName(id)
		}
	}
	return ""
}

// cleanName removes what cannot be printed from a name that a client sent, and bounds its length.
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
