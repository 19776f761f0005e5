package setup

// From its documentation; not tested with the program. The model is still shown a denied tool, and each call of it is
// refused.
var zed = &Client{
	Name: "zed", Title: "Zed",
	workspaceArg: noWorkspace,
	format:       jsonC, servers: "context_servers",
	userFile: func(h Host) string {
		if h.OS == "windows" {
			return h.fromEnv("APPDATA", "AppData/Roaming", "Zed", "settings.json")
		}
		return h.fromEnv("XDG_CONFIG_HOME", ".config", "zed", "settings.json")
	},
	entry: entries(stdioEntry{}, httpEntry{}),
	ownTools: []toolSetting{zedDenies("edit_file"), zedDenies("create_directory"), zedDenies("copy_path"),
		zedDenies("move_path"), zedDenies("delete_path")},
	tokenNote: "Zed wants the server's token itself: add \"headers\": {\"Authorization\": \"Bearer …\"} to the entry.",
	notes:     []string{"Zed still shows its own edit tools to the model; each call of one is refused."},
	nextStep:  "open Zed's agent settings: emend has a green dot when it runs",
}

func zedDenies(tool string) toolSetting {
	return toolSetting{path: []string{"agent", "tool_permissions", "tools", tool, "default"}, value: "deny"}
}
