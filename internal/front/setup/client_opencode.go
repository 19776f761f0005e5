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
	hooks: &hooks{
		file: func(h Host, s Scope) string {
			if s == Project {
				return h.project(".opencode", "plugins", "emend.js")
			}
			return h.fromEnv("XDG_CONFIG_HOME", ".config", "opencode", "plugins", "emend.js")
		},
		format: script, shell: "bash", edit: "edit|multiedit|write|apply_patch|patch",
		settings: opencodeHooks,
		note: "opencode fetches @opencode-ai/plugin from npm when it first starts with a plugin. Without a network that start takes " +
			"more than a minute.",
	},
	nextStep: "start opencode again; opencode mcp list then shows emend as connected",
}

// opencodeFile returns the path of the file that exists, of the two names that opencode reads.
func opencodeFile(path func(name string) string) string {
	if _, err := os.Lstat(path("opencode.jsonc")); err == nil {
		return path("opencode.jsonc")
	}
	return path("opencode.json")
}
