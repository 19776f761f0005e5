package setup

// From its documentation; not run here. A tool that is denied is still shown to the model, and refuses every call.
var zed = &Client{
	Name: "zed", Title: "Zed",
	scopes: []Scope{User}, where: fixed,
	server: func(h Host, _ Scope) place { return place{h.zedSettings(), jsonC, []string{"context_servers"}} },
	entry: func(s Server) any {
		if s.URL != "" {
			return remote{URL: s.URL}
		}
		return local{Command: s.Command, Args: s.Args}
	},
	tools: func(h Host, _ Scope) []rule {
		var out []rule
		for _, tool := range []string{"edit_file", "create_directory", "copy_path", "move_path", "delete_path"} {
			path := []string{"agent", "tool_permissions", "tools", tool, "default"}
			out = append(out, rule{place: place{h.zedSettings(), jsonC, path}, value: "deny"})
		}
		return out
	},
	token: "Zed wants the server's token itself: add \"headers\": {\"Authorization\": \"Bearer …\"} to the entry.",
	notes: []string{"Zed still shows its own edit tools to the model; each call of one is refused."},
	next:  "open Zed's agent settings: emend has a green dot when it runs",
}

func (h Host) zedSettings() string {
	if h.OS == "windows" {
		return h.in("APPDATA", "AppData/Roaming", "Zed", "settings.json")
	}
	return h.in("XDG_CONFIG_HOME", ".config", "zed", "settings.json")
}
