package setup

import "os"

// Observed with 1.18.33: with permission.edit "deny" the model is not shown edit, write and apply_patch, and emend's
// tools stay.
var opencode = &Client{
	Name: "opencode", Title: "opencode", program: "opencode",
	format: jsonC, servers: "mcp",
	userFile: func(h Host) string {
		return opencodeFile(func(name string) string { return h.fromEnv("XDG_CONFIG_HOME", ".config", "opencode", name) })
	},
	projectFile: func(h Host) string { return opencodeFile(func(name string) string { return h.project(name) }) },
	entry: func(s Server) any {
		if s.URL != "" {
			return httpEntry{Type: "remote", URL: s.URL, Headers: bearer("{env:" + tokenVar + "}")}
		}
		return struct {
			Type    string   `json:"type"`
			Command []string `json:"command"`
			Enabled bool     `json:"enabled"`
		}{"local", append([]string{s.Command}, s.Args...), true}
	},
	ownTools: []toolSetting{{path: []string{"permission", "edit"}, value: "deny"}},
	nextStep: "start opencode again; opencode mcp list then shows emend as connected",
}

// opencodeFile returns the path of the file that exists, of the two names that opencode reads.
func opencodeFile(path func(name string) string) string {
	if _, err := os.Lstat(path("opencode.jsonc")); err == nil {
		return path("opencode.jsonc")
	}
	return path("opencode.json")
}
