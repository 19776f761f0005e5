package setup

import "os"

// What was seen of 1.18.33: permission.edit "deny" takes edit, write and apply_patch from what the model is shown, and emend's
// tools stay.
var opencode = &Client{
	Name: "opencode", Title: "opencode", program: "opencode",
	scopes: []Scope{User, Project},
	server: func(h Host, s Scope) place { return place{h.opencodeFile(s), jsonC, []string{"mcp"}} },
	entry: func(s Server) any {
		if s.URL != "" {
			return remote{Type: "remote", URL: s.URL, Headers: bearer("{env:" + tokenVar + "}")}
		}
		return struct {
			Type    string   `json:"type"`
			Command []string `json:"command"`
			Enabled bool     `json:"enabled"`
		}{"local", append([]string{s.Command}, s.Args...), true}
	},
	tools: func(h Host, s Scope) []rule {
		return []rule{{place: place{h.opencodeFile(s), jsonC, []string{"permission", "edit"}}, value: "deny"}}
	},
	next: "start opencode again; opencode mcp list then shows emend as connected",
}

// opencodeFile is the one of two names that is there.
func (h Host) opencodeFile(s Scope) string {
	name := func(n string) string {
		if s == Project {
			return h.project(n)
		}
		return h.in("XDG_CONFIG_HOME", ".config", "opencode", n)
	}
	if _, err := os.Lstat(name("opencode.jsonc")); err == nil {
		return name("opencode.jsonc")
	}
	return name("opencode.json")
}
