package setup

import "encoding/json"

// What was seen of 2.1.197: a tool in permissions.deny is not shown to the model at all; denying Edit leaves Write there.
// A settings file with a comment in it is ignored in silence, and a .mcp.json with one is reported and ignored.
var claudeCode = &Client{
	Name: "claude-code", Title: "Claude Code", program: "claude",
	scopes: []Scope{User, Project},
	server: func(h Host, s Scope) place {
		if s == Project {
			return place{h.project(".mcp.json"), plainJSON, []string{"mcpServers"}}
		}
		return place{h.in("CLAUDE_CONFIG_DIR", "", ".claude.json"), plainJSON, []string{"mcpServers"}}
	},
	entry: func(s Server) any {
		if s.URL != "" {
			return remote{Type: "http", URL: s.URL, Headers: bearer("${" + tokenVar + "}")}
		}
		return local{Type: "stdio", Command: s.Command, Args: s.Args}
	},
	tools: func(h Host, s Scope) []rule {
		file := h.in("CLAUDE_CONFIG_DIR", ".claude", "settings.json")
		if s == Project {
			file = h.project(".claude", "settings.json")
		}
		return []rule{{
			place: place{file, plainJSON, []string{"permissions", "deny"}},
			items: []string{"Edit", "Write", "NotebookEdit"},
		}}
	},
	// The user's servers stand in the program's own state, which running programs write as well: it knows how.
	state: true,
	own: func(o own) [][]string {
		if o.scope != User {
			return nil
		}
		var out [][]string
		if o.there {
			out = append(out, []string{"claude", "mcp", "remove", "--scope", "user", "emend"})
		}
		if !o.remove {
			entry, _ := json.Marshal(o.entry)
			out = append(out, []string{"claude", "mcp", "add-json", "--scope", "user", "emend", string(entry)})
		}
		return out
	},
	trust: "Claude Code asks once whether the server of a project's .mcp.json may start; until then it waits for approval.",
	next:  "restart Claude Code; /mcp then shows emend as connected",
}

// local is the entry of a server that is started.
type local struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// remote is the entry of a server that runs.
type remote struct {
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url,omitempty"`
	HTTPURL string            `json:"httpUrl,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}
